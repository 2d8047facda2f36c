import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TokenCounter } from '../../src/memory/tokenCounter.js';
import { estimateMessage, isCounted } from '../../src/memory/tokens.js';
import { nodeClock } from '../../src/platform/nodeClock.js';
import { nodeFiles } from '../../src/platform/nodeFiles.js';
import { nodeWorkers } from '../../src/platform/nodeWorkers.js';
import { textOf, type StoredMessage } from '../../src/protocol/message.js';
import type { NodeLab } from './nodeLab.js';
import { rowsOf, watched } from './stretches.js';
import type { Row } from './table.js';

const MESSAGES = 10_000;
const RUNS = 5;

/** Counting the tokens of a long conversation in the worker: how long it takes, and for how long it holds the host's thread meanwhile. */
export async function measureCounting(lab: NodeLab): Promise<Row[]> {
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const workers = nodeWorkers(dirname(fileURLToPath(import.meta.url)));
  const tokens = new TokenCounter({ workers, files: nodeFiles(), clock: nodeClock(), log, home: lab.home });
  const idle = await watched(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
  const estimates: number[] = [];
  const times: number[] = [];
  const stretches: Awaited<ReturnType<typeof watched>>[] = [];
  for (let run = 0; run < RUNS; run++) {
    const messages = conversation(run);
    const start = performance.now();
    for (const message of messages) estimateMessage(message);
    estimates.push(performance.now() - start);
    // The first run starts the thread and reads the ranks.
    const stretch = await watched(() => tokens.count(messages));
    if (!messages.every(isCounted)) throw new Error('The worker did not count the messages.');
    times.push(stretch.ms);
    stretches.push(stretch);
  }
  const letters: number[] = [];
  for (let run = 0; run < 20; run++) {
    const start = performance.now();
    await tokens.count([message(unbroken(16_000, run))]);
    letters.push(performance.now() - start);
  }
  await tokens.close();
  const worst = {
    p99: Math.max(...stretches.map(({ p99 }) => p99)),
    worst: Math.max(...stretches.map(({ worst }) => worst)),
    ms: times.reduce((sum, ms) => sum + ms, 0),
  };
  const characters = conversation(0).reduce((sum, { content }) => sum + textOf(content).length, 0);
  const size = `${(characters / 1e6).toFixed(1)} MB of text; the first run starts the worker`;
  return [
    { name: 'estimate 10,000 messages, on the host’s thread', unit: 'ms', values: estimates },
    { name: 'count the tokens of 10,000 messages, in the worker', unit: 'ms', values: times, note: size },
    { name: 'count 16,000 letters without a space, there and back', unit: 'ms', values: letters, budget: 10 },
    ...rowsOf('10,000 messages counted', worst, idle),
  ];
}

function message(content: string): StoredMessage {
  return { role: 'user', content, timestamp: '2026-03-01T10:00:00.000Z' };
}

function conversation(run: number): StoredMessage[] {
  const words = 'Words of a conversation about a project, its tests and `code(n + 1)`; 我们也说中文。 ';
  return Array.from({ length: MESSAGES }, (_, n) =>
    message(`${String(run)}.${String(n)} ${words.repeat(1 + (n % 12))}`),
  );
}

function unbroken(length: number, seed: number): string {
  return Array.from({ length }, (_, n) => String.fromCharCode(97 + (((n + seed) * 7_919 + n * n * 31) % 26))).join('');
}
