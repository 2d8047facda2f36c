import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitLab, hasGit, HOME_FILES, usedLab, type GitLab } from './gitKit.js';
import { bundleGitWorker, copyOf, cutOffFiles, dyingPorts, expectWhole, killGitAtRandom, work } from './gitKillKit.js';
import { storeOn } from './gitStoreOn.js';

let worker: Awaited<ReturnType<typeof bundleGitWorker>>;
beforeAll(async () => {
  worker = await bundleGitWorker();
});
afterAll(() => worker.remove());

/** Runs work in a process that dies at its write step number `at`; true where it came to its end before. */
async function dies(lab: GitLab, at: number, run: (store: GitLab['store']) => Promise<unknown>): Promise<boolean> {
  const { store, leases } = storeOn(lab.home, dyingPorts(at));
  const over = await run(store).then(
    () => true,
    () => false,
  );
  await leases.dispose().catch(() => undefined);
  return over;
}

describe('a process that dies', () => {
  it('at any write of the first start leaves none or a whole history', async () => {
    for (let at = 0, over = false; !over; at += 1) {
      const lab = await gitLab();
      for (const [path, text] of Object.entries(HOME_FILES)) lab.write(path, text);
      over = await dies(lab, at, (store) => store.ensure());
      await expectWhole(lab);
      expect((await lab.store.log(9)).map(({ message }) => message)).toEqual(['init: memory history']);
    }
  }, 60_000);

  it('at any write of a restore leaves each file old or new, and nothing undone comes back', async () => {
    const made = await usedLab();
    const before = { 'USER.md': made.read('USER.md'), 'memory/MEMORY.md': made.read('memory/MEMORY.md') };
    const after = { 'USER.md': '# User\n\n- Dreamt\n', 'memory/MEMORY.md': '# Memory\n\n- dreamt\n' };
    const dream = await made.dream({ ...after, 'skills/a/SKILL.md': 'a\n' }, [3]);
    for (let at = 0, over = false; !over; at += 1) {
      const lab = await copyOf(made);
      over = await dies(lab, at, (store) => store.restore(dream.sha));
      for (const path of ['USER.md', 'memory/MEMORY.md'] as const) {
        expect([before[path], after[path]]).toContain(lab.read(path));
      }
      await expectWhole(lab, [dream.sha]);
      const begun = lab.read('USER.md') === before['USER.md'] || !lab.exists('skills/a');
      if (begun) expect(await lab.store.rejections()).toHaveLength(3);
      await lab.store.restore(dream.sha);
      expect({ 'USER.md': lab.read('USER.md'), 'memory/MEMORY.md': lab.read('memory/MEMORY.md') }).toEqual(before);
      expect(lab.exists('skills/a')).toBe(false);
      expect(await lab.store.rejections()).toHaveLength(3);
    }
  }, 60_000);

  it('by SIGKILL at random moments loses no commit it told of', async () => {
    await killGitAtRandom(worker.path, 5, 20260415);
  }, 120_000);
});

describe('two processes', () => {
  it('write one line of commits, each of which stays', async () => {
    const lab = await usedLab();
    const told = await Promise.all([work(worker.path, lab.home, 'left', 6), work(worker.path, lab.home, 'right', 6)]);
    await expectWhole(lab, told.flat());
    for (const name of ['left', 'right']) expect(lab.read(`skills/${name}/SKILL.md`)).toMatch(/round [56]/);
    if (hasGit) expect(lab.git('log', '--merges', '--format=%s')).toBe('');
  }, 60_000);
});

describe('a file of the history that was cut off', () => {
  it('never keeps the next Dream from being committed', async () => {
    await cutOffFiles(10, 7);
  }, 60_000);
});
