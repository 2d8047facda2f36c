import { execFileSync } from 'node:child_process';
import { openSync, symlinkSync, truncateSync, writeSync, closeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Workspace } from '../../../src/platform/ports.js';
import { ToolError } from '../../../src/runner/tool.js';
import { readFileTool } from '../../../src/tools/readFile.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { createPageReader } from '../../../src/tools/support/web/pageReader.js';
import { makePdf } from '../../support/pdf.js';
import { makeProject } from '../../support/project.js';
import { testWorkers } from '../../support/workers.js';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('text', () => {
  it('comes with line numbers and the range', async () => {
    const project = makeProject({ 'src/a.ts': 'one\ntwo\nthree\n' });
    const result = await project.run(readFileTool(project), { path: 'src/a.ts' });
    expect(result.text).toBe('src/a.ts, lines 1–3 of 3\n1| one\n2| two\n3| three');
    expect(result.files).toEqual([{ path: project.path('src/a.ts') }]);
  });

  it('is paged with offset and limit, and says where to go on', async () => {
    const project = makeProject({ 'a.txt': 'a\nb\nc\nd' });
    const tool = readFileTool(project);
    expect((await project.run(tool, { path: 'a.txt', offset: 2, limit: 2 })).text).toBe(
      'a.txt, lines 2–3 of 4 (no final newline)\n2| b\n3| c\n(more: offset 4)',
    );
    await expect(project.run(tool, { path: 'a.txt', offset: 5 })).rejects.toThrow('only 4 lines');
  });

  it('stops at 2,000 lines and at 128,000 characters', async () => {
    const project = makeProject({
      'long.txt': 'x\n'.repeat(3_000),
      'wide.txt': `${'y'.repeat(1_000)}\n`.repeat(300),
      'one.js': 'z'.repeat(200_000),
    });
    const tool = readFileTool(project);
    expect((await project.run(tool, { path: 'long.txt' })).text).toContain('lines 1–2000 of 3000');
    const wide = await project.run(tool, { path: 'wide.txt' });
    expect(wide.text).toContain('lines 1–127 of 300');
    expect(wide.text.endsWith('(more: offset 128)')).toBe(true);
    const one = await project.run(tool, { path: 'one.js' });
    expect(one.text.length).toBeLessThan(128_200);
    expect(one.text).toContain('(line 1 is too long and cut here)');
  });

  it.each([
    ['CRLF', 'a\r\nb\r\n', '(CRLF)'],
    ['BOM', '\uFEFFa\nb\n', '(BOM)'],
    ['mixed line ends', 'a\r\nb\n', '(mixed line ends)'],
    ['UTF-16', Buffer.from('\uFEFFa\nb\n', 'utf16le'), '(utf-16le, BOM)'],
    ['Latin-1', Buffer.from([0x61, 0x0a, 0x62, 0x0a, 0xe9]), '(windows-1252, no final newline)'],
  ])('names %s and shows clean lines', async (_, content, note) => {
    const project = makeProject({ 'a.txt': content });
    const { text } = await project.run(readFileTool(project), { path: 'a.txt' });
    expect(text.split('\n')[0]).toContain(note);
    expect(text.split('\n').slice(1, 3)).toEqual(['1| a', '2| b']);
  });

  it('of an empty file is said to be empty', async () => {
    const project = makeProject({ 'a.txt': '', 'b.txt': '\n' });
    expect((await project.run(readFileTool(project), { path: 'a.txt' })).text).toBe('a.txt is empty.');
    expect((await project.run(readFileTool(project), { path: 'b.txt' })).text).toBe('b.txt, lines 1–1 of 1\n1| ');
  });

  it('is not sent again while it is unchanged, unless forced', async () => {
    const project = makeProject({ 'a.txt': 'one\ntwo\n' });
    const tool = readFileTool(project);
    await project.run(tool, { path: 'a.txt' });
    expect((await project.run(tool, { path: 'a.txt' })).text).toContain('unchanged since you read it');
    expect((await project.run(tool, { path: 'a.txt', offset: 2 })).text).toContain('2| two');
    expect((await project.run(tool, { path: 'a.txt', force: true })).text).toContain('1| one');
    project.write('a.txt', 'new\n');
    expect((await project.run(tool, { path: 'a.txt' })).text).toContain('1| new');
    project.context.reads.forget(project.path('a.txt'));
    expect((await project.run(tool, { path: 'a.txt' })).text).toContain('1| new');
  });

  it('of the editor wins over the disk', async () => {
    const project = makeProject({ 'a.txt': 'saved\n' });
    const workspace: Workspace = {
      ...project.workspace,
      read: async (path) => ({ ...(await project.workspace.read(path)), bytes: Buffer.from('typed\n'), dirty: true }),
    };
    const { text } = await project.run(readFileTool({ workspace }), { path: 'a.txt' });
    expect(text).toBe('a.txt, lines 1–1 of 1 (with unsaved changes of the editor)\n1| typed');
    expect(project.context.reads.check(project.path('a.txt'), Buffer.from('typed\n'))).toBe('fresh');
  });
});

it('reads the wanted lines of a file of 200 MB without holding it', async () => {
  const project = makeProject();
  const path = project.write('big.log', Array.from({ length: 300_000 }, (_, i) => `line ${i + 1} 你好`).join('\n'));
  truncateSync(path, 200 * 1024 * 1024);
  const file = openSync(path, 'r+');
  writeSync(file, '\nlast', 200 * 1024 * 1024 - 5);
  closeSync(file);
  let most = 0;
  const workspace: Workspace = {
    ...project.workspace,
    read: () => Promise.reject(new Error('must not be read whole')),
    readRange: (target, offset, length) => {
      most = Math.max(most, offset + length);
      return project.workspace.readRange(target, offset, length);
    },
  };
  const { text } = await project.run(readFileTool({ workspace }), { path: 'big.log', offset: 200_000, limit: 2 });
  expect(text).toBe(
    'big.log, lines 200000–200001 of many more (200 MB)\n200000| line 200000 你好\n200001| line 200001 你好\n(more: offset 200002)',
  );
  expect(most).toBeLessThan(8 * 1024 * 1024);
});

it('counts the lines of a large file when it reaches the end', async () => {
  const lines = Array.from({ length: 150_000 }, (_, i) => `${i + 1} ${'x'.repeat(80)}`);
  const project = makeProject({ 'big.txt': lines.join('\r\n') });
  const tool = readFileTool(project);
  const { text } = await project.run(tool, { path: 'big.txt', offset: 149_999 });
  expect(text.split('\n').map((line) => line.slice(0, 20))).toEqual([
    'big.txt, lines 14999',
    '149999| 149999 xxxxx',
    '150000| 150000 xxxxx',
  ]);
  expect(text).toContain('149999–150000 of 150000');
  await expect(project.run(tool, { path: 'big.txt', offset: 150_001 })).rejects.toThrow('only 150000 lines');
});

describe('other files', () => {
  it('gives images as images, by their bytes and not their names', async () => {
    const project = makeProject({ 'picture.txt': png });
    const result = await project.run(readFileTool(project), { path: 'picture.txt' });
    expect(result.images).toEqual([
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } },
    ]);
    expect(result.text).toBe('picture.txt, image/png, 16 B');
  });

  it('refuses images over 5 MB with a word', async () => {
    const project = makeProject({ 'a.png': Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]) });
    await expect(project.run(readFileTool(project), { path: 'a.png' })).rejects.toThrow('images up to 5 MB');
    project.write('b.png', Buffer.concat([png, Buffer.alloc(12 * 1024 * 1024)]));
    await expect(project.run(readFileTool(project), { path: 'b.png' })).rejects.toThrow('images up to 5 MB');
  });

  it('of a PDF is its text by pages, or a word on why there is none', async () => {
    const project = makeProject({
      'a.pdf': makePdf(['Tides (1)', 'Moons']),
      'scan.pdf': makePdf(['']),
      'bad.pdf': '%PDF-1.7\nno more\n',
    });
    const { pdfText } = createPageReader({ workers: await testWorkers(), clock: nodeClock() });
    const tool = readFileTool({ ...project, pdf: pdfText });
    expect((await project.run(tool, { path: 'a.pdf' })).text).toMatch(
      /^a\.pdf, lines 1–5 of 5 \(PDF, 2 pages\)\n1\| --- page 1 ---\n2\| Tides \(1\)\n/,
    );
    expect((await project.run(tool, { path: 'a.pdf', offset: 5 })).text).toContain('5| Moons');
    await expect(project.run(tool, { path: 'scan.pdf' })).rejects.toThrow('holds no text (PDF, 1 page)');
    await expect(project.run(tool, { path: 'bad.pdf' })).rejects.toThrow('the PDF is damaged');
  });

  it('names what a binary is, and for a PDF the way to its text', async () => {
    const project = makeProject({
      'a.pdf': '%PDF-1.7\nlooks like text\n',
      'b.zip': Buffer.from('PK\x03\x04\0\0', 'latin1'),
      'c.docx': Buffer.from('PK\x03\x04\0\0', 'latin1'),
      'd.dat': Buffer.from([1, 0, 2, 0, 0, 3, 9, 9]),
    });
    const tool = readFileTool(project);
    await expect(project.run(tool, { path: 'a.pdf' })).rejects.toThrow('pdftotext');
    await expect(project.run(tool, { path: 'b.zip' })).rejects.toThrow('ZIP archive, 6 B');
    await expect(project.run(tool, { path: 'c.docx' })).rejects.toThrow('Word document');
    await expect(project.run(tool, { path: 'd.dat' })).rejects.toThrow('binary file, 8 B');
  });

  it('shows a notebook as its cells', async () => {
    const notebook = {
      metadata: { kernelspec: { language: 'python' } },
      cells: [
        { cell_type: 'markdown', source: ['# Title\n', 'words'] },
        {
          cell_type: 'code',
          source: 'print(1)',
          outputs: [
            { output_type: 'stream', text: ['1\n'] },
            { output_type: 'display_data', data: { 'image/png': 'AAAA' } },
            { output_type: 'error', ename: 'ValueError', evalue: 'no' },
          ],
        },
      ],
    };
    const project = makeProject({ 'n.ipynb': JSON.stringify(notebook), 'broken.ipynb': '{"cells": 3}' });
    const { text } = await project.run(readFileTool(project), { path: 'n.ipynb' });
    for (const part of [
      'notebook, shown as its cells',
      'cell 0 (markdown)',
      '| words',
      'cell 1 (code, python)',
      '(image/png)',
      'ValueError: no',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('AAAA');
    expect((await project.run(readFileTool(project), { path: 'broken.ipynb' })).text).toContain('{"cells": 3}');
  });
});

describe('a path that cannot be read', () => {
  it('gets the nearest names', async () => {
    const project = makeProject({ 'src/readFile.ts': '', 'src/writeFile.ts': '' });
    const tool = readFileTool(project);
    await expect(project.run(tool, { path: 'src/raedFile.ts' })).rejects.toThrow('Did you mean readFile.ts');
    await expect(project.run(tool, { path: 'srcs/a.ts' })).rejects.toThrow('there is no folder srcs');
    await expect(project.run(tool, { path: 'src/readFile.ts/x' })).rejects.toThrow('src/readFile.ts is a file');
  });

  it('is a folder or a pipe: the error says so and nothing hangs', async () => {
    const project = makeProject({ 'src/a.ts': '' });
    const tool = readFileTool(project);
    await expect(project.run(tool, { path: 'src' })).rejects.toThrow('list_dir');
    await expect(project.run(tool, { path: 'a\0b' })).rejects.toThrow(ToolError);
    if (process.platform === 'win32') return;
    execFileSync('mkfifo', [project.path('pipe')]);
    await expect(project.run(tool, { path: 'pipe' })).rejects.toThrow('pipe');
  });
});

describe('paths', () => {
  it.each(['a b.txt', 'it\'s "quoted".txt', '中文/文件.txt', '~tilde.txt'])('finds %s', async (name) => {
    const project = makeProject({ [name]: 'here\n' });
    expect((await project.run(readFileTool(project), { path: name })).text).toBe(`${name}, lines 1–1 of 1\n1| here`);
  });

  it('follows ~, .. and the names of folders', async () => {
    const project = makeProject(
      { 'userhome/n.md': 'home\n', 'web/a.ts': 'web\n', 'api/a.ts': 'api\n' },
      { folders: ['web', 'api'] },
    );
    const tool = readFileTool(project);
    expect((await project.run(tool, { path: '~/n.md' })).text).toBe('~/n.md, lines 1–1 of 1\n1| home');
    expect((await project.run(tool, { path: 'a.ts' })).text).toContain('web/a.ts, lines');
    expect((await project.run(tool, { path: 'api/a.ts' })).text).toContain('1| api');
    expect((await project.run(tool, { path: '../api/a.ts', force: true })).text).toContain('1| api');
  });

  it('outside the workspace mark the turn, links counted by where they lead, own folders not', async () => {
    const project = makeProject(
      { 'app/a.ts': 'in\n', 'other/b.ts': 'out\n', 'nanobot/SKILL.md': 'own\n' },
      { folders: ['app'] },
    );
    symlinkSync(project.path('other/b.ts'), project.path('app/link.ts'));
    const tool = readFileTool({ workspace: project.workspace, ownFolders: [project.path('nanobot')] });
    await project.run(tool, { path: 'a.ts' });
    await project.run(tool, { path: project.path('nanobot/SKILL.md') });
    expect(project.told.untrusted).toEqual([]);
    await project.run(tool, { path: 'link.ts' });
    await project.run(tool, { path: '../other/b.ts' });
    expect(project.told.untrusted).toEqual(['link.ts', project.path('other/b.ts')]);
  });

  it('that a person attached and somebody else wrote mark the turn, although they lie in an own folder', async () => {
    const project = makeProject(
      { 'home/attachments/1.txt': 'mine\n', 'home/attachments/2.outside.md': 'theirs\n', 'app/a.ts': '' },
      { folders: ['app'] },
    );
    symlinkSync(project.path('home/attachments/2.outside.md'), project.path('app/notes.md'));
    const tool = readFileTool({ workspace: project.workspace, ownFolders: [project.path('home')] });
    await project.run(tool, { path: '../home/attachments/1.txt' });
    expect(project.told.untrusted).toEqual([]);
    await project.run(tool, { path: '../home/attachments/2.outside.md' });
    await project.run(tool, { path: 'notes.md' });
    expect(project.told.untrusted).toEqual([project.path('home/attachments/2.outside.md'), 'notes.md']);
  });

  it('are given to the approval as absolute ones', async () => {
    const project = makeProject();
    const access = await readFileTool(project).access({ path: '../x' }, project.context);
    expect(access).toEqual([{ kind: 'read', path: project.path('../x').replace(/\/$/, '') }]);
  });
});
