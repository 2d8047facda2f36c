import { describe, expect, it } from 'vitest';
import { notebookEditTool } from '../../../src/tools/notebookEdit.js';
import { readFileTool } from '../../../src/tools/readFile.js';
import { NotebookJson } from '../../../src/tools/support/notebookJson.js';
import { NotebookSight } from '../../../src/tools/support/notebookSight.js';
import { makeProject, type Project } from '../../support/project.js';

/** As Jupyter writes it, with things that a rewrite would change: a float without a fraction, a key that is out of order. */
const jupyter = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "aa11",
   "metadata": {},
   "source": [
    "# Größe \\"x\\" [1, {\\n",
    "\\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "bb22",
   "metadata": {
    "scale": 1.0
   },
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "7\\n"
     ]
    }
   ],
   "source": [
    "print(3 + 4)"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "cc33",
   "metadata": {},
   "outputs": [],
   "source": []
  }
 ],
 "metadata": {
  "version": 2.0,
  "kernelspec": {
   "language": "python"
  }
 },
 "nbformat_minor": 5,
 "nbformat": 4
}
`;
const compact =
  '{"cells": [{"cell_type":"code","metadata":{},"outputs":[],"execution_count":null,"source":"1"}], "nbformat":4}';

describe('notebook_edit', () => {
  const setUp = (text: string) => {
    const project = makeProject({ 'a.ipynb': text });
    const sight = new NotebookSight();
    const read = readFileTool({ ...project, sawNotebook: (key) => sight.note(key) });
    const tool = notebookEditTool({ ...project, sawNotebook: (key) => sight.has(key) });
    return { project, read, tool };
  };
  const edit = async ({ project, read, tool }: ReturnType<typeof setUp>, args: Record<string, unknown>) => {
    await project.run(read, { path: 'a.ipynb', force: true });
    return (await project.run(tool, { path: 'a.ipynb', ...args })).text;
  };
  const cells = (project: Project) =>
    (JSON.parse(project.text('a.ipynb')) as { cells: Record<string, unknown>[] }).cells;

  it.each([
    [{ language_info: { name: 'R' } }, 'r'],
    [{ language_info: { name: 'C#' }, kernelspec: { language: 'python' } }, 'csharp'],
    [{ language_info: { name: '' }, kernelspec: { language: 'F#' } }, 'fsharp'],
    [{ kernelspec: { language: 'C++14' } }, 'c++'],
    [{ language_info: { name: 7 } }, 'python'],
    [undefined, 'python'],
  ])('knows the language of %j', (metadata, language) => {
    const cells = [{ cell_type: 'code', metadata: {}, outputs: [], source: '' }];
    expect(NotebookJson.parse(JSON.stringify({ cells, metadata }))?.cells[0]?.language).toBe(language);
  });

  it("sets a cell to another language, and back to the notebook's own", async () => {
    const bench = setUp(jupyter);
    await edit(bench, { cell: 1, mode: 'replace', source: 'x', language: 'sql' });
    expect(cells(bench.project)[1]?.['metadata']).toEqual({ scale: 1, vscode: { languageId: 'sql' } });
    await edit(bench, { cell: 1, mode: 'replace', source: 'x', language: 'python' });
    expect(cells(bench.project)[1]?.['metadata']).toEqual({ scale: 1 });
  });

  it('is offered to a session that has read a notebook, and to no other', async () => {
    const { project, read, tool } = setUp(jupyter);
    expect(tool.available?.('cli:test')).toBe(false);
    await project.run(read, { path: 'a.ipynb' });
    expect(tool.available?.('cli:test')).toBe(true);
    expect(tool.available?.('cli:other')).toBe(false);
  });

  it('replaces a source and not one other byte', async () => {
    const lab = setUp(jupyter);
    const text = await edit(lab, { cell: 1, mode: 'replace', source: 'x = "é"\nprint(x)\n' });
    expect(lab.project.text('a.ipynb')).toBe(
      jupyter.replace('    "print(3 + 4)"', '    "x = \\"é\\"\\n",\n    "print(x)\\n"'),
    );
    expect(text).toContain('Replaced cell 1 of a.ipynb (now 3 cells).');
    expect(text).toContain('-print(3 + 4)\n+x = "é"\n+print(x)');
    expect(text).toContain('outputs are those of the former source');
    expect(lab.project.told.changing).toEqual([lab.project.path('a.ipynb')]);
    // What it wrote counts as read.
    const again = { path: 'a.ipynb', cell: 2, mode: 'replace', source: 'y' };
    await expect(lab.project.run(lab.tool, again)).resolves.toMatchObject({ files: [{}] });
  });

  it.each([
    ['at the beginning', 0],
    ['in between', 1],
    ['at the end', 3],
  ])('inserts %s; deleting it again gives the very same file', async (_, cell) => {
    const lab = setUp(jupyter);
    await edit(lab, { cell, mode: 'insert', source: 'a\nb', cell_type: 'markdown' });
    const made = cells(lab.project)[cell];
    expect(made).toMatchObject({ cell_type: 'markdown', metadata: {}, source: ['a\n', 'b'] });
    expect(made?.['id']).toMatch(/^[0-9a-f]{8}$/);
    expect(made).not.toHaveProperty('outputs');
    expect(lab.project.text('a.ipynb')).toContain('\n  {\n   "cell_type": "markdown",\n   "id":');
    await edit(lab, { cell, mode: 'delete' });
    expect(lab.project.text('a.ipynb')).toBe(jupyter);
  });

  it('changes type and language, and knows which parts go with them', async () => {
    const lab = setUp(jupyter);
    await edit(lab, { cell: 1, mode: 'replace', source: 'words', cell_type: 'markdown' });
    expect(cells(lab.project)[1]).toEqual({
      ...{ cell_type: 'markdown', id: 'bb22', metadata: { scale: 1 }, source: ['words'] },
    });
    await edit(lab, { cell: 0, mode: 'insert', source: 'SELECT 1', language: 'sql' });
    expect(cells(lab.project)[0]).toMatchObject({
      ...{ cell_type: 'code', execution_count: null, outputs: [], metadata: { vscode: { languageId: 'sql' } } },
    });
  });

  it('keeps the form of a notebook in one line, and fills an empty one', async () => {
    const lab = setUp(compact);
    await edit(lab, { cell: 0, mode: 'replace', source: 'a\nb' });
    expect(lab.project.text('a.ipynb')).toBe(compact.replace('"1"', '"a\\nb"'));
    await edit(lab, { cell: 0, mode: 'delete' });
    expect(cells(lab.project)).toEqual([]);
    await edit(lab, { cell: 0, mode: 'insert', source: 'x' });
    await edit(lab, { cell: 1, mode: 'insert', source: 'y' });
    expect(cells(lab.project).map((one) => one['source'])).toEqual([['x'], ['y']]);
    expect(cells(lab.project)[0]).not.toHaveProperty('id');
    const crlf = setUp('{\r\n "cells": [],\r\n "nbformat": 4\r\n}');
    await edit(crlf, { cell: 0, mode: 'insert', source: 'x' });
    expect(crlf.project.text('a.ipynb').replaceAll('\r\n', '')).not.toContain('\n');
    expect(cells(crlf.project)).toHaveLength(1);
  });

  it('shows the person what would change before it asks', async () => {
    const { project, tool } = setUp(jupyter);
    const args = { path: 'a.ipynb', cell: 1, mode: 'replace', source: 'print(8)' };
    const [access] = await tool.access(args, project.context);
    expect(access).toMatchObject({ kind: 'write', path: project.path('a.ipynb') });
    expect(JSON.stringify(access)).toContain('-print(3 + 4)\\n+print(8)');
  });

  it.each([
    [
      'a number that is not there',
      { cell: 3, mode: 'replace', source: '' },
      'a.ipynb has 3 cells, so for replace cell can be 0 to 2',
    ],
    ['half a number', { cell: 0.5, mode: 'delete' }, 'cell can be 0 to 2'],
    ['a source that is missing', { cell: 0, mode: 'insert' }, 'To insert a cell, give its source'],
    ['what is so already', { cell: 1, mode: 'replace', source: 'print(3 + 4)' }, 'nothing was changed'],
  ])('refuses %s', async (_, args, message) => {
    const lab = setUp(jupyter);
    await expect(edit(lab, args)).rejects.toThrow(message);
    expect(lab.project.told.changing).toEqual([]);
  });

  it('refuses a notebook that was not read, another file, and what is no notebook', async () => {
    const { project, tool } = setUp(jupyter);
    const args = { path: 'a.ipynb', cell: 0, mode: 'delete' };
    await expect(project.run(tool, args)).rejects.toThrow('has not been read');
    await expect(project.run(tool, { ...args, path: 'b.txt' })).rejects.toThrow('use edit_file');
    await expect(edit(setUp('{"worksheets": []}'), args)).rejects.toThrow('no valid notebook of format 4');
    expect(NotebookJson.parse('[')).toBeUndefined();
  });
});
