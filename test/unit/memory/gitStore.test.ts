import { chmodSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { MAX_FILE } from '../../../src/memory/git/disk.js';
import { maskedText } from '../../../src/memory/git/masked.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { gitLab, hasGit, usedLab } from './gitKit.js';

describe('GitStore', () => {
  it('begins with what the files say, and knows nothing of other files', async () => {
    const lab = await gitLab();
    lab.write('SOUL.md', '# Soul\n');
    lab.write('skills/tea/SKILL.md', '---\nname: tea\n---\nBoil.\n');
    lab.write('sessions/cli_direct.jsonl', '{}\n');
    lab.write('memory/history.jsonl', '{}\n');
    lab.write('memory/2026-04-15.md', '# 2026-04-15\n');
    await lab.store.ensure();
    const [first, ...rest] = await lab.store.log(10);
    expect(rest).toEqual([]);
    expect(first).toMatchObject({ kind: 'other', message: 'init: memory history', changes: 2 });
    expect(first?.files).toEqual(['SOUL.md', 'skills/tea/SKILL.md']);
    await lab.store.ensure();
    expect(await lab.store.log(10)).toHaveLength(1);
  });

  it('has nothing to tell and makes nothing before the first write', async () => {
    const lab = await gitLab();
    expect(await lab.store.log(5)).toEqual([]);
    expect(await lab.store.rejections()).toEqual([]);
    await expect(lab.store.show('abcd')).rejects.toThrow('There is no memory commit "abcd"');
    expect(readdirSync(lab.home)).toEqual([]);
  });

  it('commits what a person changed as edited by hand, and nothing twice', async () => {
    const lab = await usedLab();
    expect(await lab.store.commitByHand()).toBeUndefined();
    lab.write('USER.md', '# User\n\n- name: Grace\n');
    lab.remove('SOUL.md');
    const commit = await lab.store.commitByHand();
    expect(commit).toMatchObject({ message: 'edit: by hand', kind: 'hand', changes: 2, files: ['SOUL.md', 'USER.md'] });
    expect(await lab.store.commitByHand()).toBeUndefined();
    const { files } = await lab.store.show(commit?.sha ?? '');
    expect(files).toEqual([
      { path: 'SOUL.md', before: '# Soul\n\n- calm\n', after: undefined },
      { path: 'USER.md', before: '# User\n\n- name: Ada\n', after: '# User\n\n- name: Grace\n' },
    ]);
  });

  it('makes the message of a Dream from the real diff, and reads entries and practice from it', async () => {
    const lab = await usedLab();
    const commit = await lab.dream(
      {
        'memory/MEMORY.md':
          '# Memory\n\n## Facts\n\n- likes green tea\n- lives in Berlin\n\n## Project x\n\n- uses pnpm\n',
        'skills/brew/SKILL.md': 'one\ntwo\nthree\n',
      },
      [7, 3, 4, 5],
    );
    expect(commit).toMatchObject({ message: 'dream: 2026-04-15 15:23, 3 change(s)', kind: 'dream', changes: 3 });
    expect(commit.cursors).toEqual([3, 4, 5, 7]);
    expect(commit.practice).toBeUndefined();
    expect(commit.files).toEqual(['memory/MEMORY.md', 'skills/brew/SKILL.md']);
    expect(await lab.store.log(1)).toEqual([commit]);
  });

  it('makes no commit of a cursor that moved alone, and takes it into the next one', async () => {
    const lab = await usedLab();
    lab.write('memory/.dream_cursor', '9');
    expect(await lab.store.commit(() => 'dream: x')).toBeUndefined();
    expect(await lab.store.commitByHand()).toBeUndefined();
    if (hasGit) expect(lab.git('rev-list', '--count', 'HEAD').trim()).toBe('1');
    lab.write('USER.md', '# User\n');
    expect((await lab.store.commitByHand())?.files).toEqual(['USER.md']);
    if (hasGit) expect(lab.git('show', 'HEAD:memory/.dream_cursor')).toBe('9');
  });

  it('tells of the past in pieces, newest first', async () => {
    const lab = await usedLab();
    for (let n = 1; n <= 5; n++) await lab.dream({ 'USER.md': `# User\n\n- fact ${String(n)}\n` }, [n + 2]);
    const log = await lab.store.log(3);
    expect(log.map(({ cursors }) => cursors)).toEqual([[7], [6], [5]]);
    expect(await lab.another().log(3)).toEqual(log);
    expect(await lab.store.log(100)).toHaveLength(6);
  });

  it('finds a commit by a shortened sha, and says what it cannot find', async () => {
    const lab = await usedLab();
    const commit = await lab.dream({ 'USER.md': '# User\n\n- one\n' });
    expect((await lab.store.show(commit.sha.slice(0, 8).toUpperCase())).commit).toEqual(commit);
    for (const sha of ['ffffffff', 'f'.repeat(40), 'abc', '../../SOUL.md', '', 'HEAD']) {
      await expect(lab.store.show(sha)).rejects.toThrow('There is no memory commit');
      await expect(lab.store.restore(sha)).rejects.toThrow('There is no memory commit');
    }
  });

  it('keeps skills with their folders, scripts and deletions', async () => {
    const lab = await usedLab();
    lab.write('skills/a/SKILL.md', 'a\n');
    lab.write('skills/a/scripts/run.sh', '#!/bin/sh\n');
    chmodSync(join(lab.home, 'skills/a/scripts/run.sh'), 0o755);
    lab.write('skills/b/SKILL.md', 'b\n');
    const added = await lab.store.commitByHand();
    expect(added?.files).toEqual(['skills/a/SKILL.md', 'skills/a/scripts/run.sh', 'skills/b/SKILL.md']);
    lab.remove('skills/a');
    lab.remove('skills/b');
    lab.write('skills/b', 'a file now\n');
    const removed = await lab.store.commitByHand();
    expect(removed?.files).toEqual(['skills/a/SKILL.md', 'skills/a/scripts/run.sh', 'skills/b', 'skills/b/SKILL.md']);
    lab.remove('skills/b');
    lab.write('skills/b/deep/SKILL.md', 'b\n');
    expect((await lab.store.commitByHand())?.files).toEqual(['skills/b', 'skills/b/deep/SKILL.md']);
    lab.remove('skills');
    expect((await lab.store.commitByHand())?.files).toEqual(['skills/b/deep/SKILL.md']);
    if (hasGit) expect(lab.git('ls-tree', '-r', '--name-only', 'HEAD').split('\n')).not.toContain('skills');
    if (hasGit) expect(lab.git('fsck', '--strict')).toBe('');
  });

  it('leaves out links, repositories, what is too large and names that git would stumble over', async () => {
    const lab = await usedLab();
    lab.write('../outside/secret.md', 'outside\n');
    lab.write('skills/a/SKILL.md', 'a\n');
    lab.write('skills/a/.git/HEAD', 'ref: refs/heads/main\n');
    lab.write('skills/a/.GIT/config', 'x\n');
    lab.write('skills/a/big.bin', 'x'.repeat(MAX_FILE + 1));
    lab.write('skills/a/odd\\name', 'x\n');
    lab.write('skills/a/git~1', 'x\n');
    lab.write('skills/dots../SKILL.md', 'x\n');
    symlinkSync('../../outside', join(lab.home, 'skills/out'));
    symlinkSync('../../../outside/secret.md', join(lab.home, 'skills/a/secret.md'));
    symlinkSync('.', join(lab.home, 'skills/round'));
    const commit = await lab.store.commitByHand();
    expect(commit?.files).toEqual(['skills/a/SKILL.md']);
    expect(await lab.store.commitByHand()).toBeUndefined();
    expect(await lab.another().log(1)).toEqual([commit]);
    if (hasGit) expect(lab.git('fsck', '--strict')).toBe('');
  });

  it('keeps in the history what became too large or a link, instead of taking it for deleted', async () => {
    const lab = await usedLab();
    lab.write('skills/a/data.md', 'small\n');
    lab.write('skills/b/SKILL.md', 'b\n');
    await lab.store.commitByHand();
    lab.write('skills/a/data.md', 'x'.repeat(MAX_FILE + 1));
    lab.remove('skills/b');
    mkdirSync(join(lab.root, 'elsewhere'));
    symlinkSync(join(lab.root, 'elsewhere'), join(lab.home, 'skills/b'));
    expect(await lab.store.commitByHand()).toBeUndefined();
  });

  it('follows a link that stands for a memory file, as the prompt does', async () => {
    const lab = await gitLab();
    lab.write('../dotfiles/SOUL.md', '# Soul\n');
    symlinkSync('../dotfiles/SOUL.md', join(lab.home, 'SOUL.md'));
    await lab.store.ensure();
    lab.write('../dotfiles/SOUL.md', '# Soul\n\n- calm\n');
    const commit = await lab.store.commitByHand();
    expect((await lab.store.show(commit?.sha ?? '')).files[0]?.after).toBe('# Soul\n\n- calm\n');
  });

  it('says of binary files only that they are', async () => {
    const lab = await usedLab();
    lab.write('skills/a/logo.png', '\x89PNG\0\0');
    const commit = await lab.store.commitByHand();
    const { files } = await lab.store.show(commit?.sha ?? '');
    expect(files).toEqual([
      { path: 'skills/a/logo.png', before: undefined, after: 'A binary file of 7 bytes.\n', binary: true },
    ]);
  });

  it('commits no key, whoever wrote it, and leaves it in the file through a restore', async () => {
    const lab = await usedLab();
    const key = `sk-ant-api03-${'Ab1'.repeat(20)}`;
    const text = `# Memory\n\n- my key is ${key}\n- likes tea\n`;
    lab.write('memory/MEMORY.md', text);
    const edit = await lab.store.commitByHand();
    expect(await lab.store.commitByHand()).toBeUndefined();
    const shown = (await lab.store.show(edit?.sha ?? '')).files[0]?.after ?? '';
    expect(shown).toContain('- my key is ***');
    const dream = await lab.dream({ 'memory/MEMORY.md': `${text}- has a cat\n` }, [3]);
    expect((await lab.store.restore(dream.sha)).conflicts).toEqual([]);
    expect(lab.read('memory/MEMORY.md')).toBe(text);
    await lab.dream({ 'skills/a/SKILL.md': 'a\n' }).then(({ sha }) => lab.store.restore(sha));
    const stored = hasGit ? lab.git('log', '-p', '--all') : '';
    expect(stored).not.toContain(key);
  });

  it('masks a private key in a long text, wherever it stands', async () => {
    const body = Array.from({ length: 20 }, () => 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ'.padEnd(64, 'x'));
    const key = ['-----BEGIN PRIVATE KEY-----', ...body, '-----END PRIVATE KEY-----'].join('\n');
    const clock = nodeClock();
    for (const before of [64_000, 65_000, 65_500]) {
      const text = `${'a plain line\n'.repeat(before / 13)}${key}\n${'more\n'.repeat(20_000)}`;
      const masked = await maskedText(text, clock);
      expect(masked).not.toContain('MIIEvQ');
      expect(masked.startsWith('a plain line\n')).toBe(true);
      expect(masked.endsWith('more\nmore\n')).toBe(true);
    }
  });

  it('says once that a memory file is too large for the history, and goes on with the others', async () => {
    const lab = await usedLab();
    lab.write('memory/MEMORY.md', 'x'.repeat(MAX_FILE + 1));
    expect(await lab.store.commitByHand()).toBeUndefined();
    lab.write('USER.md', '# User\n');
    expect((await lab.store.commitByHand())?.files).toEqual(['USER.md']);
    expect(lab.notices).toEqual([expect.stringContaining('memory/MEMORY.md is larger than 1 MB')]);
    lab.write('memory/MEMORY.md', '# Memory\n');
    expect((await lab.store.commitByHand())?.files).toEqual(['memory/MEMORY.md']);
  });

  it('fetches the library when it is first used, as a chunk of its own', async () => {
    const { metafile } = await build({
      entryPoints: [join(import.meta.dirname, '../../../src/memory/gitStore.ts')],
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      outdir: 'unused',
      write: false,
      metafile: true,
    });
    const holding = Object.values(metafile.outputs).filter(({ inputs }) =>
      Object.keys(inputs).some((path) => path.includes('/isomorphic-git/')),
    );
    expect(holding).toHaveLength(1);
    expect(Object.keys(holding[0]?.inputs ?? {}).filter((path) => path.includes('src/memory'))).toEqual([]);
  });

  it('can be used by many callers at once', async () => {
    const lab = await usedLab();
    lab.write('USER.md', 'changed\n');
    const other = lab.another();
    const commits = await Promise.all([lab.store, other, lab.store, other].map((store) => store.commitByHand()));
    expect(commits.filter(Boolean)).toHaveLength(1);
    expect(await lab.store.log(10)).toHaveLength(2);
  });
});
