import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitIn } from '../support/gitIn.js';
import { button, type ModelWorkbench, openWithModel, textbox, wordsOf } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

const PAGE =
  '<!doctype html><html><head><title>Tides</title></head><body><article><h1>Tides</h1><p>The moon draws the sea along, twice a day.</p></article></body></html>';
const SECRET = 'ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8';

const workspace = {
  'shelf.json': '{\n  "width": 30\n  "books": []\n}\n',
  'src/shelf.ts':
    'export const width = 30;\n\nexport function fitsShelf(books: number[]): boolean {\n  return books.length < width;\n}\n',
  'src/deep/notes.md': 'Sort the seed packets.\n',
  'gone.md': 'Soon gone.\n',
};

describe('what goes with a message', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;
  let proxy: Server;

  beforeAll(async () => {
    proxy = createServer((request, response) => {
      const isThere = request.url?.includes('tides') === true;
      response.writeHead(isThere ? 200 : 404, { 'content-type': 'text/html' }).end(PAGE);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    workbench = await openWithModel({
      workspace,
      settings: {
        'http.proxy': `http://127.0.0.1:${String(port)}`,
        'http.noProxy': ['127.0.0.1'],
        'terminal.integrated.gpuAcceleration': 'off',
      },
    });
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-qm', 'begin');
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });

  const path = (name: string) => join(workbench.workspacePath ?? '', name);
  const git = (...args: string[]) => gitIn(workbench.workspacePath ?? '')(...args);
  const option = (name: string | RegExp): Locator => chat.getByRole('option', { name }).first();
  const chip = (name: string | RegExp): Locator => chat.locator('.composer .chip').filter({ hasText: name });
  const row = (name: RegExp): Locator => chat.locator('.composer .chip').getByRole('button', { name });
  /** The newest message of the person, as the model got it. */
  const asked = () => wordsOf({ body: { messages: workbench.model.requests.at(-1)?.body.messages.slice(-1) ?? [] } });
  const attach = async (query: string, name: string | RegExp, becomes: string | RegExp = name) => {
    await textbox(chat).focus();
    await workbench.page.keyboard.type(`@${query}`);
    await option(name).click();
    await row(/^Remove/)
      .last()
      .waitFor();
    await until('its size', async () => /tokens/.test(await chip(becomes).last().innerText()), 30_000);
  };
  const ask = async (text = 'look') => {
    // Facts of a chat that is left are noted in the background: whoever asks gets an answer.
    workbench.model.setScript(() => ({ text: 'Seen.' }));
    await workbench.ask(text);
  };

  it('are files and folders, found by some of their letters', async () => {
    await attach('notes', /notes\.md/);
    await attach('deep', /^deep/, 'src/deep');
    await workbench.screenshot('context-files');
    await ask();
    expect(asked()).toContain('[Attached: src/deep/notes.md]\\nSort the seed packets.');
    expect(asked()).toContain('[Attached folder: src/deep; its entries');
  });

  it('are symbols, found by a language service', async () => {
    await attach('symbol:fitsSh', /fitsShelf/);
    await ask();
    expect(asked()).toMatch(
      /\[Attached symbol: fitsShelf\S* in src\/shelf\.ts, lines 3–5\]\\nexport function fitsShelf/,
    );
  });

  it('are problems that the editor knows', async () => {
    await workbench.openFile('shelf.json');
    await workbench.page.locator('.editor-instance .squiggly-error').first().waitFor();
    await attach('pro', /^Problems/);
    await ask();
    expect(asked()).toMatch(
      /\[Attached: the editor's problems\]\\n\(as of [^]*shelf\.json\\n3:3 error[^]*Expected comma/,
    );
  });

  it('is the output of the last command in the terminal, and the clipboard stays as it was', async () => {
    const { page } = workbench;
    await textbox(chat).focus();
    await page.keyboard.type('@terminal');
    await option(/^Terminal/).click();
    await chat.getByRole('alert').getByText('No terminal is open').waitFor();
    await page.evaluate(() => navigator.clipboard.writeText('mine'));
    await workbench.runCommand('Terminal: Create New Terminal');
    const rows = page.locator('.terminal-wrapper.active .xterm-rows');
    await rows.waitFor();
    await page.locator('.terminal-wrapper.active .xterm-helper-textarea').focus();
    await page.keyboard.type("printf 'it %s\\n' broke");
    await page.keyboard.press('Enter');
    await rows.getByText('it broke').first().waitFor();
    await attach('terminal', /^Terminal/, /Terminal \(/);
    await ask();
    expect(asked()).toMatch(/\[Attached terminal output: Terminal \(\w+\)\]\\n\(as of [^]*it broke/);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine');
  });

  it('are the changes since the last commit, without their secrets', async () => {
    writeFileSync(path('src/shelf.ts'), `${workspace['src/shelf.ts']}export const token = '${SECRET}';\n`);
    writeFileSync(path('src/new.ts'), 'export const fresh = true;\n');
    await attach('changes', /^Changes/);
    await ask();
    expect(asked()).toContain('[Attached: the changes that are not committed]');
    expect(asked()).toContain('+export const token');
    expect(asked()).toContain('+export const fresh = true;');
    expect(asked()).not.toContain(SECRET);
  });

  it('are pages: read when they are attached, marked as text from outside; one that fails says why', async () => {
    await attach('http://tides.example.org/today', /tides/);
    await row(/^Open http:\/\/tides/).click();
    await workbench.page.locator('.editor-instance').getByText('The moon draws the sea along').waitFor();
    await textbox(chat).focus();
    await workbench.page.keyboard.type('@http://192.168.0.1/');
    await option(/192\.168/).click();
    await row(/^Open http:\/\/192\.168.*(private|public)/).waitFor();
    await workbench.screenshot('context-pages');
    await ask();
    expect(asked()).toContain('<web_content source=');
    expect(asked()).toContain('The moon draws the sea along');
    expect(asked()).toMatch(/\[Attached web page: http:\/\/192\.168\.0\.1\/\] \(could not be read: /);
    const stored = readdirSync(join(workbench.home, 'sessions')).map((name) =>
      readFileSync(join(workbench.home, 'sessions', name), 'utf8'),
    );
    const line = stored
      .join('')
      .split('\n')
      .find((one) => one.includes('web_content'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ role: 'user', untrusted: true });
  });

  it('are images that were pasted: kept through a reload, sent as images, and no more where a model refuses them', async () => {
    const { page } = workbench;
    await paste({ picture: true });
    await row(/^Open Pasted image 1, 1\.6k tokens/).waitFor();
    await Promise.all([page.waitForEvent('load'), workbench.runCommand('Developer: Reload Window')]);
    await workbench.ready();
    chat = await workbench.openChat();
    await row(/^Open Pasted image 1, 1\.6k tokens/).click();
    await page.locator('.image-preview, .tab').filter({ hasText: /png/ }).first().waitFor();
    chat = await workbench.openChat();
    await ask('what is on it?');
    expect(asked()).toContain('[Attached image: Pasted image 1]');
    expect(asked()).toContain('data:image/png;base64,');

    await paste({ picture: true });
    await row(/^Open Pasted image 1/).waitFor();
    workbench.model.setScript([
      { status: 400, body: { error: { message: 'This model does not support image input.' } } },
      { text: 'I cannot see it.' },
    ]);
    expect(await workbench.ask('and this?')).toContain('I cannot see it.');
    expect(asked()).not.toContain('data:image');
    expect(asked()).toContain('the model cannot take it');
    await ask('go on');
  });

  it('are long texts: they open, go back into the message, or go along', async () => {
    const text = Array.from({ length: 60 }, (_, n) => `stack frame ${String(n)}`).join('\n');
    await paste({ text });
    await row(/^Put “stack frame 0”, 60 lines into the message/).click();
    await until('the text', async () => (await textbox(chat).inputValue()) === text);
    await textbox(chat).fill('');
    await paste({ text });
    await row(/^Open “stack frame 0”, 60 lines, \d+ tokens/).waitFor();
    await ask();
    expect(asked()).toContain('[Attached text that the person pasted: “stack frame 0”, 60 lines]\\nstack frame 0\\n');
    const megabyte = 'word '.repeat(210_000);
    await paste({ text: megabyte });
    await row(/^Open “word word.*\d+k tokens/).waitFor();
    await ask();
    expect(asked()).toMatch(/cut here; read the rest at [^"]*\.nanobot\/attachments\/\w+\.txt/);
  });

  it('are earlier chats, memory and skills', async () => {
    await button(chat, 'New chat').first().click();
    await chat.getByText('What shall we do?').waitFor();
    await attach('session:look', /look/);
    await attach('memory:USER', /USER\.md/);
    await attach('skill:commit', /^commit/);
    await workbench.screenshot('context-kinds');
    await ask('and now?');
    expect(asked()).toContain('earlier chat: look');
    expect(asked()).toContain('Seen.');
    expect(asked()).toContain('[Attached memory file: USER.md]');
    expect(asked()).toContain('[Attached skill: commit;');
  });

  it('is what is selected in the editor, if the person adds it', async () => {
    const { page } = workbench;
    await workbench.openFile('shelf.ts');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    const offer = button(chat, 'Add src/shelf.ts:3–4');
    await offer.waitFor();
    await workbench.screenshot('context-offer');
    await ask('not with this');
    expect(asked()).not.toContain('[Attached');
    await offer.click();
    await row(/^Open src\/shelf\.ts:3–4, \d+ tokens/).waitFor();
    await ask('with this');
    expect(asked()).toContain('[Attached: src/shelf.ts, lines 3–4]\\nexport function fitsShelf');
    await page.locator('.editor-instance .monaco-editor .view-line').first().click();
    await offer.waitFor({ state: 'detached' });
  });

  it('that is deleted before it is sent is named, and the message goes all the same', async () => {
    await attach('gone', /gone\.md/);
    rmSync(path('gone.md'));
    await ask('read it');
    expect(asked()).toMatch(/\[Attached: gone\.md\] \(could not be read: /);
  });

  it('shows what the context is filled with, and makes room', async () => {
    await chat.getByRole('button', { name: /^What is in the context, \d+ %$/ }).click();
    const panel = chat.getByRole('dialog', { name: 'What is in the context' });
    await panel.getByRole('row', { name: /^History/ }).waitFor();
    await panel.getByText('Takes the most room').waitFor();
    await workbench.screenshot('context-breakdown');
    workbench.model.setScript([{ text: '- They looked at shelves.' }]);
    await panel.getByRole('button', { name: /^Compact now/ }).click();
    await panel.waitFor({ state: 'detached' });
    await chat
      .getByText(/Summarised|nothing to|too short|Nothing to/i)
      .first()
      .waitFor();
  });

  it('works by keyboard alone', async () => {
    const { page } = workbench;
    await textbox(chat).focus();
    await page.keyboard.type('Look at @notes');
    await option(/notes\.md/).waitFor();
    await page.keyboard.press('Enter');
    await row(/^Open src\/deep\/notes\.md, \d+ tokens/).waitFor();
    await page.keyboard.type('@');
    await option(/^Problems/).waitFor();
    for (let n = 0; n < 8; n++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await until('the narrowed list', async () => (await textbox(chat).inputValue()).endsWith('@skill:'));
    await page.keyboard.type('comm');
    await option(/^commit/).waitFor();
    await page.keyboard.press('Tab');
    await row(/^Open commit, /).waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Delete');
    await row(/^Remove commit/).waitFor({ state: 'detached' });
    await page.keyboard.press('Tab');
    await textbox(chat).focus();
    await page.keyboard.type('Go');
    workbench.model.setScript(() => ({ text: 'Seen.' }));
    const before = workbench.model.requests.length;
    await page.keyboard.press('Enter');
    await until('the request', () => workbench.model.requests.length > before);
    expect(asked()).toContain('[Attached: src/deep/notes.md]');
    expect(asked()).not.toContain('[Attached skill');
    await workbench.lastAnswer();
  });

  it('takes what is dragged from an editor while Shift is held, and says how to drop it', async () => {
    const { page } = workbench;
    await workbench.openFile('shelf.json');
    const tab = await page.locator('.tabs-container .tab', { hasText: 'shelf.json' }).boundingBox();
    const place = await page.locator('.webview.ready, iframe.webview').last().boundingBox();
    if (!tab || !place) throw new Error('There is no tab, or no page.');
    await page.mouse.move(tab.x + 20, tab.y + 10);
    await page.mouse.down();
    await page.mouse.move(tab.x + 40, tab.y + 30, { steps: 3 });
    await page.keyboard.down('Shift');
    await page.mouse.move(place.x + 100, place.y + 200, { steps: 8 });
    await page.mouse.move(place.x + 110, place.y + 220, { steps: 4 });
    await chat.getByText('Drop to attach').waitFor();
    await workbench.screenshot('context-drop');
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await row(/^Remove shelf\.json/).click();
  });

  /** Pastes into the composer, as VS Code hands a paste on to a page. */
  async function paste(what: { text?: string; picture?: boolean }): Promise<void> {
    await textbox(chat).evaluate(async (box, { text, picture }) => {
      const clipboardData = new DataTransfer();
      if (text !== undefined) clipboardData.setData('text/plain', text);
      if (picture) {
        const canvas = Object.assign(document.createElement('canvas'), { width: 30, height: 20 });
        const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
        clipboardData.items.add(new File([blob as Blob], 'image.png', { type: 'image/png' }));
      }
      box.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, what);
  }
});
