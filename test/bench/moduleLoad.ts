import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Row } from './table.js';

const RUNS = 9;

interface Loaded {
  entryMs: number;
  entryHeap: number;
  agentMs: number;
  agentHeap: number;
}

/** Loads the packaged form of entry and agent in fresh processes, with a `vscode` that is empty. */
export async function measureLoading(extension: string): Promise<Row[]> {
  // Beside the extension, where its chunks find it and where it is no part of it.
  const stub = join(extension, '..', 'node_modules', 'vscode');
  mkdirSync(stub, { recursive: true });
  writeFileSync(join(stub, 'index.js'), 'module.exports = {};');
  const chunk = readdirSync(join(extension, 'dist', 'chunks')).find((name) => /^host-.*\.js$/.test(name));
  if (!chunk) throw new Error(`There is no host chunk in ${extension}/dist/chunks.`);
  const script = join(extension, '..', 'load.mjs');
  writeFileSync(script, loader(join(extension, 'dist', 'extension.js'), join(extension, 'dist', 'chunks', chunk)));
  const runs = Array.from({ length: RUNS }, () => {
    return JSON.parse(execFileSync(process.execPath, ['--expose-gc', script], { encoding: 'utf8' })) as Loaded;
  });
  const row = (name: string, field: keyof Loaded, unit: Row['unit'], budget?: number): Row => ({
    name,
    unit,
    values: runs.map((run) => run[field]),
    ...(budget === undefined ? {} : { budget }),
  });
  return [
    row('module load, entry', 'entryMs', 'ms', 25),
    row('module load, agent chunk', 'agentMs', 'ms', 150),
    row('heap after loading the entry', 'entryHeap', 'MB', 8),
    row('heap after loading the agent', 'agentHeap', 'MB', 40),
  ];
}

/** An import that fails (a class that extends one of the empty `vscode`) ends the process, and with it the benchmark. */
function loader(entry: string, agent: string): string {
  const url = (path: string) => JSON.stringify(pathToFileURL(path).href);
  return `import 'node:fs/promises';
gc();
const heap = () => { gc(); return process.memoryUsage().heapUsed / 1e6; };
const before = heap();
const start = performance.now();
await import(${url(entry)});
const loaded = performance.now();
const entryHeap = heap() - before;
const again = performance.now();
await import(${url(agent)});
const end = performance.now();
console.log(JSON.stringify({ entryMs: loaded - start, entryHeap, agentMs: end - again, agentHeap: heap() - before }));
`;
}
