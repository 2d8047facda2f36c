import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitIn } from '../support/gitIn.js';
import { type MemoryPage, memoryPage } from '../support/memoryPage.js';
import { gateAt, type ModelWorkbench, openWithModel, textbox, wordsOf } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

const workspace = {
  'shelf.json': '{\n  "width": 30\n  "books": []\n}\n',
  'shelf.ts':
    'export const width = 30;\n\nexport function fits(books: number[]): boolean {\n  return books.length < width;\n}\n',
  'src/books.txt': 'one\ntwo\n',
};

/** What a person selects with the keyboard: these lines, from the first character to the beginning of the next. */
async function selectLines({ page }: ModelWorkbench, first: number, count: number): Promise<void> {
  await page.keyboard.press('Control+Home');
  for (let line = 1; line < first; line++) await page.keyboard.press('ArrowDown');
  for (let line = 0; line < count; line++) await page.keyboard.press('Shift+ArrowDown');
}

/** Milliseconds of one attempt with the palette. */
const ATTEMPT_MS = 6_000;

/**
 * Opens a file or runs a command, again where the palette was closed at once: the chat takes the focus when its view has come up, which may be after a
 * person has gone on.
 */
async function withPalette({ page }: ModelWorkbench, what: string, act: () => Promise<void>): Promise<void> {
  await until(
    what,
    async () => {
      page.setDefaultTimeout(ATTEMPT_MS);
      return act()
        .then(
          () => true,
          () => page.keyboard.press('Escape').then(() => false),
        )
        .finally(() => {
          page.setDefaultTimeout(30_000);
        });
    },
    60_000,
  );
}

const openFile = (workbench: ModelWorkbench, name: string) =>
  withPalette(workbench, name, () => workbench.openFile(name));
const runCommand = (workbench: ModelWorkbench, title: string) =>
  withPalette(workbench, title, () => workbench.runCommand(title));

describe('what begins in editors, terminals and addresses', () => {
  let workbench: ModelWorkbench;
  let memory: MemoryPage;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({
      workspace,
      settings: { 'terminal.integrated.gpuAcceleration': 'off', 'nanobot.approval': 'auto' },
    });
    memory = memoryPage(workbench.page);
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const said = () => chat.getByRole('article', { name: 'You' }).last();
  /** The text of the newest message of the person, in the newest request. */
  const asked = () => wordsOf({ body: { messages: workbench.model.requests.at(-1)?.body.messages.slice(-1) ?? [] } });

  it('explains what is selected: a visible message with the lines, and the draft stays', async () => {
    await textbox(chat).fill('half a thought');
    await openFile(workbench, 'shelf.ts');
    await selectLines(workbench, 3, 2);
    workbench.model.setScript([{ text: 'It compares.' }]);
    await runCommand(workbench, 'Nanobot: Explain Selection');
    await said().getByText('Explain the selected code (shelf.ts, lines 3–4).').waitFor();
    expect(await (await workbench.lastAnswer()).innerText()).toContain('It compares.');
    expect(asked()).toContain('[Attached: shelf.ts, lines 3–4]');
    expect(asked()).toContain('return books.length < width;');
    expect(asked()).not.toContain('width = 30');
    expect(await textbox(chat).inputValue()).toBe('half a thought');
    await workbench.screenshot('native-explain');
    await textbox(chat).fill('');
  });

  it('explains the file where the cursor is in no function', async () => {
    await openFile(workbench, 'books.txt');
    workbench.model.setScript([{ text: 'Numbers.' }]);
    await runCommand(workbench, 'Nanobot: Explain Selection');
    await said().getByText('Explain what this file does (src/books.txt).').waitFor();
    await until('the answer', () => asked().includes('[Attached: src/books.txt]'));
  });

  it('explains a document that was never saved, with its text in the message', async () => {
    const { page } = workbench;
    await runCommand(workbench, 'File: New Untitled Text File');
    await page.locator('.editor-instance .monaco-editor.focused[data-uri^="untitled:"]').waitFor();
    await page.keyboard.type('select 1 from books');
    workbench.model.setScript([{ text: 'A query.' }]);
    await runCommand(workbench, 'Nanobot: Explain Selection');
    await until('its text', () => asked().includes('Untitled-1).\\n\\n```plaintext\\nselect 1 from books\\n```'));
  });

  it('offers a Quick Fix on a problem that a language service found, and asks for it in the chat', async () => {
    const { page } = workbench;
    await openFile(workbench, 'shelf.json');
    await page.locator('.editor-instance .squiggly-error').first().waitFor();
    await page.keyboard.press('Control+Home');
    // To the next problem, with its words shown below the line; Escape closes them and leaves the cursor there.
    await page.keyboard.press('F8');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+.');
    const offer = page.locator('.action-widget').getByText('Fix with Nanobot', { exact: true });
    await offer.waitFor();
    await workbench.screenshot('native-quick-fix');
    workbench.model.setScript([{ text: 'A comma.' }]);
    await offer.click();
    await said().getByText('Fix this problem in shelf.json:').waitFor();
    await until('the request', () => asked().includes('[Attached: shelf.json, line'));
    expect(asked()).toMatch(/- line \d \(error, jsonc?\(514\)\): Expected comma/);
  });

  it('asks which problem is meant where none is at the cursor', async () => {
    const { page } = workbench;
    await openFile(workbench, 'shelf.json');
    await page.keyboard.press('Control+End');
    workbench.model.setScript([{ text: 'Yes.' }]);
    const before = workbench.model.requests.length;
    await runCommand(workbench, 'Nanobot: Fix Problem…');
    await memory.picks().filter({ hasText: 'Expected comma' }).click();
    await until('the request', () => workbench.model.requests.length > before);
    expect(asked()).toContain('Expected comma');
  });

  it('attaches files and folders from the explorer', async () => {
    const { page } = workbench;
    await page.keyboard.press('Control+Shift+E');
    const row = page.locator('.explorer-viewlet .monaco-list-row[aria-label="src"]').first();
    await row.click({ button: 'right' });
    const item = page.locator('.context-view').getByText('Add File to Chat', { exact: true });
    // A menu takes no click in its first moments.
    await until('the menu to close', async () => {
      await item.click({ timeout: 2_000 }).catch(() => undefined);
      return (await item.count()) === 0;
    });
    chat = await workbench.openChat();
    workbench.model.setScript([{ text: 'A folder.' }]);
    await workbench.ask('what is in it?');
    expect(asked()).toContain('[Attached folder: src; its entries, the files themselves are not included]\\nbooks.txt');
  });

  it('quotes what is selected in a terminal, and gives the clipboard back', async () => {
    const { page } = workbench;
    await page.evaluate(() => navigator.clipboard.writeText('mine'));
    await runCommand(workbench, 'Terminal: Create New Terminal');
    await page.locator('.terminal-wrapper.active .xterm-rows').waitFor();
    await page.locator('.terminal-wrapper.active .xterm-helper-textarea').focus();
    await page.keyboard.type("printf 'it %s\\n' broke");
    await page.keyboard.press('Enter');
    await page.locator('.terminal-wrapper.active .xterm-rows').getByText('it broke').first().waitFor();
    await runCommand(workbench, 'Terminal: Select All');
    await runCommand(workbench, 'Nanobot: Add Terminal Selection to Chat');
    await until('the quote', async () => (await textbox(chat).inputValue()).includes('it broke'));
    expect(await textbox(chat).inputValue()).toMatch(/^From the terminal \w+:\n\n```\n[^]*it broke[^]*```\n/);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine');
    await workbench.screenshot('native-terminal');
    await textbox(chat).fill('');
  });

  it('asks before the text of an address goes into the composer, and sends nothing', async () => {
    const { page } = workbench;
    const before = workbench.model.requests.length;
    const open = async (address: string) => {
      // A dialog that has just closed gives the focus back, which would close the palette.
      await page.locator('.editor-instance .view-lines').first().click();
      await runCommand(workbench, 'Developer: Open URL');
      await memory.type(address);
      await page.keyboard.press('Enter');
      await memory.dialog().getByRole('button', { name: 'Open', exact: true }).click();
    };
    const asks = () => memory.dialog().filter({ hasText: 'from outside VS Code' });
    await open('code-oss://nanobot.nanobot/prompt?text=delete%20everything%20%26%20more');
    await asks().getByText('delete everything & more').waitFor();
    await workbench.screenshot('native-address');
    await asks().getByRole('button', { name: 'Cancel' }).click();
    await asks().waitFor({ state: 'detached' });
    expect(await textbox(chat).inputValue()).toBe('');
    await open('code-oss://nanobot.nanobot/prompt?text=explain%20it');
    await asks().getByRole('button', { name: 'Put into Composer' }).click();
    await until('the text', async () => (await textbox(chat).inputValue()) === 'explain it');
    await open('code-oss://nanobot.nanobot/other');
    await memory.notification('does not know the address "/other"');
    expect(workbench.model.requests.length).toBe(before);
  });
});

describe('the commit message', () => {
  let workbench: ModelWorkbench;
  let memory: MemoryPage;

  beforeAll(async () => {
    workbench = await openWithModel({ workspace: { 'a.txt': 'one\n' } });
    memory = memoryPage(workbench.page);
    git('init', '-q', '-b', 'shelf-7');
    git('add', '-A');
    git('commit', '-qm', 'feat: begin');
    await workbench.page.keyboard.press('Control+Shift+G');
    await box().waitFor();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const path = (name: string) => join(workbench.workspacePath ?? '', name);
  const git = (...args: string[]) => gitIn(workbench.workspacePath ?? '')(...args);
  const box = () => workbench.page.locator('.scm-editor .monaco-editor').first();
  const boxText = async () =>
    (await box().locator('.view-line').allInnerTexts()).join('\n').replaceAll('\u00a0', ' ').trim();
  const click = async () => {
    const pane = workbench.page.locator('.scm-view').first();
    await pane.hover();
    await workbench.page.getByRole('button', { name: 'Write Commit Message', exact: true }).first().click();
  };

  it('says that nothing has changed', async () => {
    await click();
    await memory.notification('there are no changes');
    expect(workbench.model.requests).toHaveLength(0);
  });

  it('is made from what is staged, and stands in the box', async () => {
    writeFileSync(path('a.txt'), 'one\ntwo\n');
    git('add', 'a.txt');
    writeFileSync(path('later.txt'), 'not staged\n');
    workbench.model.setScript([{ text: '```\nfeat: count to two\n\nOne was not enough.\n```' }]);
    await click();
    await until('the message', async () => (await boxText()) === 'feat: count to two\n\nOne was not enough.');
    await workbench.screenshot('native-commit');
    const told = wordsOf(workbench.model.requests.at(-1));
    expect(told).toContain('Branch: shelf-7');
    expect(told).toContain('- feat: begin');
    expect(told).toContain('modified a.txt (+1 −0)');
    expect(told).toContain('+two');
    expect(told).not.toContain('later.txt');
    expect(workbench.model.requests.at(-1)?.body.tools ?? []).toEqual([]);
  });

  it('takes what stands in the box as a hint, and Undo gives it back', async () => {
    git('reset', '-q');
    workbench.model.setScript([{ text: 'feat: two and more' }]);
    await click();
    await until('the message', async () => (await boxText()) === 'feat: two and more');
    const told = wordsOf(workbench.model.requests.at(-1));
    expect(told).toContain('The person wrote already:\\nfeat: count to two');
    expect(told).toContain('added later.txt');
    expect(told).toContain('+not staged');
    await memory.press('what you had typed as a hint', 'Undo');
    await until('the former text', async () => (await boxText()).startsWith('feat: count to two'));
  });

  it('is made where git writes its diff in colors, and from names where another program writes it', async () => {
    git('add', 'a.txt');
    const tell = async (setting: string, value: string) => {
      git('config', setting, value);
      workbench.model.setScript([{ text: `feat: with ${setting}` }]);
      await click();
      await until('the message', async () => (await boxText()) === `feat: with ${setting}`);
      await memory.press('what you had typed as a hint', 'Undo');
      await until('the former text', async () => (await boxText()).startsWith('feat: count to two'));
      git('config', '--unset', setting);
      return wordsOf(workbench.model.requests.at(-1));
    };
    const colored = await tell('color.ui', 'always');
    expect(colored).toContain('modified a.txt (+1 −0)');
    expect(colored).toContain('\\n+two');
    const foreign = await tell('diff.external', 'echo changed:');
    expect(foreign).toContain('These changes are staged.');
    expect(foreign).toContain('modified a.txt\\n');
    expect(foreign).not.toContain('later.txt');
    git('reset', '-q');
  });

  it('is left alone by Cancel, and the request ends', async () => {
    const rest = gateAt(1);
    workbench.model.setScript([{ text: 'feat: this will never be seen by anybody', gate: rest.gate }]);
    const before = workbench.model.requests.length;
    await click();
    await until('the request', () => workbench.model.requests.length > before);
    await memory.press('Commit message', 'Cancel');
    await until('the request to end', () => workbench.model.aborted() === 1);
    rest.open();
    expect(await boxText()).toMatch(/^feat: count to two/);
  });

  it('says what went wrong, with the next step', async () => {
    workbench.model.setScript([{ status: 401, body: { error: { message: 'bad key' } } }]);
    await click();
    const notice = await memory.notification('could not write the commit message');
    await notice.getByRole('button', { name: 'Set key' }).waitFor();
    expect(await boxText()).toMatch(/^feat: count to two/);
  });

  it('says that there is no repository where it is gone', async () => {
    rmSync(path('.git'), { recursive: true });
    await until('the answer', async () => {
      await runCommand(workbench, 'Nanobot: Write Commit Message');
      return workbench.page.getByText('No Git repository is open here').first().isVisible();
    });
  });
});

describe('in Restricted Mode', () => {
  let workbench: ModelWorkbench;

  beforeAll(async () => {
    workbench = await openWithModel({ workspace: { 'shelf.json': workspace['shelf.json'] }, trust: false });
  });

  afterAll(async () => {
    await workbench?.close();
  });

  it('offers to explain a problem where nothing can be edited, and says why there is no Git', async () => {
    const { page } = workbench;
    const chat = await workbench.openChat();
    await openFile(workbench, 'shelf.json');
    await page.locator('.editor-instance .squiggly-error').first().waitFor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('F8');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+.');
    workbench.model.setScript([{ text: 'A comma is missing.' }]);
    await page.locator('.action-widget').getByText('Explain with Nanobot', { exact: true }).click();
    await chat.getByText('Explain this problem in shelf.json, and how to fix it:').waitFor();
    await runCommand(workbench, 'Nanobot: Write Commit Message');
    await memoryPage(page).notification('switches Git off in Restricted Mode');
  });
});
