import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../../src/platform/nodeFiles.js';
import { nodeIdentity } from '../../../../src/platform/nodeIdentity.js';
import type { Files, Processes } from '../../../../src/platform/ports.js';
import { dreamHomes, expectOnce, JOURNAL, killDreamAtRandom, replies } from '../../../support/dreamKills.js';
import { dreamLab } from '../../../support/dreamLab.js';
import { expectAllParse } from '../../../support/kills.js';
import { until } from '../../../support/until.js';
import { dyingPorts } from '../gitKillKit.js';

let homes: Awaited<ReturnType<typeof dreamHomes>>;
beforeAll(async () => {
  homes = await dreamHomes();
  return () => homes.remove();
});

/** What the kills met, so that the test shows that it reached what it is for. */
interface Met {
  /** A run was cut off before its cursor moved, and taken back. */
  takenBack: number;
  /** Only the commit was missing, and was made. */
  finished: number;
  /** All was done already. */
  done: number;
}

describe('a process that is killed while it dreams', () => {
  it('at any write step: the next run heals, no entry is learned twice, and none is lost', async () => {
    const met: Met = { takenBack: 0, finished: 0, done: 0 };
    for (let at = 0, survived = false; !survived; at++) {
      const home = await homes.copy();
      const where = `killed at step ${String(at)}`;
      const dying = dreamLab({ home, replies, ...dyingPorts(at) });
      survived = (await dying.ask()).kind === 'learned' && !dying.logged.join().includes('could not be noted');
      const cutOff = existsSync(join(home, JOURNAL));
      const next = dreamLab({ home, replies });
      const committed = (await next.git.log(5)).some(({ kind }) => kind === 'dream');
      const after = await next.ask();
      expect(['learned', 'nothing'], `${where}: ${JSON.stringify(after)}`).toContain(after.kind);
      await expectOnce(next, home, where);
      if (next.logged.join().includes('was taken back')) met.takenBack++;
      else if (cutOff && !committed) met.finished++;
      else if (after.kind === 'nothing') met.done++;
      expect(at, 'the steps of a Dream').toBeLessThan(300);
    }
    expect(Object.values(met).every((count) => count > 0)).toBe(true);
  }, 120_000);

  it('and a person edits before the next run: their edit stays, and is theirs', async () => {
    for (const cut of ['MEMORY.md', 'SKILL.md', '.dream_cursor']) {
      const home = await homes.copy();
      const dying = dreamLab({ home, replies, ...dyingAfter(cut) });
      await dying.ask();
      expect(existsSync(join(home, JOURNAL)), cut).toBe(true);
      const next = dreamLab({ home, replies });
      expect(next.read('memory/MEMORY.md'), cut).toContain('- Fact of entry 1');
      next.write(
        'memory/MEMORY.md',
        next.read('memory/MEMORY.md').replace('- Of the person', '- Of the person, and more'),
      );
      await next.ask();
      const text = next.read('memory/MEMORY.md');
      expect(text, cut).toContain('- Of the person, and more\n');
      expect(text.match(/Fact of entry 1$/gm), cut).toHaveLength(1);
      expect(await next.history.dreamCursor(), cut).toBe(3);
      expect(existsSync(join(home, JOURNAL)), cut).toBe(false);
    }
  });

  it('while it sets a batch aside: it is set aside once, and the next batch is read', async () => {
    for (let at = 0, survived = false; !survived; at++) {
      const home = await homes.copy();
      const where = `killed at step ${String(at)}`;
      const first = dreamLab({ home, replies: ['prose', 'prose'] });
      await first.ask();
      await first.ask();
      const dying = dreamLab({ home, replies: ['prose'], ...dyingPorts(at) });
      await dying.ask();
      survived = dying.notices.length > 0 && !dying.logged.join().includes('could not be noted');
      const next = dreamLab({ home, replies: ['prose', '[SKIP]', '[SKIP]'] });
      while (next.requests.length < 3 && (await next.ask()).kind === 'failed');
      expect(await next.history.dreamCursor(), where).toBe(3);
      const kept = JSON.parse(next.read('.nanobot/quarantine/dream-1-3.json')) as { entries: object[] };
      expect(kept.entries, where).toHaveLength(3);
      expect(next.read('memory/MEMORY.md'), where).toBe('# Memory\n\n- Of the person\n');
      expectAllParse(home, where);
    }
  }, 60_000);

  it('in the middle of writing a skill: what is left of it does not stand in the way of the skill', async () => {
    const home = await homes.copy();
    await dreamLab({ home, replies, ...dyingAfter('dream-run.json') }).ask();
    const next = dreamLab({ home, replies });
    next.write('skills/skill-1/SKILL.md.0a1b2c3d4e5f.tmp', '---\nname: sk');
    expect(await next.ask()).toMatchObject({ kind: 'learned' });
    await expectOnce(next, home, 'half a skill');
  });

  it('at 8 random moments, as a real process: the same', async () => {
    const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
    console.log(`random kills of a Dream with KILL_SEED=${String(seed)}`);
    await killDreamAtRandom(8, seed);
  }, 120_000);

  it('is found at the start already: what was half done does not wait for the next Dream', async () => {
    const home = await homes.copy();
    await dreamLab({ home, replies, ...dyingAfter('MEMORY.md') }).ask();
    const next = dreamLab({ home, replies });
    next.dream.start();
    await until('the file as it was', () => next.read('memory/MEMORY.md') === '# Memory\n\n- Of the person\n');
    await next.dream.dispose();
    expect(next.requests).toEqual([]);
    expect(existsSync(join(home, JOURNAL))).toBe(false);
  });
});

/** A process that dies once it has written this file. */
function dyingAfter(name: string): { files: Files; processes: Processes } {
  const files = nodeFiles();
  let dead = false;
  const alive = () => {
    if (dead) throw Object.assign(new Error('EIO: the process is gone'), { code: 'EIO' });
  };
  const wrapped = Object.fromEntries(
    Object.entries(files).map(([method, run]) => [
      method,
      method === 'watch'
        ? run
        : async (path: string, ...rest: unknown[]) => {
            alive();
            const result: unknown = await (run as (...args: unknown[]) => Promise<unknown>)(path, ...rest);
            if (/^(writeAtomic|createExclusive)$/.test(method) && path.endsWith(name)) dead = true;
            return result;
          },
    ]),
  ) as unknown as Files;
  return { files: wrapped, processes: { ...nodeIdentity(), pid: 999_999_999 } };
}
