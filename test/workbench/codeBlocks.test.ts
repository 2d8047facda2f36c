import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ModelWorkbench, openWithModel } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

const shelf = `export const width = 30;

export function fits(books: number[]): boolean {
  return books.length < width;
}

export function empty(): number[] {
  return [];
}

export const names = ['a', 'b'];
export const depth = 3;
`;
const newFits = 'export function fits(books: number[]): boolean {\n  return books.length <= width;\n}';

describe('a code block of an answer', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({
      workspace: {
        'src/shelf.ts': shelf,
        'crlf.ts': shelf.replaceAll('\n', '\r\n'),
        'notes.txt': 'one\n    two\nthree\n',
        'picture.bin': '\u0000\u0001\u0002\u0003'.repeat(20),
      },
      // In a browser VS Code saves by itself.
      settings: { 'terminal.integrated.gpuAcceleration': 'off', 'files.autoSave': 'off' },
    });
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const path = (name: string) => join(workbench.workspacePath ?? '', name);
  const onDisk = (name: string) => readFileSync(path(name), 'utf8');
  const block = (code: string, info = '', before = 'So:') => `${before}\n\n\`\`\`${info}\n${code}\n\`\`\`\n`;
  /** Lets the model say something and presses a button of the first block in it. */
  const press = async (text: string, name: string): Promise<void> => {
    workbench.model.setScript([{ text, chunkSize: 400 }]);
    await workbench.ask('go on');
    await pressAgain(name);
  };
  const pressAgain = async (name: string): Promise<void> => {
    const figure = chat.locator('article').last().locator('figure.code').first();
    await figure.hover();
    await figure.getByRole('button', { name, exact: true }).click();
  };
  const tab = (name: string | RegExp): Locator =>
    workbench.page.locator('.tabs-container .tab').filter({ hasText: name });
  const proposal = () => tab(/proposal, /);
  const dialog = () => workbench.page.locator('.monaco-dialog-box');
  const toast = (words: string) => workbench.page.locator('.notification-toast').filter({ hasText: words });
  const pick = (words: string) =>
    workbench.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: words });
  /** A file that a change went into is shown at last: what comes before that would lose the focus to it. */
  const isShown = async (name: string) => {
    await until('the change to close', async () => (await proposal().count()) === 0);
    await workbench.page.locator(`.editor-instance .monaco-editor.focused[data-uri$="/${name}"]`).waitFor();
  };
  const closeAll = async () => {
    await workbench.runCommand('View: Close All Editors');
  };
  const revert = () => workbench.runCommand('File: Revert File');

  it('says that there is no editor to insert into, and offers a new file in its language', async () => {
    await press(block('const a = 1;', 'ts'), 'Insert at cursor');
    await toast('no editor is open').getByRole('button', { name: 'New File' }).click();
    await tab('Untitled-1').waitFor();
    await workbench.page.locator('.statusbar-item').getByText('TypeScript', { exact: true }).waitFor();
    await workbench.runCommand('View: Revert and Close Editor');
  });

  it('goes in at the cursor of the editor that was active last, indented as its line, undoable and unsaved', async () => {
    const { page } = workbench;
    await workbench.openFile('notes.txt');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.type(' ');
    await press(block('  if (a)\n    b();'), 'Insert at cursor');
    const editor = page.locator('.editor-instance .monaco-editor.focused[data-uri$="/notes.txt"]');
    await editor.waitFor();
    await tab('notes.txt').and(page.locator('.dirty')).waitFor();
    expect(onDisk('notes.txt')).toBe('one\n    two\nthree\n');
    await workbench.runCommand('File: Save');
    await until('the block', () => onDisk('notes.txt') === 'one\n    two if (a)\n      b();\nthree\n');
    await editor.click();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await workbench.runCommand('File: Save');
    await until('the undo', () => onDisk('notes.txt') === 'one\n    two\nthree\n');
    await closeAll();
  });

  it('is shown as a change of the file it names, written only at Apply, by keyboard alone', async () => {
    const { page } = workbench;
    workbench.model.setScript([{ text: block(newFits, 'ts src/shelf.ts'), chunkSize: 400 }]);
    await workbench.ask('change it');
    await chat.locator('article').last().locator('figure.code pre').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await proposal().getByText('shelf.ts: proposal, lines 3–5').waitFor();
    await page.locator('.monaco-diff-editor .line-insert').first().waitFor();
    await workbench.screenshot('code-block-proposal');
    expect(onDisk('src/shelf.ts')).toBe(shelf);
    await page.keyboard.press('Control+Enter');
    await until(
      'the change on disk',
      () => onDisk('src/shelf.ts') === shelf.replace('length < width', 'length <= width'),
    );
    await until('the proposal to close', async () => (await proposal().count()) === 0);
    await page.locator('.editor-instance .monaco-editor.focused[data-uri$="/src/shelf.ts"]').waitFor();
    await page.keyboard.press('Control+z');
    await workbench.runCommand('File: Save');
    await until('the former file', () => onDisk('src/shelf.ts') === shelf);
    await closeAll();
  });

  it('is discarded by a button in the title of the change, or by closing it', async () => {
    await pressAgain('Apply to file');
    await proposal().waitFor();
    await workbench.page
      .locator('.editor-actions')
      .getByRole('button', { name: /Discard Code Block/ })
      .click();
    await until('the proposal to close', async () => (await proposal().count()) === 0);
    expect(onDisk('src/shelf.ts')).toBe(shelf);
  });

  it('is made anew where the file changed meanwhile, and keeps the line ends of the file', async () => {
    await press(block(newFits, 'ts', 'In `crlf.ts`:'), 'Apply to file');
    await proposal().getByText('crlf.ts: proposal').waitFor();
    const added = `// mine\r\n${shelf.replaceAll('\n', '\r\n')}`;
    writeFileSync(path('crlf.ts'), added);
    const apply = () =>
      workbench.page
        .locator('.editor-actions')
        .getByRole('button', { name: /Apply Code Block/ })
        .click();
    await apply();
    await toast('was made anew').waitFor();
    expect(onDisk('crlf.ts')).toBe(added);
    await apply();
    await until('the change', () => onDisk('crlf.ts') === added.replace('length < width', 'length <= width'));
    await isShown('crlf.ts');
    await closeAll();
  });

  it('goes into the unsaved text of an editor, which stays unsaved', async () => {
    const { page } = workbench;
    await workbench.openFile('shelf.ts');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('// half a thought');
    await press(block(newFits, 'ts'), 'Apply to file');
    await proposal().waitFor();
    await workbench.runCommand('Nanobot: Apply Code Block');
    await toast('not saved').waitFor();
    const text = async () =>
      (await page.locator('.monaco-editor[data-uri$="/src/shelf.ts"] .view-line').allInnerTexts())
        .join('\n')
        .replaceAll('\u00a0', ' ');
    await until(
      'both',
      async () => (await text()).includes('<= width') && (await text()).includes('// half a thought'),
    );
    expect(onDisk('src/shelf.ts')).toBe(shelf);
    await revert();
    await closeAll();
  });

  it('without a place in the file is offered at the cursor, at the end and as a new file', async () => {
    await workbench.openFile('notes.txt');
    await press(block('def hello():\n    pass', 'python'), 'Apply to file');
    await pick('Insert at the cursor, before line').waitFor();
    await workbench.screenshot('code-block-nowhere');
    await pick('Insert at the end').click();
    await proposal().getByText('notes.txt: proposal, at the end').waitFor();
    await workbench.runCommand('Nanobot: Apply Code Block');
    await until('the change', () => onDisk('notes.txt') === 'one\n    two\nthree\ndef hello():\n    pass\n');
    await isShown('notes.txt');
    await closeAll();
  });

  it('becomes a file at the path it names only after a question', async () => {
    await press(block('export const made = 1;', 'ts src/deep/made.ts'), 'New file');
    await pick('Create src/deep/made.ts').waitFor();
    expect(existsSync(path('src/deep/made.ts'))).toBe(false);
    await workbench.page.keyboard.press('Enter');
    await until(
      'the file',
      () => existsSync(path('src/deep/made.ts')) && onDisk('src/deep/made.ts') === 'export const made = 1;\n',
    );
    await tab('made.ts').waitFor();
    await closeAll();
  });

  it('asks before it looks at a file outside of the workspace, and says what cannot take it', async () => {
    const outside = join(workbench.files.temp, 'outside.ts');
    writeFileSync(outside, shelf);
    await press(block(newFits, `ts ${outside}`), 'Apply to file');
    await dialog().getByText(outside).waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await press(block('x', 'txt picture.bin'), 'Apply to file');
    await workbench.page.locator('.quick-input-widget').getByPlaceholder('picture.bin is a binary file').waitFor();
    await workbench.page.keyboard.press('Escape');
    expect(await proposal().count()).toBe(0);
    expect(readFileSync(outside, 'utf8')).toBe(shelf);
  });

  it('runs in a terminal that is shown, after all of it was asked about', async () => {
    await press(block('$ echo one > ran.txt\nout\n$ echo two >> ran.txt', 'console'), 'Run in terminal');
    await dialog().getByText('echo one > ran.txt').waitFor();
    expect(await dialog().innerText()).toContain('echo two >> ran.txt');
    expect(await dialog().innerText()).not.toContain('out\n');
    await workbench.screenshot('code-block-run');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await pressAgain('Run in terminal');
    await dialog().getByRole('button', { name: 'Run', exact: true }).click();
    await until('the commands to run', () => existsSync(path('ran.txt')) && onDisk('ran.txt') === 'one\ntwo\n');
    await workbench.page.locator('.terminal-wrapper.active').waitFor();
  });

  it('is not run where a terminal would take it for something else', async () => {
    await press(block('echo a\u001b[2Jb', 'bash'), 'Run in terminal');
    await toast('U+001B').waitFor();
    await press(block('Get-ChildItem', 'powershell'), 'Run in terminal');
    await toast('another shell').waitFor();
    expect(await dialog().getByText('Get-ChildItem').count()).toBe(0);
  });
});
