import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { deleteFileTool } from '../../../src/tools/deleteFile.js';
import { editFileTool } from '../../../src/tools/editFile.js';
import { readFileTool } from '../../../src/tools/readFile.js';
import { renameFileTool } from '../../../src/tools/renameFile.js';
import { makeProject } from '../../support/project.js';

describe('delete_file', () => {
  it('deletes a file or an empty folder after keeping its state', async () => {
    const project = makeProject({ 'a b.txt': 'x' });
    mkdirSync(project.path('empty'));
    const tool = deleteFileTool(project);
    expect((await project.run(tool, { path: 'a b.txt' })).text).toBe('Deleted a b.txt.');
    await project.run(tool, { path: 'empty' });
    expect([existsSync(project.path('a b.txt')), existsSync(project.path('empty'))]).toEqual([false, false]);
    expect(project.told.changing).toEqual([project.path('a b.txt'), project.path('empty')]);
  });

  it.each([
    ['a folder with something in it', 'dir', 'exec'],
    ['a link', 'link', 'symbolic link'],
    ['nothing', 'fil.txt', 'Did you mean file.txt'],
    ['the workspace itself', '.', "workspace's own folder"],
  ])('refuses %s', async (_, path, message) => {
    const project = makeProject({ 'dir/x': '', 'file.txt': '' });
    symlinkSync('file.txt', project.path('link'));
    await expect(project.run(deleteFileTool(project), { path })).rejects.toThrow(message);
    expect(project.told.changing).toEqual([]);
  });

  it("refuses a file with a person's unsaved changes", async () => {
    const project = makeProject({ 'a.txt': 'x' });
    const workspace = {
      ...project.workspace,
      read: async (path: string) => ({ ...(await project.workspace.read(path)), dirty: true }),
    };
    await expect(project.run(deleteFileTool({ workspace }), { path: 'a.txt' })).rejects.toThrow('unsaved changes');
  });

  it('asks for a deletion', async () => {
    const project = makeProject();
    expect(await deleteFileTool(project).access({ path: 'x' }, project.context)).toEqual([
      { kind: 'delete', path: project.path('x') },
    ]);
  });
});

describe('rename_file', () => {
  it('moves a file and keeps that it was read', async () => {
    const project = makeProject({ 'a.ts': 'text\n' });
    await project.run(readFileTool(project), { path: 'a.ts' });
    const result = await project.run(renameFileTool(project), { path: 'a.ts', to: 'lib/新 b.ts' });
    expect(result.text).toBe('Renamed a.ts → lib/新 b.ts.');
    expect(existsSync(project.path('a.ts'))).toBe(false);
    expect(project.told.changing).toEqual([project.path('a.ts'), project.path('lib/新 b.ts')]);
    await project.run(editFileTool(project), { path: 'lib/新 b.ts', edits: [{ old_text: 'text', new_text: 'new' }] });
    expect(project.text('lib/新 b.ts')).toBe('new\n');
  });

  it('moves a folder', async () => {
    const project = makeProject({ 'old/x.ts': 'x' });
    await project.run(renameFileTool(project), { path: 'old', to: 'new/deep' });
    expect(project.text('new/deep/x.ts')).toBe('x');
  });

  it.each([
    ['an existing file', 'a.ts', 'b.ts', 'exists already'],
    ['a folder as the target', 'a.ts', 'dir', "with the file's name"],
    ['the same name', 'a.ts', './a.ts', 'this name already'],
    ['a folder into itself', 'dir', 'dir/sub', 'into itself'],
    ['nothing', 'none.ts', 'c.ts', 'does not exist'],
    ['a target below a file', 'a.ts', 'b.ts/c.ts', 'a part of the path is a file'],
  ])('refuses %s', async (_, path, to, message) => {
    const project = makeProject({ 'a.ts': 'a', 'b.ts': 'b', 'dir/x': '' });
    await expect(project.run(renameFileTool(project), { path, to })).rejects.toThrow(message);
    expect([project.text('a.ts'), project.text('b.ts')]).toEqual(['a', 'b']);
  });

  it('names the files whose imports the editor updated', async () => {
    const project = makeProject({ 'a.ts': 'a' });
    const workspace = {
      ...project.workspace,
      rename: () => Promise.resolve({ alsoChanged: [project.path('main.ts')] }),
    };
    const { text } = await project.run(renameFileTool({ workspace }), { path: 'a.ts', to: 'b.ts' });
    expect(text).toContain('also updated main.ts');
  });
});
