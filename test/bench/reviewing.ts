import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Conversation } from '../../src/agent/conversation.js';
import { FileChanges } from '../../src/agent/fileChanges.js';
import { Reviews } from '../../src/agent/reviews.js';
import { MessageBus } from '../../src/bus/bus.js';
import { nodeClock } from '../../src/platform/nodeClock.js';
import { nodeFiles } from '../../src/platform/nodeFiles.js';
import { createNodeWorkspace } from '../../src/platform/nodeWorkspace.js';
import { Snapshots } from '../../src/tools/support/snapshots.js';
import type { NodeLab } from './nodeLab.js';
import type { Row } from './table.js';

const HUNKS = 200;
const LINES_BETWEEN = 50;
const RUNS = 5;

/** What a file of 10,000 lines with 200 hunks costs: to find them, to undo one, to undo all. The baseline is writing the file. */
export async function measureReviewing(lab: NodeLab): Promise<Row[]> {
  const times = { find: [] as number[], one: [] as number[], all: [] as number[], write: [] as number[] };
  for (let run = 0; run < RUNS; run++) {
    const folder = join(lab.root, `review-${String(run)}`);
    mkdirSync(folder);
    const path = join(folder, 'long.ts');
    const line = (n: number, changed: boolean) =>
      changed && n % LINES_BETWEEN === 0
        ? `const value${String(n)} = made(${String(n)});`
        : `const value${String(n)} = 1;`;
    const text = (changed: boolean) =>
      Array.from({ length: HUNKS * LINES_BETWEEN }, (_, n) => `${line(n, changed)}\n`).join('');
    writeFileSync(path, text(false));
    const bench = makeReviews(lab, folder);
    await bench.turn(path, text(true));
    const timed = async <T>(list: number[], body: () => Promise<T>): Promise<T> => {
      const begun = performance.now();
      const result = await body();
      list.push(performance.now() - begun);
      return result;
    };
    const hunks = await timed(times.find, () => bench.reviews.hunksIn(path, text(true)));
    if (hunks.length !== HUNKS) throw new Error(`There were ${String(hunks.length)} hunks.`);
    const [hunk] = hunks;
    if (hunk) await timed(times.one, () => bench.reviews.undoHunk(path, hunk));
    await timed(times.all, () => bench.reviews.undoFile(path));
    await timed(times.write, () => bench.workspace.write(path, Buffer.from(text(true))));
    bench.reviews.dispose();
  }
  const baseline = Math.min(...times.write);
  const row = (name: string, values: number[], budget: number): Row => ({ name, unit: 'ms', values, baseline, budget });
  return [
    row('review of 200 hunks in 10,000 lines: find them', times.find, 50),
    row('… undo one', times.one, 100),
    row('… undo all', times.all, 200),
  ];
}

function makeReviews(lab: NodeLab, folder: string) {
  const workspace = createNodeWorkspace({ folders: [{ name: 'review', path: folder }], userHome: lab.root });
  const clock = nodeClock();
  const snapshots = new Snapshots({ files: nodeFiles(), workspace, clock, folder: join(folder, 'snapshots') });
  const bus = new MessageBus();
  // Nobody watches: what is said to the chat is not measured.
  const conversation = { emit: () => undefined, notice: () => undefined } as unknown as Conversation;
  const changes = new FileChanges({ snapshots, conversation: () => Promise.resolve(conversation) });
  const log = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error };
  const storage = { load: () => [], save: () => undefined };
  const reviews = new Reviews({ bus, contents: snapshots, changes, workspace, storage, clock, log });
  return {
    reviews,
    workspace,
    turn: async (path: string, text: string) => {
      await snapshots.before('turn', path);
      await workspace.write(path, Buffer.from(text));
      const made = await snapshots.finish('turn');
      const end = { type: 'turn_end', turnId: 'turn', status: 'done', changes: made.changes, ms: 1 } as const;
      bus.emit({ sessionKey: 'vscode:bench', event: end });
      await reviews.settled();
    },
  };
}
