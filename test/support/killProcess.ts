import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { expect } from 'vitest';
import type { AgentEvent } from '../../src/protocol/event.js';
import { KILL_FILES, scripted, type KillTurn } from './killScript.js';
import { expectSurvived } from './kills.js';
import { startModelServer } from './modelServer.js';
import { tempHome } from './tempHome.js';

/** The bundle of a worker of this folder, in a folder of its own; `remove` takes it away. */
export async function bundleWorker(entry = 'killWorker.ts'): Promise<{ path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'nanobot-worker-'));
  const path = join(folder, 'worker.mjs');
  const banner =
    "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";
  await build({
    entryPoints: [join(import.meta.dirname, entry)],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    loader: { '.md': 'text' },
    mainFields: ['module', 'main'],
    banner: { js: banner },
    // The ports find the shell grammar from where their source lies.
    define: { 'import.meta.dirname': JSON.stringify(import.meta.dirname) },
    outfile: path,
    logLevel: 'error',
  });
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}

interface Life {
  announced: AgentEvent[];
  /** Milliseconds from the first message to the last event. */
  ms: number;
  over: boolean;
}

/** Runs the worker in this home until it is over, or until it is killed so many milliseconds after it began its first turn. */
async function live(worker: string, root: string, url: string, messages: string[], killAfter?: number): Promise<Life> {
  const child = spawn(process.execPath, [worker, root, url, ...messages], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  let begun = 0;
  let last = 0;
  const kill = async () => {
    await sleep(killAfter ?? 0);
    child.kill('SIGKILL');
  };
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
    if (begun > 0) last = performance.now();
    if (begun > 0 || !text.includes('"ready"')) return;
    begun = performance.now();
    if (killAfter !== undefined) void kill();
  });
  await once(child, 'close');
  const events = Buffer.from(text, 'latin1')
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AgentEvent | { type: 'ready' | 'over' });
  return {
    announced: events.filter((event): event is AgentEvent => event.type !== 'ready' && event.type !== 'over'),
    ms: last - begun,
    over: events.at(-1)?.type === 'over',
  };
}

/** A small generator of numbers from 0 to 1 that gives the same ones for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Kills a real process at so many random moments of these turns, and expects after each that nothing shown is lost and nothing runs twice. */
export async function killAtRandom(turns: Record<string, KillTurn>, times: number, seed: number): Promise<void> {
  const worker = await bundleWorker();
  const random = seeded(seed);
  const server = await startModelServer(scripted(turns));
  try {
    const first = await live(worker.path, await freshRoot(), server.url, Object.keys(turns));
    expect(first.over).toBe(true);
    let { ms } = first;
    let killed = 0;
    for (let n = 0; n < times; n++) {
      const after = random() * ms;
      const where = `seed ${String(seed)}, kill ${String(n)} after ${after.toFixed(1)} ms`;
      const root = await freshRoot();
      server.requests.length = 0;
      const life = await live(worker.path, root, server.url, Object.keys(turns), after);
      if (life.over) ms = Math.min(ms, life.ms);
      else killed++;
      await expectSurvived(root, life.announced, server, where);
    }
    // If every life ended before its kill, the test tested nothing.
    expect(killed).toBeGreaterThan(0);
  } finally {
    await server.close();
    await worker.remove();
  }
}

async function freshRoot(): Promise<string> {
  const { root } = await tempHome();
  mkdirSync(join(root, 'project'), { recursive: true });
  for (const [name, content] of Object.entries(KILL_FILES)) writeFileSync(join(root, 'project', name), content);
  return root;
}
