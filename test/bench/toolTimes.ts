import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../../src/app.js';
import { toolContext, type NodeLab } from './nodeLab.js';
import { median, type Row } from './table.js';

const FILES = 100_000;

/** The `exec` tool with a command that does nothing, and the bare shell with the same. */
export async function measureCommands(lab: NodeLab): Promise<Row[]> {
  const app = await lab.app();
  const [ours, bare] = await alternating(25, [
    () => call(app, 'exec', { command: 'true' }),
    () => spawned('bash', ['-c', 'true'], lab.project),
  ]);
  await app.close();
  const [values, baseline] = [ours ?? [], median(bare ?? [])];
  return [
    {
      name: 'exec true',
      unit: 'ms',
      values,
      baseline,
      judged: median(values) - baseline,
      judgedAs: 'ms more',
      budget: 25,
    },
  ];
}

/** `grep` and `glob` in 100,000 small files, and ripgrep itself with the same: for `glob` the newest change first, as the tool promises. */
export async function measureSearching(lab: NodeLab): Promise<Row[]> {
  const tree = makeTree();
  const app = await lab.app(tree);
  const [grep, rg, glob, rgFiles] = await alternating(7, [
    () => call(app, 'grep', { pattern: 'needle_[0-9]+' }),
    () => spawned('rg', ['-l', '--hidden', '-g', '!.git', 'needle_[0-9]+', tree], tree),
    () => call(app, 'glob', { pattern: '**/*77.txt' }),
    () => spawned('rg', ['--files', '--hidden', '--sortr=modified', '-g', '**/*77.txt', '-g', '!.git', tree], tree),
  ]);
  await app.close();
  const row = (name: string, values: number[] = [], bare: number[] = []): Row => ({
    name,
    unit: 'ms',
    values,
    baseline: median(bare),
    judged: median(values) / median(bare),
    judgedAs: '×',
    budget: 1.3,
  });
  return [row('grep in 100,000 files', grep, rg), row('glob in 100,000 files', glob, rgFiles)];
}

/** Runs the things one after the other, again and again, and gives the times of each without the first round. */
async function alternating(rounds: number, things: (() => Promise<unknown>)[]): Promise<number[][]> {
  const times = things.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, thing] of things.entries()) {
      const start = performance.now();
      await thing();
      if (round > 0) times[index]?.push(performance.now() - start);
    }
  }
  return times;
}

/** Calls a tool as the runner does, past approval. */
export async function call(app: App, name: string, args: object): Promise<string> {
  const tool = app.tools.find(name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return (await tool.run(tool.schema.parse(args), toolContext())).text;
}

function spawned(command: string, args: string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
    child.on('error', reject);
    child.on('close', () => {
      resolve();
    });
  });
}

/** The tree is made once a machine: one file in a thousand has what is looked for. */
function makeTree(): string {
  const tree = join(tmpdir(), `nanobot-bench-tree-${String(FILES)}`);
  if (existsSync(join(tree, 'complete'))) return tree;
  for (let n = 0; n < FILES; n++) {
    const folder = join(tree, `d${String(Math.floor(n / 1_000))}`, `e${String(Math.floor(n / 100) % 10)}`);
    if (n % 100 === 0) mkdirSync(folder, { recursive: true });
    const needle = n % 1_000 === 500 ? `needle_${String(n)}` : 'hay';
    writeFileSync(
      join(folder, `f${String(n)}.txt`),
      `line one of file ${String(n)}\n${'some words that fill a line\n'.repeat(6)}${needle}\n`,
    );
  }
  writeFileSync(join(tree, 'complete'), '');
  return tree;
}
