import { describe, expect, it } from 'vitest';
import { PathFinder } from '../../../../src/vscode/chat/pathFinder.js';

const breathe = () => Promise.resolve();

async function finder(labels: string[]) {
  const made = await PathFinder.of(
    labels.map((label) => `/p/${label}`),
    (path) => path.slice(3),
    breathe,
  );
  return (query: string, limit = 5) => made.find(query, limit).map(({ label }) => label);
}

const FILES = [
  'src/app.ts',
  'src/appPorts.ts',
  'src/agent/loop.ts',
  'src/vscode/chatView.ts',
  'test/unit/agent/loop.test.ts',
  'docs/Résumé.md',
  'README.md',
  'webview/app.tsx',
];

describe('paths by some of their letters', () => {
  it.each([
    ['loop', ['src/agent/loop.ts', 'test/unit/agent/loop.test.ts']],
    ['agloop', ['src/agent/loop.ts', 'test/unit/agent/loop.test.ts']],
    ['readme', ['README.md']],
    ['README', ['README.md']],
    ['Readme', []],
    ['resume', ['docs/Résumé.md']],
    ['cv', ['src/vscode/chatView.ts', 'src/vscode']],
    ['agent/loop', ['src/agent/loop.ts', 'test/unit/agent/loop.test.ts']],
    ['src/agent/loop.ts', ['src/agent/loop.ts']],
    ['zzz', []],
  ])('%s', async (query, found) => {
    const find = await finder(FILES);
    expect(find(query)).toEqual(found);
  });

  it('the shortest for nothing at all, and never more than asked for', async () => {
    const find = await finder(FILES);
    expect(find('', 2)).toEqual(['README.md', 'src/app.ts']);
    expect(find('s', 3)).toHaveLength(3);
    expect((await finder([]))('a')).toEqual([]);
  });

  it('finds folders, too, by the path of a file in them', async () => {
    const made = await PathFinder.of(['/p/src/agent/loop.ts', '/p/src/app.ts'], (path) => path.slice(3), breathe);
    expect(made.find('agent', 5)).toEqual([
      { kind: 'folder', path: '/p/src/agent', label: 'src/agent' },
      { path: '/p/src/agent/loop.ts', label: 'src/agent/loop.ts' },
    ]);
    expect(made.find('src', 5)[0]).toEqual({ kind: 'folder', path: '/p/src', label: 'src' });
  });

  it('finds the file whose name it is among tens of thousands that have its letters', async () => {
    const many = Array.from({ length: 30_000 }, (_, n) => `src/some/long/folder${String(n)}/module${String(n)}.ts`);
    const find = await finder([...many, 'a/deep/one/of/some/where/that/is/long/enough/to/come/last/mod.ts']);
    expect(find('mod.ts')[0]).toMatch(/\/mod\.ts$/);
    expect(find('module29999')).toEqual(['src/some/long/folder29999/module29999.ts']);
  });

  it('finds the same key by key, and after some were taken back', async () => {
    const find = await finder(FILES);
    for (const query of ['a', 'ag', 'agl', 'agloop', 'ag', 'agent', 'R', 'RE', 'r', 're', 'reS']) {
      expect([query, find(query)]).toEqual([query, (await finder(FILES))(query)]);
    }
  });

  it('lets others have their turn while it prepares', async () => {
    let turns = 0;
    const paths = Array.from({ length: 20_000 }, (_, n) => `/p/file${String(n)}`);
    await PathFinder.of(
      paths,
      (path) => path,
      () => Promise.resolve(void turns++),
    );
    expect(turns).toBe(10);
  });
});
