import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { button, type ModelWorkbench, openWithModel, toolCard } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

const notebook = (source: string) =>
  `${JSON.stringify(
    {
      cells: [
        { cell_type: 'markdown', id: 'aa11', metadata: {}, source: ['# Title'] },
        {
          ...{ cell_type: 'code', execution_count: 3, id: 'bb22', metadata: {} },
          outputs: [{ name: 'stdout', output_type: 'stream', text: ['seven\n'] }],
          source: [source],
        },
        { cell_type: 'code', execution_count: null, id: 'cc33', metadata: {}, outputs: [], source: ['last = 1'] },
      ],
      metadata: { kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' } },
      nbformat: 4,
      nbformat_minor: 5,
    },
    null,
    1,
  )}\n`;

interface Cell {
  id: string;
  source: string[];
  outputs?: unknown[];
}

describe('notebooks', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    const withR = notebook('x <- 1').replace('"language": "python"', '"language": "R"').replace('last = 1', 'y <- 2');
    const workspace = {
      'r.ipynb': withR,
      'parts.ipynb': notebook('print(7)'),
      'closed.ipynb': notebook('print(7)'),
      'open.ipynb': notebook('print("open")'),
    };
    workbench = await openWithModel({ workspace, settings: { 'files.autoSave': 'off' } });
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const disk = (name: string) => readFileSync(join(workbench.workspacePath ?? '', name), 'utf8');
  const cells = (name: string) => (JSON.parse(disk(name)) as { cells: Cell[] }).cells;
  const tab = (name: string) => workbench.page.locator(`.tab[data-resource-name="${name}"]`);
  const isDirty = async (name: string) => (await tab(name).getAttribute('class'))?.includes('dirty') ?? false;
  const shown = async () =>
    (await workbench.page.locator('.notebook-editor .view-lines').allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
  const call = async (...calls: Record<string, unknown>[]) => {
    const steps = calls.map(({ tool, ...args }) => ({ toolCalls: [{ name: String(tool), args }] }));
    workbench.model.setScript([...steps, { text: 'Done.' }]);
    await workbench.ask('go on');
    const messages = workbench.model.requests.at(-1)?.body.messages as { role: string; content: unknown }[];
    return messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  };
  const offered = () => JSON.stringify(workbench.model.requests.at(-1)?.body).includes('"notebook_edit"');
  const openNotebook = async (name: string) => {
    await workbench.page.keyboard.press('Control+p');
    const widget = workbench.page.locator('.quick-input-widget');
    await widget.locator('input').first().fill(name);
    await widget.locator('.label-name').getByText(name, { exact: true }).first().click();
    await tab(name).and(workbench.page.locator('.active')).waitFor();
    await workbench.page.locator('.notebook-editor .cell-list-container').filter({ visible: true }).first().waitFor();
  };
  const undo = async () => button(chat.getByRole('region', { name: '1 file changed' }).last(), 'Undo').click();

  it('changes one that nobody has open, byte for byte, once it was read', async () => {
    workbench.model.setScript([{ text: 'Hello.' }]);
    await workbench.ask('hello');
    expect(offered()).toBe(false);
    const before = disk('closed.ipynb');
    const path = 'closed.ipynb';
    const told = await call(
      { tool: 'read_file', path },
      { tool: 'notebook_edit', path, cell: 1, mode: 'replace', source: 'print(8)' },
    );
    expect(told.at(-2)).toContain('=== cell 1 (code, python)');
    expect(told.at(-1)).toContain('Replaced cell 1 of closed.ipynb (now 3 cells).');
    expect(offered()).toBe(true);
    expect(disk('closed.ipynb')).toBe(before.replace('print(7)', 'print(8)'));
    await undo();
    await until('the undo', () => disk('closed.ipynb') === before);
  });

  it('changes an open one in its editor, keeps the outputs, and saves', async () => {
    await openNotebook('open.ipynb');
    const path = 'open.ipynb';
    await call(
      { tool: 'read_file', path },
      { tool: 'notebook_edit', path, cell: 1, mode: 'replace', source: 'print("changed")' },
      { tool: 'notebook_edit', path, cell: 3, mode: 'insert', source: 'added = 2' },
    );
    await until('the editor to show it', async () => (await shown()).includes('added = 2'));
    expect(await shown()).toContain('print("changed")');
    expect(await isDirty('open.ipynb')).toBe(false);
    expect(cells('open.ipynb').map(({ source }) => source.join(''))).toEqual([
      ...['# Title', 'print("changed")', 'last = 1', 'added = 2'],
    ]);
    expect(cells('open.ipynb')[1]?.outputs).toHaveLength(1);
    await workbench.screenshot('notebook-open');
    await undo();
    const before = (JSON.parse(notebook('print("open")')) as { cells: Cell[] }).cells;
    // The editor empties the file before it writes it.
    const isWhole = () => disk('open.ipynb').endsWith('}\n');
    await until('the undo', () => isWhole() && JSON.stringify(cells('open.ipynb')) === JSON.stringify(before));
    await until('the editor to show it', async () => (await shown()).includes('print("open")'));
  });

  it("sees a person's unsaved text, edits beside it and leaves it unsaved; Undo brings back a deleted cell with its output", async () => {
    const last = workbench.page.locator('.notebook-editor .code-cell-row .view-lines').last();
    await last.click();
    await workbench.page.keyboard.press('Control+End');
    await workbench.page.keyboard.type(' + 41');
    await until('the tab to be dirty', () => isDirty('open.ipynb'));
    const before = disk('open.ipynb');
    const path = 'open.ipynb';
    const told = await call({ tool: 'read_file', path }, { tool: 'notebook_edit', path, cell: 1, mode: 'delete' });
    expect(told.at(-2)).toContain('last = 1 + 41');
    expect(told.at(-2)).toContain('unsaved changes');
    expect(told.at(-1)).toContain('not saved yet');
    await until('the cell to go', async () => !(await shown()).includes('print("open")'));
    expect(disk('open.ipynb')).toBe(before);
    expect(await isDirty('open.ipynb')).toBe(true);
    await toolCard(chat, 'notebook_edit', 'ok').waitFor();
    await undo();
    await until('the cell to come back', async () => (await shown()).includes('print("open")'));
    expect(await shown()).toContain('last = 1 + 41');
    expect(disk('open.ipynb')).toBe(before);
    await last.click();
    await workbench.page.keyboard.press('Control+s');
    await until('the file', () => disk('open.ipynb') !== before);
    expect(cells('open.ipynb').map(({ id }) => id)).toEqual(['aa11', 'bb22', 'cc33']);
    expect(cells('open.ipynb')[1]?.outputs).toEqual([{ name: 'stdout', output_type: 'stream', text: ['seven\n'] }]);
    expect(cells('open.ipynb')[2]?.source).toEqual(['last = 1 + 41']);
  });

  it('leaves the other cells of an open notebook in R as they are', async () => {
    await openNotebook('r.ipynb');
    const path = 'r.ipynb';
    await call(
      { tool: 'read_file', path },
      { tool: 'notebook_edit', path, cell: 1, mode: 'replace', source: 'x <- 3' },
    );
    expect(cells(path).map(({ source }) => source.join(''))).toEqual(['# Title', 'x <- 3', 'y <- 2']);
    expect(cells(path)[1]?.outputs).toHaveLength(1);
    expect(disk(path)).not.toContain('languageId');
  });

  it('changes outputs and metadata of an open one, and takes that back', async () => {
    await openNotebook('parts.ipynb');
    const path = 'parts.ipynb';
    const before = disk(path);
    const edits = [
      { old_text: 'seven', new_text: 'eight' },
      { old_text: 'Python 3', new_text: 'Python 4' },
    ];
    const told = await call({ tool: 'read_file', path }, { tool: 'edit_file', path, edits });
    expect(told.at(-1)).toContain('parts.ipynb');
    await until('the file', () => disk(path) === before.replace('seven', 'eight').replace('Python 3', 'Python 4'));
    expect(await isDirty(path)).toBe(false);
    await undo();
    await until('the undo', () => disk(path) === before);
  });
});
