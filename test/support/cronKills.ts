import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { REQUIRE_BANNER } from './requireBanner.js';
import { until } from './until.js';

/** A minute of the schedules takes so many milliseconds. */
const SPEED = 120;
const MINUTE = 60_000;

/** Bundles the worker into this folder; resolves with its path. */
export async function buildCronWorker(folder: string): Promise<string> {
  const outfile = join(folder, 'cronWorker.mjs');
  const entry = join(import.meta.dirname, 'cronWorker.ts');
  const banner = { js: REQUIRE_BANNER };
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner,
    outfile,
    logLevel: 'error',
  });
  return outfile;
}

/**
 * Three processes on one home with three jobs a minute, of which one is killed at a random moment: resolves with what ran, a line a run, and with the
 * due times that passed while at least two lived.
 */
export async function cronRound(
  worker: string,
  home: string,
  random: () => number,
): Promise<{ ran: string[]; jobs: unknown }> {
  mkdirSync(join(home, 'cron'), { recursive: true });
  const began = Math.floor(Date.now() / MINUTE) * MINUTE;
  const job = (id: string) => ({
    id,
    name: id,
    enabled: true,
    schedule: { kind: 'cron', expr: '* * * * *', tz: 'UTC' },
    payload: { kind: 'agent_turn', message: 'x' },
    state: {},
    createdAtMs: began,
    updatedAtMs: began,
  });
  writeFileSync(join(home, 'cron', 'jobs.json'), JSON.stringify({ jobs: ['a', 'b', 'c'].map(job) }));
  const env = { ...process.env, CRON_BEGAN: String(Date.now()) };
  const windows = [1, 2, 3].map((n) =>
    spawn(process.execPath, [worker, home, `window-${String(n)}`, String(SPEED)], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  try {
    await Promise.all(windows.map((window) => once(window.stdout, 'data')));
    const lines = () =>
      existsSync(join(home, 'ran.txt')) ? readFileSync(join(home, 'ran.txt'), 'utf8').trim().split('\n') : [];
    await until('the first runs', () => lines().length >= 3);
    await sleep(Math.floor(random() * 400));
    const victim = windows[Math.floor(random() * windows.length)];
    const before = lines().length;
    victim?.kill('SIGKILL');
    await until('runs after the kill', () => lines().length >= before + 6);
    await end(windows);
    return { ran: lines(), jobs: JSON.parse(readFileSync(join(home, 'cron', 'jobs.json'), 'utf8')) };
  } finally {
    for (const window of windows) window.kill('SIGKILL');
  }
}

async function end(windows: ChildProcess[]): Promise<void> {
  await Promise.all(
    windows.map(async (window) => {
      if (window.exitCode !== null || window.signalCode !== null) return;
      const gone = once(window, 'exit');
      window.kill('SIGTERM');
      await gone;
    }),
  );
}

/** Runs that were begun twice for one due time. */
export function twice(ran: readonly string[]): string[] {
  const seen = new Set<string>();
  return ran.filter((line) => {
    const [id, dueAt] = line.split(' ');
    const key = `${id ?? ''} ${dueAt ?? ''}`;
    const isSecond = seen.has(key);
    seen.add(key);
    return isSecond;
  });
}
