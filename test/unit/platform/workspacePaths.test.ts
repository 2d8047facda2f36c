import { describe, expect, it } from 'vitest';
import { childOf, isInside, labelInFolders, parentOf, resolveInFolders } from '../../../src/platform/workspacePaths.js';

const one = { folders: [{ name: 'app', path: '/work/app' }], userHome: '/home/me' };
const two = {
  folders: [
    { name: 'web', path: '/work/web' },
    { name: 'api', path: '/srv/api' },
  ],
  userHome: '/home/me',
};
const virtual = { folders: [{ name: 'repo', path: 'vscode-vfs://github/me/my%20repo' }], userHome: '/home/me' };

describe('resolveInFolders', () => {
  it.each([
    ['src/a.ts', '/work/app/src/a.ts'],
    ['./src//a.ts', '/work/app/src/a.ts'],
    ['.', '/work/app'],
    ['', '/work/app'],
    ['src/', '/work/app/src'],
    ['/', '/'],
    ['../other/b.ts', '/work/other/b.ts'],
    ['/etc/hosts', '/etc/hosts'],
    ['/work/app/../x', '/work/x'],
    ['~/notes.md', '/home/me/notes.md'],
    ['~', '/home/me'],
    ['~notes', '/work/app/~notes'],
    ['it\'s a "file" 你好.txt', '/work/app/it\'s a "file" 你好.txt'],
    ['file:///tmp/a%20b', '/tmp/a b'],
    ['vscode-vfs://github/x', 'vscode-vfs://github/x'],
  ])('makes %j %j', (path, expected) => {
    expect(resolveInFolders(path, one)).toBe(expected);
  });

  it('takes the name of a folder in front where there are several', () => {
    expect(resolveInFolders('api/src/a.ts', two)).toBe('/srv/api/src/a.ts');
    expect(resolveInFolders('api', two)).toBe('/srv/api');
    expect(resolveInFolders('./api/x', two)).toBe('/srv/api/x');
    expect(resolveInFolders('src/a.ts', two)).toBe('/work/web/src/a.ts');
  });

  it("resolves in the active editor's folder before the first", () => {
    expect(resolveInFolders('src/a.ts', { ...two, activeFolder: '/srv/api' })).toBe('/srv/api/src/a.ts');
  });

  it('refuses a relative path where no folder is open', () => {
    expect(() => resolveInFolders('a.ts', { folders: [], userHome: '/home/me' })).toThrow('absolute path');
    expect(resolveInFolders('/a.ts', { folders: [], userHome: '/home/me' })).toBe('/a.ts');
  });

  it('works in folders that are not on a disk', () => {
    expect(resolveInFolders('a b/你.ts', virtual)).toBe('vscode-vfs://github/me/my%20repo/a%20b/%E4%BD%A0.ts');
    expect(resolveInFolders('../x', virtual)).toBe('vscode-vfs://github/me/x');
    expect(resolveInFolders('.', virtual)).toBe('vscode-vfs://github/me/my%20repo');
  });
});

describe('labelInFolders', () => {
  it.each([
    ['/work/app/src/a.ts', 'src/a.ts'],
    ['/work/app', '.'],
    ['/work/application/x', '/work/application/x'],
    ['/home/me/.bashrc', '~/.bashrc'],
    ['/etc/hosts', '/etc/hosts'],
  ])('shows %j as %j', (path, expected) => {
    expect(labelInFolders(path, one)).toBe(expected);
  });

  it('is found again by resolve', () => {
    for (const path of ['/work/web/a.ts', '/srv/api', '/srv/api/x/y', '/home/me/z', '/other']) {
      expect(resolveInFolders(labelInFolders(path, two), two)).toBe(path);
    }
    const inside = resolveInFolders('a b/你.ts', virtual);
    expect(labelInFolders(inside, virtual)).toBe('a b/你.ts');
  });
});

it('tells inside from beside', () => {
  expect(isInside('/a/b', '/a')).toBe(true);
  expect(isInside('/a', '/a')).toBe(true);
  expect(isInside('/ab', '/a')).toBe(false);
  expect(isInside('/a/..b', '/a')).toBe(true);
  expect(isInside('/x', '/')).toBe(true);
  expect(isInside('s-x://h/a/b', 's-x://h/a')).toBe(true);
  expect(isInside('s-x://h/ab', 's-x://h/a')).toBe(false);
});

it('goes up and down URIs too', () => {
  expect(parentOf('s-x://h/a/b')).toBe('s-x://h/a');
  expect(parentOf('s-x://h')).toBe('s-x://h');
  expect(childOf('s-x://h/a', 'b c')).toBe('s-x://h/a/b%20c');
});
