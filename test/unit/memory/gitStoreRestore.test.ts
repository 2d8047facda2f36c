import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOME_FILES, usedLab } from './gitKit.js';

const MEMORY = 'memory/MEMORY.md';
const memory = (...facts: string[]) => `# Memory\n\n## Facts\n\n${facts.map((fact) => `- ${fact}\n`).join('')}`;
const first = ['likes tea', 'lives in Berlin'];

describe('restoring a commit', () => {
  it('undoes that Dream only and leaves later ones in place, even in the next line', async () => {
    const lab = await usedLab();
    const one = await lab.dream({ [MEMORY]: memory(...first, 'has a cat') }, [3]);
    await lab.dream({ [MEMORY]: memory(...first, 'has a cat', 'plays go') }, [4]);
    await lab.dream({ [MEMORY]: memory('likes green tea', 'lives in Berlin', 'has a cat', 'plays go') }, [5]);
    const { commit, conflicts, cursor } = await lab.store.restore(one.sha.slice(0, 7));
    expect(conflicts).toEqual([]);
    expect(lab.read(MEMORY)).toBe(memory('likes green tea', 'lives in Berlin', 'plays go'));
    expect(commit).toMatchObject({
      kind: 'restore',
      message: 'restore: undo "dream: 2026-04-15 15:23, 1 change(s)"',
      restores: one.sha,
      changes: 1,
    });
    // It is not the newest Dream, so nothing is read again.
    expect(cursor).toBeUndefined();
    expect(lab.read('memory/.dream_cursor')).toBe('5');
  });

  it('brings back what a Dream removed beside what later ones added at the same place', async () => {
    const lab = await usedLab();
    const one = await lab.dream({ [MEMORY]: memory('likes tea') }, [3]);
    await lab.dream({ [MEMORY]: memory('likes tea', 'plays go') }, [4]);
    expect((await lab.store.restore(one.sha)).conflicts).toEqual([]);
    expect(lab.read(MEMORY)).toBe(memory('likes tea', 'lives in Berlin', 'plays go'));
  });

  it('rolls the cursor back with the newest Dream, in the file and in the commit', async () => {
    const lab = await usedLab();
    await lab.dream({ 'USER.md': '# User\n\n- name: Ada L.\n' }, [3, 4]);
    const two = await lab.dream({ [MEMORY]: memory(...first, 'has a cat') }, [5, 6, 7]);
    lab.write('USER.md', '# User\n\n- name: A. L.\n');
    await lab.store.commitByHand();
    const { cursor } = await lab.store.restore(two.sha);
    expect(cursor).toBe(4);
    expect(lab.read('memory/.dream_cursor')).toBe('4');
    expect(await lab.store.commitByHand()).toBeUndefined();
    expect((await lab.store.restore((await lab.store.log(1))[0]?.sha ?? '')).cursor).toBe(7);
    expect(lab.read('memory/.dream_cursor')).toBe('7');
  });

  it('does not read again what an earlier Dream read and found nothing in', async () => {
    const lab = await usedLab();
    // Entries 3 to 6 were read by a Dream that made no commit; the next one committed their cursor along.
    const two = await lab.dream({ [MEMORY]: memory(...first, 'has a cat') }, [7, 8]);
    expect((await lab.store.restore(two.sha)).cursor).toBe(6);
  });

  it('takes a Dream for the newest when the later ones are undone, and not when one was brought back', async () => {
    const lab = await usedLab();
    const one = await lab.dream({ 'USER.md': '# User\n\n- name: Ada L.\n' }, [3]);
    const two = await lab.dream({ [MEMORY]: memory(...first, 'has a cat') }, [4]);
    const undone = await lab.store.restore(two.sha);
    expect(undone.cursor).toBe(3);
    expect((await lab.store.restore(one.sha)).cursor).toBe(2);
    await lab.store.restore(undone.commit?.sha ?? '');
    expect(lab.read(MEMORY)).toBe(memory(...first, 'has a cat'));
    await lab.dream({ 'SOUL.md': '# Soul\n\n- calm\n- brief\n' }, [9]);
    expect((await lab.store.restore(two.sha)).cursor).toBeUndefined();
  });

  it('is undone by restoring it, again and again', async () => {
    const lab = await usedLab();
    const dream = await lab.dream({ [MEMORY]: memory(...first, 'has a cat'), 'skills/cat/SKILL.md': 'feed\n' }, [3]);
    const undo = (await lab.store.restore(dream.sha)).commit;
    expect(lab.read(MEMORY)).toBe(memory(...first));
    expect(lab.exists('skills/cat')).toBe(false);
    expect(lab.exists('skills')).toBe(true);
    const redo = (await lab.store.restore(undo?.sha ?? '')).commit;
    expect(redo?.message).toBe('restore: redo "dream: 2026-04-15 15:23, 2 change(s)"');
    expect(lab.read(MEMORY)).toBe(memory(...first, 'has a cat'));
    expect(lab.read('skills/cat/SKILL.md')).toBe('feed\n');
    const again = (await lab.store.restore(redo?.sha ?? '')).commit;
    expect(again?.message).toBe('restore: undo "dream: 2026-04-15 15:23, 2 change(s)"');
    expect(lab.read(MEMORY)).toBe(memory(...first));
    expect((await lab.store.log(10)).map(({ kind }) => kind)).toEqual([
      'restore',
      'restore',
      'restore',
      'dream',
      'other',
    ]);
  });

  it('notes what was rejected, and takes it back with the restore', async () => {
    const lab = await usedLab();
    const dream = await lab.dream({ [MEMORY]: memory('likes coffee', 'lives in Berlin', 'has a cat') }, [3, 4]);
    const undo = await lab.store.restore(dream.sha);
    expect(await lab.store.rejections()).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        file: MEMORY,
        lines: ['- likes coffee', '- has a cat'],
        removed: ['- likes tea'],
        cursors: [3, 4],
        commit: dream.sha,
      },
    ]);
    const redo = await lab.store.restore(undo.commit?.sha ?? '');
    expect(await lab.store.rejections()).toEqual([]);
    await lab.store.restore(redo.commit?.sha ?? '');
    expect(await lab.store.rejections()).toHaveLength(1);
    await lab.store.restore(dream.sha);
    expect(await lab.another().rejections()).toHaveLength(1);
    expect(lab.read('.nanobot/undone.jsonl').trim().split('\n')).toHaveLength(3);
  });

  it('rejects nothing where what is undone is no Dream', async () => {
    const lab = await usedLab();
    lab.write('USER.md', '# User\n');
    const edit = await lab.store.commitByHand();
    await lab.store.restore(edit?.sha ?? '');
    expect(lab.read('USER.md')).toBe(HOME_FILES['USER.md']);
    expect(await lab.store.rejections()).toEqual([]);
  });

  it('writes nothing of a file that later edits changed in the same line, and does the others', async () => {
    const lab = await usedLab();
    const dream = await lab.dream({ [MEMORY]: memory('likes coffee', 'lives in Berlin'), 'USER.md': '# User\n' }, [3]);
    const now = memory('likes cold coffee', 'lives in Berlin');
    lab.write(MEMORY, now);
    const { commit, conflicts, cursor } = await lab.store.restore(dream.sha);
    expect(conflicts).toEqual([
      { path: MEMORY, base: memory('likes coffee', 'lives in Berlin'), current: now, wanted: memory(...first) },
    ]);
    expect(lab.read(MEMORY)).toBe(now);
    expect(lab.read('USER.md')).toBe(HOME_FILES['USER.md']);
    expect(commit?.files).toEqual(['USER.md']);
    expect(cursor).toBe(2);
    expect((await lab.store.rejections()).map(({ file }) => file)).toEqual(['USER.md', MEMORY]);
  });

  it('makes no commit and moves no cursor where all is in conflict, and still knows what was rejected', async () => {
    const lab = await usedLab();
    const dream = await lab.dream({ [MEMORY]: memory('likes coffee', 'lives in Berlin') }, [3]);
    lab.write(MEMORY, memory('likes cold coffee', 'lives in Berlin'));
    const { commit, conflicts, cursor } = await lab.store.restore(dream.sha);
    expect(commit).toBeUndefined();
    expect(conflicts).toHaveLength(1);
    expect(cursor).toBeUndefined();
    expect(await lab.store.rejections()).toHaveLength(1);
  });

  it('commits what was edited by hand first', async () => {
    const lab = await usedLab();
    const dream = await lab.dream({ [MEMORY]: memory(...first, 'has a cat') }, [3]);
    lab.write(MEMORY, memory('likes green tea', 'lives in Berlin', 'has a cat'));
    lab.write('USER.md', '# User\n');
    await lab.store.restore(dream.sha);
    expect(lab.read(MEMORY)).toBe(memory('likes green tea', 'lives in Berlin'));
    const log = await lab.store.log(2);
    expect(log.map(({ kind, files }) => [kind, files])).toEqual([
      ['restore', [MEMORY]],
      ['hand', ['USER.md', MEMORY]],
    ]);
  });

  it('finds nothing to do in what is undone already', async () => {
    const lab = await usedLab();
    const dream = await lab.dream({ [MEMORY]: memory(...first, 'has a cat') }, [3]);
    lab.write(MEMORY, memory(...first));
    expect(await lab.store.restore(dream.sha)).toEqual({ commit: undefined, conflicts: [] });
    // The person undid it by hand and says so now: that counts.
    expect(await lab.store.rejections()).toHaveLength(1);
  });

  it('leaves a file deleted that was deleted since, and asks about a skill that was worked on since', async () => {
    const lab = await usedLab();
    const dream = await lab.dream({ 'USER.md': '# User\n', 'skills/cat/SKILL.md': 'feed\n' }, [3]);
    lab.remove('USER.md');
    lab.write('skills/cat/SKILL.md', 'feed twice\n');
    const { conflicts } = await lab.store.restore(dream.sha);
    expect(lab.exists('USER.md')).toBe(false);
    expect(conflicts).toEqual([{ path: 'skills/cat/SKILL.md', base: 'feed\n', current: 'feed twice\n', wanted: '' }]);
    expect(lab.read('skills/cat/SKILL.md')).toBe('feed twice\n');
  });

  it('brings a deleted skill back with its script as it was', async () => {
    const lab = await usedLab();
    lab.write('skills/cat/SKILL.md', 'feed\n');
    lab.write('skills/cat/scripts/feed.sh', '#!/bin/sh\n');
    const { chmodSync } = await import('node:fs');
    chmodSync(join(lab.home, 'skills/cat/scripts/feed.sh'), 0o755);
    await lab.store.commitByHand();
    lab.remove('skills/cat');
    const deleted = await lab.store.commitByHand();
    expect((await lab.store.restore(deleted?.sha ?? '')).conflicts).toEqual([]);
    expect(lab.read('skills/cat/SKILL.md')).toBe('feed\n');
    expect(statSync(join(lab.home, 'skills/cat/scripts/feed.sh')).mode & 0o111).toBe(0o111);
    expect(await lab.store.commitByHand()).toBeUndefined();
  });

  it('keeps what else lies in the folder of a skill it removes', async () => {
    const lab = await usedLab();
    const dream = await lab.dream({ 'skills/cat/SKILL.md': 'feed\n' });
    lab.write('skills/cat/photo.jpg', 'x'.repeat(2 * 1024 * 1024));
    await lab.store.restore(dream.sha);
    expect(lab.exists('skills/cat/SKILL.md')).toBe(false);
    expect(lab.exists('skills/cat/photo.jpg')).toBe(true);
  });

  it('writes through no link, and says so', async () => {
    const lab = await usedLab();
    lab.write('skills/cat/SKILL.md', 'feed\n');
    await lab.store.commitByHand();
    lab.remove('skills/cat/SKILL.md');
    const deleted = await lab.store.commitByHand();
    mkdirSync(join(lab.root, 'outside'));
    lab.remove('skills/cat');
    symlinkSync(join(lab.root, 'outside'), join(lab.home, 'skills/cat'));
    expect((await lab.store.restore(deleted?.sha ?? '')).commit).toBeUndefined();
    expect(lab.exists('../outside/SKILL.md')).toBe(false);
    expect(lab.notices.join()).toContain('skills/cat/SKILL.md was left as it is');
  });

  it('merges no binary file that changed since, and says so', async () => {
    const lab = await usedLab();
    lab.write('skills/cat/a.png', '\0one');
    await lab.store.commitByHand();
    lab.write('skills/cat/a.png', '\0two');
    const two = await lab.store.commitByHand();
    lab.write('skills/cat/a.png', '\0three');
    expect((await lab.store.restore(two?.sha ?? '')).commit).toBeUndefined();
    expect(lab.read('skills/cat/a.png')).toBe('\0three');
    expect(lab.notices.join()).toContain('skills/cat/a.png was left as it is');
    lab.write('skills/cat/a.png', '\0two');
    expect((await lab.store.restore(two?.sha ?? '')).commit?.files).toEqual(['skills/cat/a.png']);
    expect(lab.read('skills/cat/a.png')).toBe('\0one');
  });

  it('keeps the line ends and the byte order mark that an editor gave the file', async () => {
    const lab = await usedLab();
    const dream = await lab.dream({ [MEMORY]: memory(...first, 'has a cat') }, [3]);
    lab.write(MEMORY, `\ufeff${memory(...first, 'has a cat', 'plays go').replaceAll('\n', '\r\n')}`);
    expect((await lab.store.restore(dream.sha)).conflicts).toEqual([]);
    expect(lab.read(MEMORY)).toBe(`\ufeff${memory(...first, 'plays go').replaceAll('\n', '\r\n')}`);
  });

  it('takes nothing back of the first commit', async () => {
    const lab = await usedLab();
    const [init] = await lab.store.log(1);
    await expect(lab.store.restore(init?.sha ?? '')).rejects.toThrow('there is nothing before it');
    expect(readFileSync(join(lab.home, MEMORY), 'utf8')).toBe(HOME_FILES[MEMORY]);
  });
});
