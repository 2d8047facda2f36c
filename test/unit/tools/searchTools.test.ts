import { symlinkSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createNodeSearch } from '../../../src/platform/nodeSearch.js';
import type { GrepQuery, Search } from '../../../src/platform/ports.js';
import { globTool } from '../../../src/tools/glob.js';
import { grepTool } from '../../../src/tools/grep.js';
import { listDirTool } from '../../../src/tools/listDir.js';
import { makeProject } from '../../support/project.js';
import { ripgrepForTests } from '../../support/ripgrep.js';

const binary = ripgrepForTests();
const search = createNodeSearch({ ripgrep: binary === undefined ? [] : [binary] });
const timedOut: Search = {
  grep: () => Promise.resolve({ hits: [], limited: false, timedOut: true }),
  files: () => Promise.resolve({ hits: [], limited: false, timedOut: true }),
};

describe('list_dir', () => {
  it('lists names in order, folders with a slash, files with sizes, hidden and ignored too', async () => {
    const project = makeProject({ '.gitignore': 'b.txt', 'b.txt': 'x'.repeat(2_000), 'a dir/中.txt': 'x' });
    symlinkSync('b.txt', project.path('link'));
    const { text } = await project.run(listDirTool(project), {});
    expect(text).toBe('.\n.gitignore  5 B\na dir/\nb.txt  2.0 KB\nlink → b.txt');
  });

  it('goes deeper, takes one kind of entries, and pages', async () => {
    const project = makeProject({ 'a/b/c.txt': '', 'a/d.txt': '', 'e.txt': '' });
    symlinkSync('..', project.path('a/loop'));
    const tool = listDirTool(project);
    const list = async (args: Record<string, unknown>) =>
      (await project.run(tool, args)).text
        .split('\n')
        .slice(1)
        .map((line) => line.split('  ')[0]);
    expect(await list({ depth: 9, entry_type: 'file' })).toEqual(['a/b/c.txt', 'a/d.txt', 'a/loop → .', 'e.txt']);
    expect(await list({ depth: 2, entry_type: 'directory' })).toEqual(['a/', 'a/b/']);
    expect(await list({ depth: 2, head_limit: 2 })).toEqual(['a/', 'a/b/', '(cut; more: offset 2)']);
    expect(await list({ depth: 2, head_limit: 2, offset: 4 })).toEqual(['e.txt']);
  });

  it('tells an empty folder, a file and nothing apart', async () => {
    const project = makeProject({ 'f.txt': '' }, { folders: ['empty'] });
    const tool = listDirTool(project);
    expect((await project.run(tool, {})).text).toBe('. is empty.');
    await expect(project.run(tool, { path: '../f.txt' })).rejects.toThrow('use read_file');
    await expect(project.run(tool, { path: 'none' })).rejects.toThrow('does not exist');
  });
});

describe('glob', () => {
  it('finds files, the newest first, ignored ones not', async () => {
    const project = makeProject({
      '.gitignore': 'dist',
      'a.ts': '',
      'src/你 b.ts': '',
      'dist/c.ts': '',
      '.ci/d.ts': '',
    });
    utimesSync(project.path('a.ts'), 1, 3);
    utimesSync(project.path('src/你 b.ts'), 1, 9);
    utimesSync(project.path('.ci/d.ts'), 1, 6);
    const tool = globTool({ ...project, search });
    expect((await project.run(tool, { pattern: '**/*.ts' })).text).toBe('src/你 b.ts\n.ci/d.ts\na.ts');
    expect((await project.run(tool, { pattern: '*.ts', head_limit: 1, offset: 1 })).text).toBe(
      '.ci/d.ts\n(cut; more: offset 2)',
    );
    expect((await project.run(tool, { pattern: 'src/*.ts' })).text).toBe('src/你 b.ts');
    expect((await project.run(tool, { pattern: '*.ts', path: 'src' })).text).toBe('src/你 b.ts');
    expect((await project.run(tool, { pattern: `${project.root}/src/*` })).text).toBe('src/你 b.ts');
  });

  it('finds folders', async () => {
    const project = makeProject({ 'a/test/x.ts': '', 'b/test/deep/y.ts': '', 'test.ts': '' });
    const tool = globTool({ ...project, search });
    expect((await project.run(tool, { pattern: '**/test', entry_type: 'directory' })).text).toBe('a/test/\nb/test/');
    expect((await project.run(tool, { pattern: 'deep', entry_type: 'directory' })).text).toBe('b/test/deep/');
  });

  it('searches all folders, and one where its name leads the pattern', async () => {
    const project = makeProject({ 'web/a.ts': '', 'api/a.ts': '', 'api/src/b.ts': '' }, { folders: ['web', 'api'] });
    const tool = globTool({ ...project, search });
    expect((await project.run(tool, { pattern: 'a.ts' })).text.split('\n').sort()).toEqual(['api/a.ts', 'web/a.ts']);
    expect((await project.run(tool, { pattern: 'api/**/*.ts' })).text.split('\n').sort()).toEqual([
      'api/a.ts',
      'api/src/b.ts',
    ]);
    expect(await tool.access({ pattern: 'api/*' }, project.context)).toEqual([
      { kind: 'read', path: project.path('api') },
    ]);
  });

  it('tells no match, a bad pattern, a missing path and a time-out apart', async () => {
    const project = makeProject({ 'a.ts': '' });
    const tool = globTool({ ...project, search });
    expect((await project.run(tool, { pattern: '*.zig' })).text).toContain('No files match *.zig');
    await expect(project.run(tool, { pattern: 'a[b' })).rejects.toThrow('error parsing glob');
    await expect(project.run(tool, { pattern: '*', path: 'none' })).rejects.toThrow('does not exist');
    const slow = await project.run(globTool({ ...project, search: timedOut }), { pattern: '*' });
    expect(slow.text).toContain('longer than 20 s');
  });
});

describe('grep', () => {
  const files = { 'src/a.ts': 'foo\nbar\nFoo\n', 'src/b.py': 'x\nfoo\ny\nz\nfoo\n', 'docs/c d.md': 'foo bar\n' };

  it('names files by default', async () => {
    const project = makeProject(files);
    const result = await project.run(grepTool({ ...project, search }), { pattern: 'foo' });
    expect(result.text).toBe('docs/c d.md\nsrc/a.ts\nsrc/b.py');
    expect(result.files).toHaveLength(3);
  });

  it('shows lines with context, or counts', async () => {
    const project = makeProject(files);
    const tool = grepTool({ ...project, search });
    const content = await project.run(tool, {
      pattern: 'foo',
      output_mode: 'content',
      path: 'src/b.py',
      context_before: 1,
      context_after: 0,
    });
    expect(content.text).toBe('src/b.py\n1- x\n2: foo\n--\n4- z\n5: foo');
    const counts = await project.run(tool, { pattern: 'foo', output_mode: 'count', case_insensitive: true });
    expect(counts.text).toBe('docs/c d.md: 1\nsrc/a.ts: 2\nsrc/b.py: 2');
    const typed = await project.run(tool, { pattern: 'foo', type: 'py', output_mode: 'count' });
    expect(typed.text).toBe('src/b.py: 2');
    const globbed = await project.run(tool, { pattern: 'foo', glob: '*.{md,ts}' });
    expect(globbed.text).toBe('docs/c d.md\nsrc/a.ts');
  });

  it('pages in one order, however many there are', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`d${index % 7}/f-${index}.txt`, 'hit\n'.repeat(50)]),
    );
    const project = makeProject(many);
    const asked: GrepQuery[] = [];
    const watching: Search = { ...search, grep: (query, options) => (asked.push(query), search.grep(query, options)) };
    const tool = grepTool({ ...project, search: watching });
    const page = async (offset: number) =>
      (await project.run(tool, { pattern: 'hit', output_mode: 'content', head_limit: 100, offset })).text;
    const [first, second, again] = [await page(0), await page(100), await page(100)];
    expect(second).toBe(again);
    expect(asked.map((query) => [query.limit, query.sorted ?? false])).toEqual([
      [2_000, false],
      [101, true],
      [2_000, false],
      [201, true],
      [2_000, false],
      [201, true],
    ]);
    expect(first.endsWith('(cut; more: offset 100)')).toBe(true);
    const filesOf = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('d'));
    expect(filesOf(first)).toEqual(['d0/f-0.txt', 'd0/f-14.txt']);
    expect(filesOf(second)).toEqual(['d0/f-21.txt', 'd0/f-28.txt']);
  });

  it('tells no match, a bad pattern, a bad type, a missing path and a time-out apart', async () => {
    const project = makeProject(files);
    const tool = grepTool({ ...project, search });
    expect((await project.run(tool, { pattern: 'absent' })).text).toContain('No matches for absent');
    await expect(project.run(tool, { pattern: 'a(' })).rejects.toThrow('The search could not be made');
    await expect(project.run(tool, { pattern: 'a', type: 'nope' })).rejects.toThrow('unrecognized file type');
    await expect(project.run(tool, { pattern: 'a', path: 'srcc' })).rejects.toThrow('Did you mean src');
    const slow = await project.run(grepTool({ ...project, search: timedOut }), { pattern: 'a' });
    expect(slow.text).toContain('longer than 20 s');
  });

  it('shows no lines of sensitive files that were not named', async () => {
    const project = makeProject({ '.env': 'KEY=foo\n', 'a.txt': 'foo\n' });
    const tool = grepTool({ ...project, search, sensitive: (path) => path.endsWith('.env') });
    const { text } = await project.run(tool, { pattern: 'foo', output_mode: 'content' });
    expect(text).toContain('a.txt\n1: foo');
    expect(text).toContain('matches in .env are not shown');
    expect(text).not.toContain('KEY');
    expect((await project.run(tool, { pattern: 'foo', path: '.env', output_mode: 'content' })).text).toContain(
      'KEY=foo',
    );
  });

  it('marks the turn when it shows what somebody else wrote and a person attached', async () => {
    const project = makeProject({
      'home/attachments/1.txt': 'mine: tide\n',
      'home/attachments/2.outside.md': 'theirs: tide\n',
    });
    const tool = grepTool({ ...project, search, ownFolders: [project.path('home')] });
    const grep = (pattern: string, path = 'home') => project.run(tool, { pattern, path, output_mode: 'content' });
    await grep('mine');
    expect(project.told.untrusted).toEqual([]);
    expect((await grep('tide')).text).toContain('theirs: tide');
    expect(project.told.untrusted).toEqual(['home/attachments/2.outside.md']);
  });

  it('marks the turn when it searches outside, and needs a folder', async () => {
    const project = makeProject({ 'app/a': 'x', 'other/b': 'x' }, { folders: ['app'] });
    await project.run(grepTool({ ...project, search }), { pattern: 'x', path: '../other' });
    expect(project.told.untrusted).toEqual([project.path('other')]);
    const workspace = { ...project.workspace, folders: () => [] };
    await expect(project.run(grepTool({ workspace, search }), { pattern: 'x' })).rejects.toThrow('No folder is open');
  });
});
