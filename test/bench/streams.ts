import type { ModelServer } from '../support/modelServer.js';
import type { Workbench } from '../support/workbench.js';
import type { BarePage } from './barePage.js';
import { processorSeconds, renderers, residentMb, settledMemory, streamWords } from './inWindow.js';
import { percentile, type Row } from './table.js';

/** Everything about answers that stream, in a window in which a few messages were sent already. */
export async function measureStreams(workbench: Workbench, server: ModelServer, bare: BarePage): Promise<Row[]> {
  const rows = [...(await delays(workbench, server)), ...(await processorTime(workbench, server, bare))];
  await workbench.runCommand('Nanobot: New Chat');
  return [...rows, ...(await afterManyMessages(workbench, server))];
}

async function delays(workbench: Workbench, server: ModelServer): Promise<Row[]> {
  const firsts: number[] = [];
  for (let n = 0; n < 5; n++) {
    const { sent, shown } = await streamWords(workbench, server, { perSecond: 67, words: 20, watch: true });
    firsts.push((shown[0] ?? NaN) - (sent[0] ?? NaN));
  }
  const rows: Row[] = [{ name: 'first chunk → text on screen', unit: 'ms', values: firsts, budget: 25 }];
  const last = { 67: 20, 200: 40, 500: 100 };
  for (const [perSecond, budget] of Object.entries(last)) {
    const ends: number[] = [];
    for (let run = 0; run < 2; run++) {
      const words = Number(perSecond) === 67 ? 300 : Number(perSecond) * 3;
      const { sent, shown } = await streamWords(workbench, server, {
        perSecond: Number(perSecond),
        words,
        watch: true,
      });
      ends.push((shown.at(-1) ?? NaN) - (sent.at(-1) ?? NaN));
      if (run > 0 || Number(perSecond) !== 67) continue;
      const each = sent.map((time, n) => (shown[n] ?? NaN) - time);
      rows.push(
        { name: 'a chunk → on screen, 67 a second, p50', unit: 'ms', values: each, budget: 7 },
        {
          name: 'a chunk → on screen, 67 a second, p95',
          unit: 'ms',
          values: each,
          judged: percentile(each, 95),
          judgedAs: 'p95',
          budget: 20,
        },
      );
    }
    rows.push({ name: `last chunk → last word, ${perSecond} a second`, unit: 'ms', values: ends, budget });
  }
  return rows;
}

/** Page and host while an answer streams for 6 s, less what both use in 6 s without one. */
async function processorTime(workbench: Workbench, server: ModelServer, bare: BarePage): Promise<Row[]> {
  const host = await workbench.extensionHost();
  const used = () => ({ page: processorSeconds(renderers()), host: processorSeconds([host]) });
  const idle = used();
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  const before = used();
  await streamWords(workbench, server, { perSecond: 67, words: 400, watch: false });
  const after = used();
  const row = (name: string, of: 'page' | 'host', budget: number): Row => ({
    name,
    unit: 's',
    values: [after[of] - before[of] - (before[of] - idle[of])],
    baseline: bare[of],
    budget,
    note: 'the baseline is a bare page that gets as many messages; what 6 s without an answer use is taken off both',
  });
  return [
    row('processor time of a 6 s answer, page', 'page', 1),
    row('processor time of a 6 s answer, host', 'host', 0.25),
  ];
}

/** 25 messages and their answers in a chat of their own. */
async function afterManyMessages(workbench: Workbench, server: ModelServer): Promise<Row[]> {
  const host = await workbench.extensionHost();
  server.setScript(() => ({ text: 'A short answer, as to a greeting.' }));
  await workbench.ask('hello');
  const before = await settledMemory(workbench);
  for (let n = 0; n < 24; n++) await workbench.ask(`Message ${String(n)}`);
  await settledMemory(workbench);
  const after = residentMb(host);
  const frame = await workbench.chat();
  const nodes = await frame.evaluate(() => document.querySelectorAll('*').length);
  return [
    { name: 'after 25 messages: host memory growth', unit: 'MB', values: [after - before], budget: 5 },
    {
      name: 'after 25 messages: page nodes',
      unit: '',
      values: [nodes],
      budget: 300,
      note: '25 messages and their 25 answers',
    },
  ];
}
