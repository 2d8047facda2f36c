import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeProject } from '../../support/project.js';

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('write', () => {
  it('creates the file and its folders', async () => {
    const project = makeProject();
    const outcome = await project.workspace.write(project.path('a b/你/c.txt'), bytes('x\r\n'));
    expect(project.text('a b/你/c.txt')).toBe('x\r\n');
    expect(outcome).toEqual({ text: 'x\r\n', saved: true });
  });

  it('keeps the permissions of a file and gives a new one those asked for', async () => {
    const project = makeProject({ 'run.sh': 'old' });
    chmodSync(project.path('run.sh'), 0o755);
    await project.workspace.write(project.path('run.sh'), bytes('new'));
    await project.workspace.write(project.path('other.sh'), bytes('new'), { mode: 0o700 });
    expect(statSync(project.path('run.sh')).mode & 0o777).toBe(0o755);
    expect(statSync(project.path('other.sh')).mode & 0o777).toBe(0o700);
  });

  it('writes through a link and leaves it a link', async () => {
    const project = makeProject({ 'real.txt': 'old' });
    symlinkSync('real.txt', project.path('link.txt'));
    await project.workspace.write(project.path('link.txt'), bytes('new'));
    expect(project.text('real.txt')).toBe('new');
    expect(await project.workspace.list(project.root)).toContainEqual({ name: 'link.txt', type: 'symlink' });
  });

  it('leaves no temporary file behind, neither after success nor after failure', async () => {
    const project = makeProject({ 'a.txt': 'old', folder: 'a file' });
    await project.workspace.write(project.path('a.txt'), bytes('new'));
    await expect(project.workspace.write(project.path('folder/x'), bytes('new'))).rejects.toMatchObject({
      code: 'ENOTDIR',
    });
    await expect(project.workspace.write(project.path('n'.repeat(300)), bytes('x'))).rejects.toMatchObject({
      code: 'ENAMETOOLONG',
    });
    // What is no content fails when the temporary file is there already, as a full disk would.
    await expect(project.workspace.write(project.path('a.txt'), 5 as unknown as Uint8Array)).rejects.toThrow();
    expect(readdirSync(project.root).sort()).toEqual(['a.txt', 'folder']);
    expect(project.text('a.txt')).toBe('new');
  });

  it('takes a name that is as long as the disk allows', async () => {
    const project = makeProject();
    const name = 'n'.repeat(255);
    await project.workspace.write(project.path(name), bytes('x'));
    expect(project.text(name)).toBe('x');
  });

  it('refuses a read-only file and a folder', async () => {
    const project = makeProject({ 'a.txt': 'old', 'd/x': '' });
    chmodSync(project.path('a.txt'), 0o444);
    await expect(project.workspace.write(project.path('a.txt'), bytes('new'))).rejects.toMatchObject({
      code: 'EACCES',
    });
    await expect(project.workspace.write(project.path('d'), bytes('new'))).rejects.toMatchObject({ code: 'EISDIR' });
    expect(project.text('a.txt')).toBe('old');
  });
});

describe('realPath', () => {
  it('follows links, also to what does not exist yet', async () => {
    const project = makeProject({ 'outside/secret': 's' });
    mkdirSync(project.path('in'));
    symlinkSync('../outside', project.path('in/link'));
    symlinkSync(project.path('outside/new'), project.path('in/dangling'));
    expect(await project.workspace.realPath(project.path('in/link/secret'))).toBe(project.path('outside/secret'));
    expect(await project.workspace.realPath(project.path('in/link/more/x'))).toBe(project.path('outside/more/x'));
    expect(await project.workspace.realPath(project.path('in/dangling'))).toBe(project.path('outside/new'));
    expect(await project.workspace.realPath(project.path('in/none'))).toBe(project.path('in/none'));
  });

  it('says so where links go in a circle', async () => {
    const project = makeProject();
    symlinkSync('b', project.path('a'));
    symlinkSync('a', project.path('b'));
    await expect(project.workspace.realPath(project.path('a'))).rejects.toMatchObject({ code: 'ELOOP' });
  });
});

it('reads a range of a huge file without the rest', async () => {
  const project = makeProject({ 'big.bin': 'start' });
  truncateSync(project.path('big.bin'), 8 * 1024 ** 3);
  expect(Buffer.from(await project.workspace.readStart(project.path('big.bin'), 5)).toString()).toBe('start');
  expect(await project.workspace.readRange(project.path('big.bin'), 8 * 1024 ** 3 - 2, 10)).toHaveLength(2);
});

it('renames without replacing anything, and makes the folders it needs', async () => {
  const project = makeProject({ 'a.txt': 'a', 'b.txt': 'b' });
  await expect(project.workspace.rename(project.path('a.txt'), project.path('b.txt'))).rejects.toMatchObject({
    code: 'EEXIST',
  });
  await project.workspace.rename(project.path('a.txt'), project.path('x/y/a.txt'));
  expect(project.text('x/y/a.txt')).toBe('a');
  expect(project.text('b.txt')).toBe('b');
});

it('removes a link and not its target, and no folder that holds something', async () => {
  const project = makeProject({ 'd/real.txt': 'r' });
  symlinkSync(project.path('d'), project.path('link'));
  await project.workspace.remove(project.path('link'));
  expect(project.text('d/real.txt')).toBe('r');
  await expect(project.workspace.remove(project.path('d'))).rejects.toMatchObject({ code: 'ENOTEMPTY' });
});

it('stats nothing as nothing, below a file too', async () => {
  const project = makeProject({ f: 'x' });
  expect(await project.workspace.stat(project.path('none'))).toBeUndefined();
  expect(await project.workspace.stat(project.path('f/below'))).toBeUndefined();
});

it('names the branch of the repository, of a work tree too', () => {
  const project = makeProject({ '.git/HEAD': 'ref: refs/heads/topic/x\n' });
  expect(project.workspace.editorContext().gitBranch).toBe('topic/x');
  const tree = makeProject({ 'main/.git/worktrees/t/HEAD': 'ref: refs/heads/tree\n' }, { folders: ['tree'] });
  tree.write('tree/.git', `gitdir: ${join(tree.root, 'main/.git/worktrees/t')}\n`);
  expect(tree.workspace.editorContext().gitBranch).toBe('tree');
});
