import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as isomorphicGit from 'isomorphic-git';
import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { nodeGitFs } from '../../../src/platform/nodeGitFs.js';
import { faultyFiles } from '../../support/faultyFiles.js';
import { gitEnvironment, gitLab, hasGit, HOME_FILES, usedLab, type GitLab } from './gitKit.js';

/** The git program anywhere. */
function git(cwd: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8', env: gitEnvironment() });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Dreams on the history as it is, and expects that it goes on. */
async function expectGoesOn(lab: GitLab): Promise<void> {
  const store = lab.another();
  await store.ensure();
  lab.write('USER.md', `# User\n\n- ${String(Math.random())}\n`);
  const commit = await store.commit((changes) => `dream: now, ${String(changes)} change(s)\n`);
  expect(commit).toMatchObject({ kind: 'dream', changes: 1, files: ['USER.md'] });
  expect((await store.log(1))[0]).toEqual(commit);
  await store.restore(commit?.sha ?? '');
  if (hasGit) expect(lab.git('status', '--porcelain')).toBe('');
}

const aside = (lab: GitLab, folder = lab.home) => readdirSync(folder).filter((name) => name.includes('.corrupt-'));

describe('where the history lies', () => {
  it.skipIf(!hasGit)('is a repository that git itself reads, with a clean status', async () => {
    const lab = await usedLab();
    lab.write('skills/a/SKILL.md', 'a\n');
    lab.write('sessions/cli_direct.jsonl', '{}\n');
    lab.write('memory/history.jsonl', '{}\n');
    const dream = await lab.dream({ 'USER.md': '# User\n\n- Ada\n' }, [3]);
    lab.write('skills/b/SKILL.md', 'b\n');
    lab.remove('skills/a');
    await lab.store.commitByHand();
    await lab.store.restore(dream.sha);
    expect(lab.git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(lab.git('status', '--porcelain')).toBe('');
    expect(lab.git('log', '--format=%an|%s').trim().split('\n')).toEqual([
      'Nanobot|restore: undo "dream: 2026-04-15 15:23, 2 change(s)"',
      'Nanobot|edit: by hand',
      'Nanobot|dream: 2026-04-15 15:23, 2 change(s)',
      'Nanobot|init: memory history',
    ]);
    const offset = lab.git('log', '-1', '--format=%ai');
    expect(offset).toMatch(/\+0[12]00$/m);
    expect(lab.git('branch', '--show-current').trim()).toBe('main');
    lab.write('SOUL.md', 'more\n');
    expect(lab.git('status', '--porcelain')).toBe(' M SOUL.md\n');
  });

  it.skipIf(!hasGit)("goes on in a person's own repository and touches nothing else in it", async () => {
    const lab = await gitLab();
    for (const [path, text] of Object.entries(HOME_FILES)) lab.write(path, text);
    lab.write('notes.txt', 'one\n');
    lab.git('init', '-q', '-b', 'trunk');
    lab.git('add', 'notes.txt', 'SOUL.md', 'memory');
    lab.git('commit', '-qm', 'my own');
    lab.write('notes.txt', 'two\n');
    lab.git('add', 'notes.txt');
    lab.write('notes.txt', 'three\n');
    lab.write('staged.txt', 'new\n');
    lab.git('add', 'staged.txt');
    await lab.store.ensure();
    expect(lab.git('log', '--format=%s')).toBe('my own\n');
    expect((await lab.store.commitByHand())?.files).toEqual(['USER.md']);
    const dream = await lab.dream({ 'memory/MEMORY.md': '# Memory\n\n- new\n' }, [3]);
    expect(lab.git('status', '--porcelain')).toBe('MM notes.txt\nA  staged.txt\n');
    expect(lab.git('show', 'HEAD:notes.txt')).toBe('one\n');
    expect(lab.git('branch', '--show-current').trim()).toBe('trunk');
    lab.git('commit', '-qm', 'my notes');
    expect(lab.git('show', '--name-only', '--format=', 'HEAD').trim().split('\n')).toEqual(['notes.txt', 'staged.txt']);
    expect((await lab.store.log(10)).map(({ message }) => message)).toEqual([
      'dream: 2026-04-15 15:23, 2 change(s)',
      'edit: by hand',
      'my own',
    ]);
    await lab.store.restore(dream.sha);
    expect(lab.read('memory/MEMORY.md')).toBe(HOME_FILES['memory/MEMORY.md']);
    expect(lab.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it.skipIf(!hasGit)('loses no commit that a person makes at the same moment', async () => {
    const lab = await usedLab();
    const files = nodeFiles();
    let late = true;
    const { store } = await gitLab({
      home: lab.home,
      files: {
        ...files,
        async writeAtomic(path, data, options) {
          await files.writeAtomic(path, data, options);
          if (!late || !path.endsWith('nanobot-head.tmp')) return;
          late = false;
          lab.git('commit', '-q', '--allow-empty', '-m', 'mine');
        },
      },
    });
    lab.write('USER.md', '# User\n');
    expect((await store.commitByHand())?.files).toEqual(['USER.md']);
    expect(lab.git('log', '--format=%s')).toBe('edit: by hand\nmine\ninit: memory history\n');
    expect(lab.git('status', '--porcelain')).toBe('');
  });

  it.skipIf(!hasGit)('goes on where HEAD is detached, refs are packed and objects are in packs', async () => {
    const lab = await usedLab();
    for (let n = 0; n < 5; n++) await lab.dream({ 'USER.md': `# User\n\n- ${String(n)}\n` }, [n + 3]);
    const before = await lab.store.log(10);
    lab.git('gc', '-q', '--aggressive', '--prune=now');
    lab.git('pack-refs', '--all');
    expect(await lab.another().log(10)).toEqual(before);
    await expectGoesOn(lab);
    lab.git('checkout', '-q', '--detach');
    await expectGoesOn(lab);
    expect((await lab.another().show(before[2]?.sha.slice(0, 7) ?? '')).commit).toEqual(before[2]);
  });

  it.skipIf(!hasGit)('is kept apart where the home lies inside another repository', async () => {
    const lab = await gitLab();
    git(lab.root, 'init', '-q');
    writeFileSync(join(lab.root, 'README.md'), 'outer\n');
    git(lab.root, 'add', '.');
    git(lab.root, 'commit', '-qm', 'outer');
    for (const [path, text] of Object.entries(HOME_FILES)) lab.write(path, text);
    await lab.store.ensure();
    const dream = await lab.dream({ 'USER.md': '# User\n\n- Ada\n' }, [3]);
    expect(lab.exists('.git')).toBe(false);
    expect(git(lab.root, 'log', '--format=%s')).toBe('outer\n');
    const inner = (...args: string[]) => git(lab.home, '--git-dir', '.nanobot/memory.git', ...args);
    expect(inner('log', '-1', '--format=%s')).toBe(`${dream.message}\n`);
    expect(inner('status', '--porcelain')).toBe('');
    // Where the outer one goes away, the history stays where it is.
    rmSync(join(lab.root, '.git'), { recursive: true });
    expect(await lab.another().log(10)).toHaveLength(2);
    expect((await lab.another().restore(dream.sha)).commit?.kind).toBe('restore');
  });

  it.skipIf(!hasGit)('is kept apart from a work tree or submodule, whose .git is a file', async () => {
    const lab = await gitLab();
    const outer = join(lab.root, 'outer');
    mkdirSync(outer);
    git(outer, 'init', '-q');
    git(outer, 'commit', '-q', '--allow-empty', '-m', 'outer');
    rmSync(lab.home, { recursive: true });
    git(outer, 'worktree', 'add', '-q', lab.home);
    lab.write('SOUL.md', '# Soul\n');
    await lab.store.ensure();
    expect(readFileSync(join(lab.home, '.git'), 'utf8')).toMatch(/^gitdir: /);
    expect(lab.exists('.nanobot/memory.git/HEAD')).toBe(true);
    expect(git(outer, 'log', '--all', '--format=%s')).toBe('outer\n');
    expect(lab.notices).toEqual([]);
  });

  it.skipIf(!hasGit)('is kept apart from a repository in a form that the library cannot write', async () => {
    const forms = [
      ['init', '-q', '--object-format=sha256'],
      ['-c', 'index.version=4', 'init', '-q'],
    ];
    for (const form of forms) {
      const lab = await gitLab();
      lab.git(...form);
      lab.write('SOUL.md', '# Soul\n');
      lab.git('-c', 'index.version=4', 'add', 'SOUL.md');
      lab.git('commit', '-qm', 'mine');
      await lab.store.ensure();
      lab.write('SOUL.md', '# Soul\n\n- calm\n');
      await lab.store.commitByHand();
      expect(await lab.store.log(10)).toHaveLength(2);
      expect(lab.git('log', '--format=%s')).toBe('mine\n');
      expect(lab.git('status', '--porcelain', 'SOUL.md')).toBe(' M SOUL.md\n');
      expect(lab.notices).toEqual([]);
    }
  });

  it("adopts nanobot's repository in the memory folder, with its own paths", async () => {
    const lab = await gitLab();
    for (const [path, text] of Object.entries(HOME_FILES)) lab.write(path, text);
    const place = { fs: nodeGitFs(), dir: join(lab.home, 'memory') };
    const author = { name: 'nanobot', email: 'nanobot@dream' };
    await isomorphicGit.init(place);
    lab.write('memory/MEMORY.md', '# Memory\n');
    await isomorphicGit.add({ ...place, filepath: 'MEMORY.md' });
    await isomorphicGit.commit({ ...place, author, message: 'init: nanobot memory store' });
    lab.write('memory/MEMORY.md', '# Memory\n\n- likes tea\n');
    await isomorphicGit.add({ ...place, filepath: 'MEMORY.md' });
    await isomorphicGit.commit({ ...place, author, message: 'dream: 2026-04-01 10:00, 1 change(s)' });
    await lab.store.ensure();
    expect(lab.exists('memory/.git')).toBe(false);
    expect((await lab.store.commitByHand())?.files).toEqual(['SOUL.md', 'USER.md']);
    const log = await lab.store.log(10);
    expect(log.map(({ files }) => files)).toEqual([['SOUL.md', 'USER.md'], ['memory/MEMORY.md'], ['memory/MEMORY.md']]);
    expect((await lab.store.restore(log[1]?.sha ?? '')).conflicts).toEqual([]);
    expect(lab.read('memory/MEMORY.md')).toBe('# Memory\n');
    if (hasGit) {
      expect(lab.git('ls-files').trim().split('\n')).toEqual([
        'SOUL.md',
        'USER.md',
        'memory/.dream_cursor',
        'memory/MEMORY.md',
      ]);
      expect(lab.git('status', '--porcelain')).not.toMatch(/MEMORY|SOUL|USER/);
      expect(lab.git('fsck', '--strict', '--no-dangling')).toBe('');
    }
  });

  it('adopts it into the separate place where the home lies inside another repository', async () => {
    const lab = await gitLab();
    mkdirSync(join(lab.root, '.git'));
    writeFileSync(join(lab.root, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    lab.write('memory/MEMORY.md', '# Memory\n');
    const place = { fs: nodeGitFs(), dir: join(lab.home, 'memory') };
    await isomorphicGit.init(place);
    await isomorphicGit.add({ ...place, filepath: 'MEMORY.md' });
    await isomorphicGit.commit({ ...place, author: { name: 'n', email: 'n' }, message: 'init: nanobot memory store' });
    await lab.store.ensure();
    expect(lab.exists('memory/.git')).toBe(false);
    expect(lab.exists('.git')).toBe(false);
    expect((await lab.store.log(10)).map(({ message }) => message)).toEqual(['init: nanobot memory store']);
    if (hasGit) expect(git(lab.home, '--git-dir', '.nanobot/memory.git', 'status', '--porcelain')).toContain('R');
  });
});

describe('a damaged history', () => {
  const object = (lab: GitLab, name: string) => {
    const oid = lab.git('rev-parse', name).trim();
    return join(lab.home, '.git/objects', oid.slice(0, 2), oid.slice(2));
  };
  const damages: Record<string, (lab: GitLab) => void> = {
    'HEAD is garbage': (lab) => lab.write('.git/HEAD', '\0\0\0'),
    'HEAD is missing': (lab) => lab.remove('.git/HEAD'),
    'HEAD is a folder': (lab) => {
      lab.remove('.git/HEAD');
      mkdirSync(join(lab.home, '.git/HEAD'));
    },
    'HEAD names something outside': (lab) => lab.write('.git/HEAD', 'ref: refs/../../USER.md\n'),
    'the branch is empty': (lab) => lab.write('.git/refs/heads/main', ''),
    'the branch is cut off': (lab) => truncateSync(join(lab.home, '.git/refs/heads/main'), 20),
    'the branch names what is not there': (lab) => lab.write('.git/refs/heads/main', `${'a'.repeat(40)}\n`),
    'the newest commit is missing': (lab) => rmSync(object(lab, 'HEAD')),
    'the newest tree is cut off': (lab) => truncateSync(object(lab, 'HEAD^{tree}'), 10),
    'the newest content is missing': (lab) => rmSync(object(lab, 'HEAD:memory/MEMORY.md')),
    'the newest content is another': (lab) => writeFileSync(object(lab, 'HEAD:SOUL.md'), 'x'),
    'all objects are gone': (lab) => lab.remove('.git/objects'),
    '.git is an empty folder': (lab) => {
      lab.remove('.git');
      mkdirSync(join(lab.home, '.git'));
    },
    '.git is a file that leads nowhere': (lab) => {
      lab.remove('.git');
      lab.write('.git', 'gitdir: ../nowhere\n');
    },
  };
  for (const [what, damage] of Object.entries(damages)) {
    it.skipIf(!hasGit)(`is set aside with one notice: ${what}`, async () => {
      const lab = await usedLab();
      await lab.dream({ 'USER.md': '# User\n\n- Ada\n' }, [3]);
      damage(lab);
      await expectGoesOn(lab);
      expect(lab.notices).toHaveLength(1);
      expect(lab.notices[0]).toMatch(/was set aside as .*\.git\.corrupt-\d{8}T\d{6}Z and a new history begins/);
      expect(aside(lab)).toHaveLength(1);
      expect(lab.read('memory/MEMORY.md')).toBe(HOME_FILES['memory/MEMORY.md']);
    });
  }

  it('is set aside by a look at the log, too, and by one of two windows only', async () => {
    const lab = await usedLab();
    lab.write('.git/HEAD', 'nonsense\n');
    const other = lab.another();
    const logs = await Promise.all([lab.store.log(5), other.log(5), lab.store.log(5)]);
    expect(logs.map((log) => log.map(({ message }) => message))).toEqual(Array(3).fill(['init: memory history']));
    expect(lab.notices).toHaveLength(1);
    expect(aside(lab)).toHaveLength(1);
  });

  it('sets a second damage of the same second aside under another name', async () => {
    const lab = await usedLab();
    const clock = {
      now: () => 0,
      zone: () => 'UTC',
      after: () => ({ dispose: () => undefined }),
      sleep: async () => undefined,
    };
    for (let n = 0; n < 2; n++) {
      lab.write('.git/HEAD', 'nonsense\n');
      const { store } = await gitLab({ home: lab.home, clock });
      await store.ensure();
    }
    expect(aside(lab)).toEqual(['.git.corrupt-19700101T000000Z', '.git.corrupt-19700101T000000Z-2']);
  });

  it('sets a damaged separate repository aside in its place', async () => {
    const lab = await gitLab();
    lab.write('SOUL.md', '# Soul\n');
    mkdirSync(join(lab.root, '.git'));
    writeFileSync(join(lab.root, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    await lab.store.ensure();
    lab.remove('.nanobot/memory.git/objects');
    await lab.another().ensure();
    expect(await lab.store.log(5)).toHaveLength(1);
    expect(aside(lab, join(lab.home, '.nanobot'))).toHaveLength(1);
    expect(lab.exists('.git')).toBe(false);
  });

  it.skipIf(!hasGit)('keeps the history where only the index is damaged, and makes that anew', async () => {
    const lab = await usedLab();
    await lab.dream({ 'USER.md': '# User\n\n- Ada\n' }, [3]);
    for (const bytes of ['', 'garbage', 'DIRC\0\0\0\x02\0\0\0\x01']) {
      lab.write('.git/index', bytes);
      await expectGoesOn(lab);
    }
    lab.remove('.git/index');
    await expectGoesOn(lab);
    expect(lab.notices).toEqual([]);
    expect((await lab.store.log(20)).at(-1)?.message).toBe('init: memory history');
  });

  it.skipIf(!hasGit)('tells what can be read where something old is damaged, and what cannot', async () => {
    const lab = await usedLab();
    const one = await lab.dream({ 'USER.md': '# User\n\n- one\n' }, [3]);
    const two = await lab.dream({ 'USER.md': '# User\n\n- two\n' }, [4]);
    const three = await lab.dream({ 'USER.md': '# User\n\n- three\n' }, [5]);
    truncateSync(object(lab, `${one.sha}:USER.md`), 5);
    const store = lab.another();
    expect((await store.log(10)).map(({ sha }) => sha)).toEqual([three.sha, two.sha, one.sha, expect.any(String)]);
    await expect(store.show(two.sha)).rejects.toThrow(/is damaged: .* Other commits can still be used/);
    await expect(store.restore(two.sha)).rejects.toThrow('is damaged');
    rmSync(object(lab, two.sha));
    // Its parent is gone, so what it changed is not known; git takes such a commit for the first one.
    expect((await lab.another().log(10)).map(({ sha }) => sha)).toEqual([three.sha]);
    await expect(store.restore(three.sha)).rejects.toThrow('is damaged');
    await expectGoesOn(lab);
    expect(lab.notices).toEqual([]);
  });

  it.skipIf(!hasGit)('writes a broken object again when its content comes back', async () => {
    const lab = await usedLab();
    await lab.dream({ 'USER.md': '# User\n\n- one\n' });
    await lab.dream({ 'USER.md': '# User\n\n- two\n' });
    truncateSync(object(lab, 'HEAD~1:USER.md'), 3);
    truncateSync(object(lab, 'HEAD~1^{tree}'), 3);
    await lab.dream({ 'USER.md': '# User\n\n- one\n' });
    expect(lab.git('fsck', '--strict')).toBe('');
    await expectGoesOn(lab);
    expect(lab.notices).toEqual([]);
  });
});

describe('a home that cannot be written', () => {
  it('says so, and what was written before can be read', async () => {
    const lab = await usedLab();
    const dream = await lab.dream({ 'USER.md': '# User\n\n- one\n' });
    const files = faultyFiles(nodeFiles(), { at: 0, kind: 'full', done: 'nothing', code: 'EROFS' });
    const { store } = await gitLab({ home: lab.home, files });
    const said = /^The history of the memory was not written: .* cannot be written \(EROFS\)\. Check who owns it/;
    await expect(store.ensure()).rejects.toThrow(said);
    lab.write('USER.md', '# User\n');
    await expect(store.commitByHand()).rejects.toThrow(said);
    await expect(store.restore(dream.sha)).rejects.toThrow(said);
    expect(lab.read('USER.md')).toBe('# User\n');
    expect(await store.log(1)).toEqual([dream]);
    expect((await store.show(dream.sha)).files).toHaveLength(1);
    expect(await store.rejections()).toEqual([]);
    files.repair();
    expect((await store.commitByHand())?.kind).toBe('hand');
  });

  it('says that the disk is full, and goes on when there is room', async () => {
    const lab = await usedLab();
    const fs = nodeGitFs();
    let full = true;
    const faulty = {
      promises: {
        ...fs.promises,
        writeFile: async (path: string, data: string | Uint8Array) => {
          if (full) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', syscall: 'write' });
          return fs.promises.writeFile(path, data);
        },
      },
    };
    const { store } = await gitLab({ home: lab.home, fs: faulty });
    lab.write('USER.md', '# User\n\n- more\n');
    await expect(store.commitByHand()).rejects.toThrow('the disk is full (ENOSPC). Free some space and try again.');
    full = false;
    expect((await store.commitByHand())?.files).toEqual(['USER.md']);
    if (hasGit) expect(lab.git('fsck', '--strict')).toBe('');
  });

  it('survives a home that is moved', async () => {
    const lab = await usedLab();
    const moved = join(lab.root, 'moved');
    renameSync(lab.home, moved);
    const { store } = await gitLab({ home: moved });
    expect(await store.log(5)).toHaveLength(1);
  });
});
