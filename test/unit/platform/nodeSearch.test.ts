import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { createNodeSearch, ripgrepInAppRoot, type NodeSearch } from '../../../src/platform/nodeSearch.js';
import type { GrepQuery } from '../../../src/platform/ports.js';
import { makeProject, type Project } from '../../support/project.js';
import { ripgrepForTests } from '../../support/ripgrep.js';

const binary = ripgrepForTests();
const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };

const engines: [string, () => NodeSearch][] = [
  ['the built-in walk', () => createNodeSearch({ ripgrep: [], searchPath: '' })],
];
if (binary !== undefined) engines.unshift(['ripgrep', () => createNodeSearch({ ripgrep: [binary], searchPath: '' })]);

function query(project: Project, pattern: string, more: Partial<GrepQuery> = {}): GrepQuery {
  return { pattern, roots: [project.root], mode: 'content', limit: 1_000, ...more };
}

describe.each(engines)('%s', (_, make) => {
  const search = make();

  async function lines(project: Project, pattern: string, more: Partial<GrepQuery> = {}): Promise<string[]> {
    const { hits } = await search.grep(query(project, pattern, more), limits);
    return hits
      .map(
        (hit) =>
          `${project.workspace.label(hit.path)}:${hit.line ?? ''}${hit.match === false ? '-' : ':'}${hit.text ?? hit.count ?? ''}`,
      )
      .sort();
  }

  it('finds lines in files of any name', async () => {
    const project = makeProject({
      'it\'s a "b".txt': 'x\nfoo 1\n',
      'sub dir/你好.txt': 'foo 2\r\nno\r\n',
      '-dash': 'foo 3',
    });
    expect(await lines(project, 'fo+ \\d')).toEqual(
      ['-dash:1:foo 3', 'it\'s a "b".txt:2:foo 1', 'sub dir/你好.txt:1:foo 2'].sort(),
    );
  });

  it('takes a pattern that looks like an option for a pattern', async () => {
    const project = makeProject({ 'a.txt': 'use --files here\n' });
    expect(await lines(project, '--files')).toEqual(['a.txt:1:use --files here']);
  });

  it("respects ignore files without a repository, and finds hidden files but not git's own", async () => {
    const project = makeProject({
      '.gitignore': 'dist/\n*.log\n!keep.log\n',
      'dist/a.js': 'needle',
      'x.log': 'needle',
      'keep.log': 'needle',
      '.github/ci.yml': 'needle',
      'sub/.git/config': 'needle',
      'sub/.ignore': 'y.txt\n',
      'sub/y.txt': 'needle',
      'sub/z.txt': 'needle',
    });
    expect(await lines(project, 'needle', { mode: 'files' })).toEqual([
      '.github/ci.yml::',
      'keep.log::',
      'sub/z.txt::',
    ]);
    const { hits } = await search.files({ roots: [project.root], globs: [], limit: 100, hidden: true }, limits);
    expect(hits.map((hit) => project.workspace.label(hit)).sort()).toEqual([
      '.github/ci.yml',
      '.gitignore',
      'keep.log',
      'sub/.ignore',
      'sub/z.txt',
    ]);
    const visible = await search.files({ roots: [project.root], globs: [], limit: 100 }, limits);
    expect(visible.hits.map((hit) => project.workspace.label(hit)).sort()).toEqual(['keep.log', 'sub/z.txt']);
  });

  it('searches an ignored folder or file that is named', async () => {
    const project = makeProject({ '.gitignore': 'dist/\n', 'dist/a.js': 'needle' });
    expect(await lines(project, 'needle', { roots: [project.path('dist')] })).toEqual(['dist/a.js:1:needle']);
    expect(await lines(project, 'needle', { roots: [project.path('dist/a.js')] })).toEqual(['dist/a.js:1:needle']);
  });

  it('gives context lines, counts and file names', async () => {
    const project = makeProject({ 'a.txt': 'one\ntwo\nthree\nfour\ntwo\n' });
    expect(await lines(project, 'three', { before: 1, after: 1 })).toEqual([
      'a.txt:2-two',
      'a.txt:3:three',
      'a.txt:4-four',
    ]);
    expect(await lines(project, 'two', { mode: 'count' })).toEqual(['a.txt::2']);
    expect(await lines(project, 'two', { mode: 'files' })).toEqual(['a.txt::']);
  });

  it('knows fixed strings, case, types, globs and several lines', async () => {
    const project = makeProject({ 'a.ts': 'f(x)\nEND\n', 'b.py': 'f(x)\n', 'sub/c.ts': 'F(X)\n' });
    expect(await lines(project, 'f(x)', { fixedStrings: true })).toEqual(['a.ts:1:f(x)', 'b.py:1:f(x)']);
    expect(await lines(project, 'f\\(x\\)', { ignoreCase: true, type: 'ts' })).toEqual([
      'a.ts:1:f(x)',
      'sub/c.ts:1:F(X)',
    ]);
    expect(await lines(project, '.', { globs: ['sub/*.ts'] })).toEqual(['sub/c.ts:1:F(X)']);
    expect(await lines(project, '.', { globs: ['!*.ts'] })).toEqual(['b.py:1:f(x)']);
    expect(await lines(project, 'x\\).END', { multiline: true })).toEqual(['a.ts:1:f(x)', 'a.ts:2:END']);
    expect(await lines(project, 'x\\).END')).toEqual([]);
    expect(await lines(project, 'x\\)$')).toEqual(['a.ts:1:f(x)', 'b.py:1:f(x)']);
  });

  it('tells nothing found from a bad pattern, glob or type', async () => {
    const project = makeProject({ 'a.txt': 'x' });
    expect(await search.grep(query(project, 'absent'), limits)).toEqual({ hits: [], limited: false, timedOut: false });
    await expect(search.grep(query(project, 'a(b'), limits)).rejects.toThrow(/unclosed|[Uu]nterminated|missing/);
    await expect(search.grep(query(project, 'x', { globs: ['a[b'] }), limits)).rejects.toThrow('error parsing glob');
    await expect(search.grep(query(project, 'x', { type: 'nonsense' }), limits)).rejects.toThrow(
      'unrecognized file type: nonsense',
    );
    await expect(search.grep(query(project, 'x', { roots: [project.path('none')] }), limits)).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it('stops at the limit and says so only where something was left out', async () => {
    const project = makeProject({ 'a.txt': 'x\n'.repeat(10), 'b.txt': 'x\n' });
    const cut = await search.grep(query(project, 'x', { limit: 4 }), limits);
    expect([cut.hits.length, cut.limited]).toEqual([4, true]);
    const exact = await search.grep(query(project, 'x', { limit: 11 }), limits);
    expect([exact.hits.length, exact.limited]).toEqual([11, false]);
    const files = await search.files({ roots: [project.root], globs: [], limit: 1 }, limits);
    expect([files.hits.length, files.limited]).toEqual([1, true]);
  });

  it('cuts long lines', async () => {
    const project = makeProject({ 'min.js': `needle${'x'.repeat(3_000_000)}\nneedle\n` });
    const { hits } = await search.grep(query(project, 'needle'), limits);
    expect(hits.map((hit) => hit.line)).toEqual([1, 2]);
    expect(hits[0]?.text?.length).toBeLessThanOrEqual(2_000);
    expect(hits[0]?.text?.startsWith('needlexxx')).toBe(true);
  });

  it('lists the newest files first, over several folders', async () => {
    const project = makeProject({ 'a/old.ts': '', 'a/new.ts': '', 'b/mid.ts': '', 'b/no.js': '' });
    for (const [name, time] of [
      ['a/old.ts', 1_000],
      ['b/mid.ts', 2_000],
      ['a/new.ts', 3_000],
    ] as const) {
      utimesSync(project.path(name), time, time);
    }
    const roots = [project.path('a'), project.path('b')];
    const { hits } = await search.files({ roots, globs: ['*.ts'], limit: 10 }, limits);
    expect(hits.map((hit) => project.workspace.label(hit))).toEqual(['a/new.ts', 'b/mid.ts', 'a/old.ts']);
    const two = await search.files({ roots, globs: ['*.ts'], limit: 2 }, limits);
    expect([two.hits.length, two.limited]).toEqual([2, true]);
  });

  it('leaves binary files out, does not follow links, and passes over what it may not read', async () => {
    const project = makeProject({ 'a.bin': Buffer.from('needle\0'), 'b.txt': 'needle\n', 'sub/c.txt': 'needle\n' });
    symlinkSync('.', project.path('loop'));
    symlinkSync('nowhere', project.path('broken'));
    chmodSync(project.path('sub'), 0o000);
    const found = await lines(project, 'needle', { mode: 'files' });
    chmodSync(project.path('sub'), 0o755);
    expect(found).toContain('b.txt::');
    expect(found.filter((line) => line.includes('loop') || line.includes('a.bin'))).toEqual([]);
  });

  it('rejects with the reason of an abort', async () => {
    const project = makeProject({ 'a.txt': 'x' });
    const aborted = AbortSignal.abort(new Error('stopped by the person'));
    await expect(search.grep(query(project, 'x'), { signal: aborted, timeoutMs: 1_000 })).rejects.toThrow(
      'stopped by the person',
    );
  });

  it('searches several folders under one limit', async () => {
    const project = makeProject({ 'a/1.txt': 'x\nx\n', 'b/2.txt': 'x\nx\n' });
    const roots = [project.path('a'), project.path('b')];
    const all = await search.grep(query(project, 'x', { roots }), limits);
    expect([all.hits.length, all.limited]).toEqual([4, false]);
    const cut = await search.grep(query(project, 'x', { roots, limit: 3 }), limits);
    expect([cut.hits.length, cut.limited]).toEqual([3, true]);
  });
});

describe('the built-in walk', () => {
  it('ends an expression that would take forever, and keeps what it found', async () => {
    const project = makeProject({ 'a.txt': 'aaa\n', 'b.txt': `${'a'.repeat(40)}!\n` });
    const search = createNodeSearch({ ripgrep: [], searchPath: '' });
    const started = performance.now();
    const outcome = await search.grep(query(project, '^(a+)+$'), { signal: limits.signal, timeoutMs: 300 });
    expect(outcome).toMatchObject({ timedOut: true, hits: [{ line: 1, text: 'aaa' }] });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('is used where the ripgrep found does not run', async () => {
    const project = makeProject({ 'a.txt': 'x\n', rg: '#!/bin/sh\nexit 1\n' });
    chmodSync(project.path('rg'), 0o755);
    const search = createNodeSearch({ ripgrep: [project.path('missing'), project.path('rg')], searchPath: '' });
    expect(await search.ripgrep()).toBeUndefined();
    expect((await search.grep(query(project, '^x'), limits)).hits).toHaveLength(1);
  });
});

/** A stand-in for ripgrep that finds one line and then hangs, as on a disk that does not answer. */
function hangingRipgrep(project: Project): string {
  const path = project.write(
    'bin/rg',
    '#!/bin/sh\nif [ "$1" = "--version" ]; then echo ripgrep 1; exit; fi\nprintf "./a.txt\\0001:x\\n"\nexec sleep 30\n',
  );
  chmodSync(path, 0o755);
  return path;
}

describe.skipIf(process.platform === 'win32')('a search that takes too long', () => {
  it('ends at the time limit with what it has', async () => {
    const project = makeProject({ 'a.txt': 'x' });
    const search = createNodeSearch({ ripgrep: [hangingRipgrep(project)], searchPath: '' });
    const outcome = await search.grep(query(project, 'x'), { signal: limits.signal, timeoutMs: 300 });
    expect(outcome).toMatchObject({ timedOut: true, limited: false, hits: [{ line: 1, text: 'x' }] });
  });

  it('ends at once when it is aborted', async () => {
    const project = makeProject({ 'a.txt': 'x' });
    const search = createNodeSearch({ ripgrep: [hangingRipgrep(project)], searchPath: '' });
    await search.ripgrep();
    const controller = new AbortController();
    const running = search.grep(query(project, 'x'), { signal: controller.signal, timeoutMs: 20_000 });
    controller.abort(new Error('stopped by the person'));
    await expect(running).rejects.toThrow('stopped by the person');
  });
});

it('looks for ripgrep again when an update took it away', async () => {
  const project = makeProject({ 'a.txt': 'x\n' });
  const path = hangingRipgrep(project);
  const search = createNodeSearch({ ripgrep: [path], searchPath: '' });
  expect(await search.ripgrep()).toBe(path);
  const { rmSync } = await import('node:fs');
  rmSync(path);
  expect((await search.grep(query(project, 'x'), limits)).hits).toHaveLength(1);
});

it('knows both places of VS Code, and PATH', async () => {
  const project = makeProject();
  const folder = join(project.root, 'app', 'node_modules', '@vscode', 'ripgrep', 'bin');
  mkdirSync(folder, { recursive: true });
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  writeFileSync(join(folder, name), '#!/bin/sh\necho ripgrep 1\n', { mode: 0o755 });
  const candidates = ripgrepInAppRoot(join(project.root, 'app'));
  expect(
    candidates.some((path) => path.includes(join('ripgrep-universal', 'bin', `${process.platform}-${process.arch}`))),
  ).toBe(true);
  expect(await createNodeSearch({ ripgrep: candidates, searchPath: '' }).ripgrep()).toBe(join(folder, name));
  expect(await createNodeSearch({ ripgrep: [], searchPath: folder }).ripgrep()).toBe(join(folder, name));
});
