import { chmodSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Diagnostic, Workspace } from '../../../src/platform/ports.js';
import { editFileTool } from '../../../src/tools/editFile.js';
import { readFileTool } from '../../../src/tools/readFile.js';
import { writeFileTool } from '../../../src/tools/writeFile.js';
import { makeProject, type Project } from '../../support/project.js';

function tools(project: Project, workspace = project.workspace) {
  return {
    read: (path: string) => project.run(readFileTool({ workspace }), { path, force: true }),
    write: (path: string, content: string) => project.run(writeFileTool({ workspace }), { path, content }),
    edit: (path: string, old_text: string, new_text: string) =>
      project.run(editFileTool({ workspace }), { path, edits: [{ old_text, new_text }] }),
  };
}

describe('write_file', () => {
  it('creates a file with its folders, keeps the state before, and counts it as read', async () => {
    const project = makeProject();
    const { write, edit } = tools(project);
    const result = await write('新 dir/a.ts', 'one\ntwo\n');
    expect(result.text).toBe('Created 新 dir/a.ts (2 lines).');
    expect(result.diff).toBe('--- /dev/null\n+++ 新 dir/a.ts\n@@ -0,0 +1,2 @@\n+one\n+two\n');
    expect(project.text('新 dir/a.ts')).toBe('one\ntwo\n');
    expect(project.told.changing).toEqual([project.path('新 dir/a.ts')]);
    await edit('新 dir/a.ts', 'one', 'ONE');
    expect(project.text('新 dir/a.ts')).toBe('ONE\ntwo\n');
  });

  it('replaces only what has been read as it is', async () => {
    const project = makeProject({ 'a.txt': 'old\n' });
    const { read, write } = tools(project);
    await expect(write('a.txt', 'new\n')).rejects.toThrow('Read it with read_file first');
    await read('a.txt');
    project.write('a.txt', 'changed by a person\n');
    await expect(write('a.txt', 'new\n')).rejects.toThrow('has changed since you read it');
    expect(project.text('a.txt')).toBe('changed by a person\n');
    expect(project.told.changing).toEqual([]);
    await read('a.txt');
    expect((await write('a.txt', 'new\n')).text).toContain('Replaced a.txt (1 line, +1 −1).');
    expect(project.text('a.txt')).toBe('new\n');
  });

  it('needs no reading for an empty file, and writes nothing where nothing changes', async () => {
    const project = makeProject({ 'empty.txt': '', 'same.txt': 'x\r\n' });
    const { read, write } = tools(project);
    await write('empty.txt', 'text\n');
    expect(project.text('empty.txt')).toBe('text\n');
    await read('same.txt');
    expect((await write('same.txt', 'x\n')).text).toContain('exactly this content already');
    expect(project.told.changing).toEqual([project.path('empty.txt')]);
  });

  it.each([
    ['CRLF', 'a\r\nb\r\n', 'x\ny\n', Buffer.from('x\r\ny\r\n')],
    ['BOM', '\uFEFFa\n', 'x\n', Buffer.from('\uFEFFx\n')],
    ['UTF-16', Buffer.from('\uFEFFa\n', 'utf16le'), 'x你\n', Buffer.from('\uFEFFx你\n', 'utf16le')],
    ['Latin-1', Buffer.from([0xe9, 0x0a]), 'è\n', Buffer.from([0xe8, 0x0a])],
  ])('keeps %s', async (_, before, content, after) => {
    const project = makeProject({ 'a.txt': before });
    const { read, write } = tools(project);
    await read('a.txt');
    await write('a.txt', content);
    expect(project.bytes('a.txt')).toEqual(after);
    await write('a.txt', `${content}more\n`);
  });

  it('refuses a character that the file cannot hold, and leaves the file', async () => {
    const project = makeProject({ 'a.txt': Buffer.from([0xe9, 0x0a]) });
    const { read, write } = tools(project);
    await read('a.txt');
    await expect(write('a.txt', '中\n')).rejects.toThrow(/windows-1252.*"中"/);
    expect(project.bytes('a.txt')).toEqual(Buffer.from([0xe9, 0x0a]));
  });

  it('keeps permissions and links', async () => {
    const project = makeProject({ 'run.sh': 'old\n' });
    chmodSync(project.path('run.sh'), 0o755);
    symlinkSync('run.sh', project.path('link.sh'));
    const { read, write } = tools(project);
    await read('link.sh');
    await write('link.sh', 'new\n');
    expect(project.text('run.sh')).toBe('new\n');
    expect(statSync(project.path('run.sh')).mode & 0o777).toBe(0o755);
  });

  it.each([
    ['a folder', 'dir', 'is a folder'],
    ['a name that ends like a folder', 'dir/new/', 'give the name of a file'],
    ['a path through a file', 'file.txt/x', 'a part of the path is a file'],
    ['a name too long', 'n'.repeat(300), 'too long'],
  ])('names what is wrong with %s', async (_, path, message) => {
    const project = makeProject({ 'dir/x': '', 'file.txt': 'f' });
    await expect(tools(project).write(path, 'x')).rejects.toThrow(message);
  });

  it('refuses a read-only file and Restricted Mode', async () => {
    const project = makeProject({ 'a.txt': 'old\n' });
    chmodSync(project.path('a.txt'), 0o444);
    await tools(project).read('a.txt');
    await expect(tools(project).write('a.txt', 'new')).rejects.toThrow('read-only');
    const restricted: Workspace = { ...project.workspace, trusted: () => false };
    await expect(tools(project, restricted).write('b.txt', 'new')).rejects.toThrow('Restricted Mode');
  });

  it('shows the approval what would change', async () => {
    const project = makeProject({ 'a.txt': 'old\r\nsame\r\n' });
    const access = await writeFileTool(project).access({ path: 'a.txt', content: 'new\nsame\n' }, project.context);
    expect(access).toMatchObject([
      {
        kind: 'write',
        path: project.path('a.txt'),
        diff: '--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n-old\n+new\n same\n',
      },
    ]);
  });
});

describe('edit_file', () => {
  it('edits what has been read, shows the change, and can go on without reading again', async () => {
    const project = makeProject({ 'a.ts': 'const a = 1;\nconst b = 2;\n' });
    const { read, edit } = tools(project);
    await expect(edit('a.ts', 'a = 1', 'a = 3')).rejects.toThrow('Read it with read_file first');
    await read('a.ts');
    const result = await edit('a.ts', 'b = 2', 'b = 4');
    expect(result.text).toBe('Edited a.ts (+1 −1).\n@@ -1,2 +1,2 @@\n const a = 1;\n-const b = 2;\n+const b = 4;');
    expect(result.files).toEqual([{ path: project.path('a.ts'), line: 2 }]);
    await edit('a.ts', 'a = 1', 'a = 3');
    expect(project.text('a.ts')).toBe('const a = 3;\nconst b = 4;\n');
  });

  it('refuses what changed since, binary files and files too large', async () => {
    const project = makeProject({
      'a.ts': 'a\n',
      'b.bin': Buffer.from([0, 1, 2, 0]),
      'c.txt': Buffer.alloc(11 * 1024 * 1024, 'x'),
    });
    const { read, edit } = tools(project);
    await read('a.ts');
    project.write('a.ts', 'b\n');
    await expect(edit('a.ts', 'b', 'c')).rejects.toThrow('has changed since you read it');
    await expect(edit('b.bin', 'b', 'c')).rejects.toThrow('is no text');
    await expect(edit('c.txt', 'x', 'c')).rejects.toThrow('too large to edit');
    await expect(edit('d.ts', 'x', 'c')).rejects.toThrow('does not exist');
  });

  it('keeps CRLF, BOM and a missing final newline, byte for byte', async () => {
    const project = makeProject({ 'a.txt': '\uFEFFone\r\ntwo\r\nthree' });
    const { read, edit } = tools(project);
    await read('a.txt');
    await edit('a.txt', 'one\ntwo', 'ONE\nTWO');
    expect(project.bytes('a.txt')).toEqual(Buffer.from('\uFEFFONE\r\nTWO\r\nthree'));
  });

  it('changes nothing where one edit fails, or all cancel each other out', async () => {
    const project = makeProject({ 'a.txt': 'a b\n' });
    await tools(project).read('a.txt');
    const tool = editFileTool(project);
    const edits = [
      { old_text: 'a', new_text: 'x' },
      { old_text: 'q', new_text: 'y' },
    ];
    await expect(project.run(tool, { path: 'a.txt', edits })).rejects.toThrow('None of the edits was made');
    const back = [
      { old_text: 'a', new_text: 'x' },
      { old_text: 'x', new_text: 'a' },
    ];
    await expect(project.run(tool, { path: 'a.txt', edits: back })).rejects.toThrow('cancel each other out');
    expect(project.text('a.txt')).toBe('a b\n');
    expect(project.told.changing).toEqual([]);
  });

  it('shows what a formatter made of the edit, and counts that as read', async () => {
    const project = makeProject({ 'a.ts': 'let a=1\n' });
    const workspace: Workspace = {
      ...project.workspace,
      write: async (path, bytes) => {
        const text = Buffer.from(bytes).toString().replaceAll('=', ' = ');
        return project.workspace.write(path, Buffer.from(text));
      },
    };
    const { read, edit } = tools(project, workspace);
    await read('a.ts');
    const { text } = await edit('a.ts', 'a=1', 'b=2');
    expect(text).toContain('+let b = 2');
    expect(text).toContain('The editor changed the text on saving');
    await edit('a.ts', 'b = 2', 'c');
    expect(project.text('a.ts')).toBe('let c\n');
  });

  it("says that an edit is in the person's unsaved text", async () => {
    const project = makeProject({ 'a.ts': 'saved\n' });
    let buffer = 'typed\n';
    const workspace: Workspace = {
      ...project.workspace,
      read: async (path) => ({ ...(await project.workspace.read(path)), bytes: Buffer.from(buffer), dirty: true }),
      write: (_, bytes) => {
        buffer = Buffer.from(bytes).toString();
        return Promise.resolve({ text: buffer, saved: false });
      },
    };
    const { read, edit } = tools(project, workspace);
    await read('a.ts');
    expect((await edit('a.ts', 'typed', 'edited')).text).toContain('not saved yet');
    expect(buffer).toBe('edited\n');
    expect(project.text('a.ts')).toBe('saved\n');
  });

  it('adds the errors that it caused, and no others', async () => {
    const project = makeProject({ 'a.ts': 'a\n' });
    const problem = (line: number, message: string, severity: Diagnostic['severity'] = 'error'): Diagnostic => ({
      path: project.path('a.ts'),
      line,
      column: 1,
      severity,
      message,
      source: 'ts(1)',
    });
    let problems = [problem(3, 'old one'), problem(4, 'twice')];
    const workspace: Workspace = {
      ...project.workspace,
      hasDiagnostics: () => true,
      diagnostics: (_, options) => {
        const now = problems;
        if (!options?.settle)
          problems = [problem(9, 'old one'), problem(4, 'twice'), problem(5, 'twice'), problem(1, 'style', 'warning')];
        return Promise.resolve(now);
      },
    };
    const { read, edit } = tools(project, workspace);
    await read('a.ts');
    const { text } = await edit('a.ts', 'a', 'b');
    expect(text.split('New problems after this edit:\n')[1]).toBe('a.ts:5:1 error ts(1): twice');
  });

  it('proposes a diff for the approval, or none where the edits do not fit', async () => {
    const project = makeProject({ 'a.txt': 'a\n' });
    const tool = editFileTool(project);
    const access = (old_text: string) =>
      tool.access({ path: 'a.txt', edits: [{ old_text, new_text: 'b' }] }, project.context);
    expect(await access('a')).toMatchObject([
      { kind: 'write', path: project.path('a.txt'), diff: '--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-a\n+b\n' },
    ]);
    expect(await access('q')).toEqual([{ kind: 'write', path: project.path('a.txt') }]);
  });
});
