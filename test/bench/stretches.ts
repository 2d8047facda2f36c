import { monitorEventLoopDelay } from 'node:perf_hooks';
import { longAnswer } from '../support/longAnswer.js';
import { turnEnd, type NodeLab } from './nodeLab.js';
import type { Row } from './table.js';
import { call } from './toolTimes.js';

export interface Stretch {
  p99: number;
  worst: number;
  ms: number;
  /** MB above what there was before, at most. */
  grown: number;
}

/** How long the thread was held at a stretch while an answer streams and while a command writes 100 MB, and while nothing happens. */
export async function measureStretches(lab: NodeLab): Promise<Row[]> {
  const app = await lab.app();
  const key = 'cli:stretch';
  const turn = async () => {
    const ended = turnEnd(app, key);
    app.bus.publish({ id: app.newId(), channel: 'cli', sessionKey: key, text: 'Go', attachments: [], watched: true });
    await ended;
  };
  await turn();
  const idle = await watched(() => new Promise((resolve) => setTimeout(resolve, 3_000)));
  lab.setReply({ reply: { text: longAnswer(60_000), chunkSize: 40 }, perSecond: 500 });
  const streaming = await watched(turn);
  lab.setReply({ reply: { text: longAnswer(200_000), chunkSize: 40 } });
  const flooded = await watched(turn);
  await call(app, 'exec', { command: 'true' });
  const command = `yes 'a line of output that a build might write, about so long, again and again' | head -c 100000000`;
  const output = await watched(() => call(app, 'exec', { command, timeout: 120 }));
  await app.close();
  return [
    ...rowsOf('60 KB streamed, 500 deltas a second', streaming, idle),
    ...rowsOf('200 KB streamed in 5,000 deltas at once', flooded, idle),
    ...rowsOf('100 MB of command output', output, idle),
    { name: 'memory, 100 MB of command output', unit: 'MB', values: [output.grown], budget: 20 },
  ];
}

/** The rows of one stretch; `idle` is the same process while nothing happens. */
export function rowsOf(what: string, stretch: Omit<Stretch, 'grown'>, idle: Omit<Stretch, 'grown'>): Row[] {
  return [
    {
      name: `longest stretch, ${what}, p99`,
      unit: 'ms',
      values: [stretch.p99],
      baseline: idle.p99,
      budget: 10,
      note: `${(stretch.ms / 1000).toFixed(1)} s; the baseline is the same process idle`,
    },
    { name: `longest stretch, ${what}, worst`, unit: 'ms', values: [stretch.worst], baseline: idle.worst, budget: 50 },
  ];
}

/** Runs something and watches how long the thread was held at a stretch meanwhile, and how the process grew. */
export async function watched(body: () => Promise<unknown>): Promise<Stretch> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  const sampling = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 25);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const start = performance.now();
  delay.enable();
  await body();
  delay.disable();
  clearInterval(sampling);
  return {
    p99: delay.percentile(99) / 1e6,
    worst: delay.max / 1e6,
    ms: performance.now() - start,
    grown: (most - before) / 1e6,
  };
}
