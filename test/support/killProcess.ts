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
import { requireBanner } from '../../scripts/lib/bundles.mjs';
import { tempHome } from './tempHome.js';

/** The bundle of a worker of this folder, in a folder of its own; `remove` takes it away. */
export async function bundleWorker(entry = 'killWorker.ts'): Promise<{ path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'nanobot-worker-'));
  await build({
    entryPoints: { worker: join(import.meta.dirname, entry) },
    bundle: true,
    // As the real bundle is: what is loaded late must not change the order in which the rest begins.
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    loader: { '.md': 'text' },
    mainFields: ['module', 'main'],
    banner: { js: requireBanner },
    // The ports find the shell grammar from where their source lies.
    define: { 'import.meta.dirname': JSON.stringify(import.meta.dirname) },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
  });
  return { path: join(folder, 'worker.mjs'), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** A worker's life: what it printed, and how it ended. */
export interface Life {
  said: string;
  /** Milliseconds from its first words to its last. */
  ms: number;
  /** False where it was killed before it was done. */
  over: boolean;
}

/** Runs a worker until it is over, or until it is killed so many milliseconds after its first words. One that ends in another way is an error. */
export async function live(worker: string, args: string[], killAfter?: number): Promise<Life> {
  const child = spawn(process.execPath, [worker, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const printed: Buffer[] = [];
  let begun = 0;
  let last = 0;
  child.stdout.on('data', (bytes: Buffer) => {
    last = performance.now();
    if (printed.push(bytes) > 1) return;
    begun = last;
    if (killAfter !== undefined) void sleep(killAfter).then(() => child.kill('SIGKILL'));
  });
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const said = Buffer.concat(printed).toString('utf8');
  const over = /^(?:over|\{"type":"over"\})$/.test(said.trimEnd().split('\n').at(-1) ?? '');
  if (!over) expect(signal, `how a worker ended that had said: ${said.slice(-200)}`).toBe('SIGKILL');
  return { said, ms: last - begun, over };
}

/**
 * Lives until so many lives were cut off, each at a random moment of a whole one. What a whole one takes depends on the machine and on who else uses
 * it: a life that was over before its kill does not count, and shortens the time in which the next moments lie.
 */
export async function killLives(
  { times, ms, random }: { times: number; ms: number; random: () => number },
  life: (after: number, where: string) => Promise<Life>,
): Promise<void> {
  let within = ms;
  for (let killed = 0, n = 0; killed < times; n++) {
    const after = random() * within;
    const { over, ms: taken } = await life(after, `kill ${String(n)} after ${after.toFixed(1)} ms`);
    if (over) within = Math.min(within, taken);
    else killed++;
  }
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
  const server = await startModelServer(scripted(turns));
  const run = (root: string, after?: number) => live(worker.path, [root, server.url, ...Object.keys(turns)], after);
  try {
    const { ms } = await run(await freshRoot());
    await killLives({ times, ms, random: seeded(seed) }, async (after, where) => {
      const root = await freshRoot();
      server.requests.length = 0;
      const life = await run(root, after);
      await expectSurvived(root, announced(life), server, `seed ${String(seed)}, ${where}`);
      return life;
    });
  } finally {
    await server.close();
    await worker.remove();
  }
}

function announced({ said }: Life): AgentEvent[] {
  return said
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AgentEvent | { type: 'ready' | 'over' })
    .filter((event): event is AgentEvent => event.type !== 'ready' && event.type !== 'over');
}

async function freshRoot(): Promise<string> {
  const { root } = await tempHome();
  mkdirSync(join(root, 'project'), { recursive: true });
  for (const [name, content] of Object.entries(KILL_FILES)) writeFileSync(join(root, 'project', name), content);
  return root;
}
