import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { expect } from 'vitest';
import { dreamLab, remembered, type DreamLab } from './dreamLab.js';
import { scriptedDream } from './dreamScript.js';
import { seeded } from './killProcess.js';
import { expectAllParse } from './kills.js';

export const replies = Array.from({ length: 20 }, () => scriptedDream);
export const JOURNAL = '.nanobot/dream-run.json';

/** Homes with three unread entries and a history, made by copying the first. */
export async function dreamHomes(): Promise<{ copy(): Promise<string>; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'nanobot-dream-'));
  const lab = dreamLab({ home: join(folder, 'first') });
  lab.write('memory/MEMORY.md', '# Memory\n\n- Of the person\n');
  for (const name of ['SOUL.md', 'USER.md', 'AGENTS.md', 'TOOLS.md', 'HEARTBEAT.md']) lab.write(name, `# ${name}\n`);
  await remembered(lab, '- one', '- two', '- three');
  await lab.git.ensure();
  let copies = 0;
  return {
    copy: () => {
      const home = join(folder, `home-${String(++copies)}`);
      cpSync(join(folder, 'first'), home, { recursive: true });
      return Promise.resolve(home);
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Each entry was learned once, by one Dream; what the person wrote is there; nothing is left open. */
export async function expectOnce(lab: DreamLab, home: string, where: string): Promise<void> {
  const lines = lab.read('memory/MEMORY.md').split('\n');
  for (const n of [1, 2, 3]) {
    expect(
      lines.filter((line) => line === `- Fact of entry ${String(n)}`),
      `${where}: entry ${String(n)}`,
    ).toHaveLength(1);
  }
  expect(lines, where).toContain('- Of the person');
  expect(lab.read('skills/skill-1/SKILL.md'), where).toContain('name: skill-1');
  expect(await lab.history.dreamCursor(), where).toBe(3);
  const log = await lab.git.log(20);
  expect(
    log.filter(({ kind }) => kind === 'dream').map(({ cursors }) => cursors),
    where,
  ).toEqual([[1, 2, 3]]);
  expect(
    log.filter(({ kind }) => kind === 'hand'),
    where,
  ).toEqual([]);
  expect(existsSync(join(home, '.nanobot/dream-run.json')), where).toBe(false);
  expect(await lab.git.commitByHand(), where).toBeUndefined();
  expectAllParse(home, where);
}

/** Kills a real process at so many random moments of a Dream, and expects each time that the next run puts it right. */
export async function killDreamAtRandom(times: number, seed: number): Promise<void> {
  const homes = await dreamHomes();
  const worker = await bundleWorker();
  const random = seeded(seed);
  try {
    const whole = await live(worker, await homes.copy());
    expect(whole.over).toBe(true);
    let killed = 0;
    for (let n = 0; n < times; n++) {
      const after = random() * whole.ms;
      const home = await homes.copy();
      if (!(await live(worker, home, after)).over) killed++;
      const next = dreamLab({ home, replies });
      const outcome = await next.ask();
      const where = `seed ${String(seed)}, kill ${String(n)} after ${after.toFixed(1)} ms: ${JSON.stringify(outcome)}`;
      await expectOnce(next, home, where);
      await rm(home, { recursive: true, force: true });
    }
    // If every life ended before its kill, the test tested nothing.
    expect(killed).toBeGreaterThan(0);
  } finally {
    await rm(worker, { recursive: true, force: true });
    await homes.remove();
  }
}

async function bundleWorker(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nanobot-worker-'));
  await build({
    entryPoints: [join(import.meta.dirname, 'dreamKillWorker.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    loader: { '.md': 'text' },
    outfile: join(folder, 'worker.mjs'),
    banner: { js: "import { createRequire as __r } from 'node:module'; const require = __r(import.meta.url);" },
    logLevel: 'error',
  });
  return folder;
}

/** Dreams once in a process of its own, to the end or until it is killed so many milliseconds after it began. */
async function live(worker: string, home: string, killAfter?: number): Promise<{ over: boolean; ms: number }> {
  const child = spawn(process.execPath, [join(worker, 'worker.mjs'), home], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  let begun = 0;
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes.toString();
    if (begun > 0) return;
    begun = performance.now();
    if (killAfter !== undefined) void sleep(killAfter).then(() => child.kill('SIGKILL'));
  });
  await once(child, 'close');
  return { over: text.includes('over'), ms: performance.now() - begun };
}
