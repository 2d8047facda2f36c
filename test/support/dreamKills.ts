import { cpSync, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { dreamLab, remembered, type DreamLab } from './dreamLab.js';
import { scriptedDream } from './dreamScript.js';
import { bundleWorker, killLives, live, seeded } from './killProcess.js';
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
  const worker = await bundleWorker('dreamKillWorker.ts');
  try {
    const { ms } = await live(worker.path, [await homes.copy()]);
    await killLives({ times, ms, random: seeded(seed) }, async (after, where) => {
      const home = await homes.copy();
      const life = await live(worker.path, [home], after);
      const next = dreamLab({ home, replies });
      const outcome = await next.ask();
      await expectOnce(next, home, `seed ${String(seed)}, ${where}: ${JSON.stringify(outcome)}`);
      await rm(home, { recursive: true, force: true });
      return life;
    });
  } finally {
    await worker.remove();
    await homes.remove();
  }
}
