import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { appLab } from '../support/appLab.js';
import { modelSettings } from '../support/modelSettings.js';
import { startModelServer, type Reply } from '../support/modelServer.js';

const TURNS = Number(process.env['SOAK_TURNS'] ?? 2_000);
/** Turns until what is made once is there: the tokenizer, the caches, the first consolidations. */
const WARM = Math.min(200, TURNS / 4);
/** How much larger the heap may be at the end. */
const MAY_GROW = 1.1;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

it(`${String(TURNS)} turns with reads, edits and commands leave memory flat`, async () => {
  const server = await startModelServer();
  onTestFinished(() => server.close());
  let turn = 0;
  server.setScript((request): Reply => {
    const last = request.body.messages.at(-1);
    // Summaries and names are asked for without tools.
    if (!request.body.tools) return { text: `A summary of what happened up to turn ${String(turn)}.` };
    if (last?.role === 'tool') return { text: `Done with turn ${String(turn)}: all as it should be.` };
    return { toolCalls: [callOf(turn)], usage: { input: 4_000, output: 60 } };
  });
  const { settings, env } = modelSettings(server);
  const lab = await appLab({
    files: { 'a.txt': 'one\n', 'long.txt': 'a line of a text\n'.repeat(400) },
    settings: { ...settings, contextWindowTokens: 32_000, maxTokens: 2_000 },
    env,
  });
  const memory: string[] = [];
  /** What is held when nothing is under way: the least of some looks, since what goes on behind a turn holds more for a while. */
  const heap = async () => {
    const seen: number[] = [];
    for (let look = 0; look < 8; look++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      collect();
      const { heapUsed, external } = process.memoryUsage();
      seen.push((heapUsed + external) / 1e6);
    }
    return Math.min(...seen);
  };
  let warm = 0;
  for (turn = 1; turn <= TURNS; turn++) {
    const end = await lab.say(`Turn ${String(turn)}: please do the next thing.`);
    expect(end.status).toBe('done');
    // What the test itself holds.
    lab.events.length = 0;
    server.requests.length = 0;
    if (turn === WARM) warm = await heap();
    if (turn % (TURNS / 20) === 0) memory.push(`${String(turn)}: ${(await heap()).toFixed(1)} MB`);
  }
  console.log(memory.join('\n'));
  expect((await heap()) / warm).toBeLessThan(MAY_GROW);
  expect(lab.stored().length).toBeGreaterThan(TURNS);
});

/** Reads, edits and commands in turn. */
function callOf(turn: number) {
  switch (turn % 4) {
    case 0:
      return { name: 'read_file', args: { path: 'long.txt' } };
    case 1:
      return { name: 'write_file', args: { path: 'a.txt', content: `turn ${String(turn)}\n` } };
    case 2:
      return { name: 'exec', args: { command: 'echo "said by a command"' } };
    default:
      return { name: 'grep', args: { pattern: 'turn' } };
  }
}
