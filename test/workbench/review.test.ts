import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approvalCard, button, type ModelWorkbench, openWithModel, wordsOf } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

const BEFORE = Array.from({ length: 30 }, (_, n) => `line ${String(n + 1)}\n`).join('');
const AFTER = BEFORE.replace('line 5\n', 'line five\n')
  .replace('line 15\n', 'line fifteen\nand a half\n')
  .replace('line 25\n', '');

describe('reviewing what a turn changed', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({
      workspace: { 'a.txt': BEFORE, 'b.txt': 'one\n', 'c.txt': 'gone\n' },
      settings: { 'files.autoSave': 'off' },
    });
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const path = (name: string) => join(workbench.workspacePath ?? '', name);
  const disk = (name: string) => readFileSync(path(name), 'utf8');
  const write = (path: string, content: string) => [
    { toolCalls: [{ name: 'read_file', args: { path } }] },
    { toolCalls: [{ name: 'write_file', args: { path, content } }] },
  ];
  const lens = (title: string) => workbench.page.locator('.codelens-decoration a').getByText(new RegExp(`${title}$`));
  /** Clicks what stands above the n-th hunk: VS Code keeps them in no order. */
  const clickLens = async (title: string, n: number) => {
    const all = await lens(title).all();
    const placed = await Promise.all(all.map(async (link) => ({ link, y: (await link.boundingBox())?.y ?? 0 })));
    await placed.sort((left, right) => left.y - right.y)[n]?.link.click();
  };
  const list = (name: string) => chat.getByRole('region', { name }).last();

  it('shows Keep and Undo above each hunk of an open file, and moves no focus', async () => {
    await workbench.openFile('a.txt');
    workbench.model.setScript([...write('a.txt', AFTER), { text: 'Edited.' }]);
    await workbench.ask('edit it');
    await lens('Keep').nth(2).waitFor();
    expect(await chat.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Message Nanobot');
    await workbench.screenshot('review-hunks');
  });

  it('undoes a hunk by a click and saves it, keeps one by key and goes on to the next', async () => {
    await clickLens('Undo', 1);
    await until('the undo', () => disk('a.txt') === AFTER.replace('line fifteen\nand a half\n', 'line 15\n'));
    await until('two hunks', async () => (await lens('Keep').count()) === 2);
    await workbench.page.keyboard.press('Control+1');
    await workbench.page.keyboard.press('Control+Home');
    await workbench.page.keyboard.press('Control+Alt+j');
    await workbench.page.keyboard.press('Control+Alt+y');
    await until('one hunk', async () => (await lens('Keep').count()) === 1);
    await until('the next hunk', async () =>
      (await workbench.page.locator('.statusbar').innerText()).includes('Ln 25'),
    );
    expect(await list('1 file changed').getByText('Kept').count()).toBe(0);
    await workbench.page.keyboard.press('Control+Alt+u');
    await until('no hunk', async () => (await lens('Keep').count()) === 0);
    await list('1 file changed').getByText('Kept').waitFor();
    expect(disk('a.txt')).toBe(BEFORE.replace('line 5\n', 'line five\n'));
  });

  it('tells the model once what the person made of its changes', async () => {
    workbench.model.setScript([{ text: 'I see.' }, { text: 'Yes.' }]);
    await workbench.ask('and now?');
    const told = wordsOf(workbench.model.requests.at(-1));
    expect(told).toContain('Changed since your last turn');
    expect(told).toContain('-line fifteen');
    await workbench.ask('still?');
    expect(wordsOf(workbench.model.requests.at(-1)).split('Changed since your last turn')).toHaveLength(2);
  });

  it("shows all files of a turn in VS Code's multi-diff editor, and decides file by file", async () => {
    workbench.model.setScript([
      ...write('b.txt', 'one\ntwo\n'),
      { toolCalls: [{ name: 'write_file', args: { path: 'new.txt', content: 'fresh\n' } }] },
      { toolCalls: [{ name: 'delete_file', args: { path: 'c.txt' } }] },
      { text: 'All done.' },
    ]);
    await workbench.ask('more');
    const changes = list('3 files changed');
    await button(changes, 'Review').click();
    await workbench.page.locator('.multiDiffEntry').nth(2).waitFor();
    await workbench.screenshot('review-multi-diff');
    await button(changes, 'Undo b.txt').click();
    await until('b.txt', () => disk('b.txt') === 'one\n');
    await button(changes, 'Keep new.txt').click();
    await changes.getByText('Kept').waitFor();
    await button(changes, 'Undo').click();
    await until('c.txt', () => existsSync(path('c.txt')) && disk('c.txt') === 'gone\n');
  });

  it("keeps a person's unsaved text unsaved, and leaves what they wrote beside a hunk", async () => {
    workbench.model.setScript([...write('a.txt', AFTER), { text: 'Again.' }]);
    await workbench.ask('again');
    await workbench.openFile('a.txt');
    await workbench.page.keyboard.press('Control+Home');
    await workbench.page.keyboard.type('mine ');
    await until('the hunks', async () => (await lens('Keep').count()) === 2);
    await clickLens('Undo', 0);
    await until('one hunk', async () => (await lens('Keep').count()) === 1);
    expect(disk('a.txt')).toBe(AFTER);
    const tab = workbench.page.locator('.tab[data-resource-name="a.txt"]');
    expect(await tab.getAttribute('class')).toContain('dirty');
    await workbench.runCommand('Nanobot: Undo All Changes');
    await until('no hunk', async () => (await lens('Keep').count()) === 0);
    await workbench.page.keyboard.press('Control+s');
    await until('the file', () => disk('a.txt') === `mine ${BEFORE.replace('line 5\n', 'line five\n')}`);
  });

  it('goes on after a reload of the window', async () => {
    workbench.model.setScript([...write('b.txt', 'uno\n'), { text: 'Last.' }]);
    await workbench.ask('last');
    await workbench.openFile('b.txt');
    await lens('Keep').first().waitFor();
    await workbench.reloadWindow();
    await workbench.openFile('b.txt');
    await lens('Undo').first().click();
    await until('b.txt', () => disk('b.txt') === 'one\n');
    chat = await workbench.openChat();
    await list('1 file changed').getByText('Undone').waitFor();
  });
});

describe('edits that are approved before they are made', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({
      workspace: { 'a.txt': 'one\ntwo\n' },
      settings: { 'nanobot.approveEdits': 'before', 'files.autoSave': 'off' },
    });
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const disk = () => readFileSync(join(workbench.workspacePath ?? '', 'a.txt'), 'utf8');
  const propose = (text: string) => {
    workbench.model.setScript([
      { toolCalls: [{ name: 'read_file', args: { path: 'a.txt' } }] },
      { toolCalls: [{ name: 'write_file', args: { path: 'a.txt', content: text } }] },
      { text: 'Done.' },
    ]);
    return workbench.send('edit it');
  };
  const openDiff = async () => {
    await button(approvalCard(chat), 'Open diff of a.txt, to look at or change it').click();
    await workbench.page
      .locator('.monaco-diff-editor .modified.focused, .monaco-diff-editor .modified')
      .first()
      .waitFor();
  };

  it('wait as a diff; what the person types there is what is written, and the model is told', async () => {
    await propose('one\nTWO\n');
    await openDiff();
    expect(disk()).toBe('one\ntwo\n');
    await workbench.page.locator('.monaco-diff-editor .modified .view-lines').click();
    await workbench.page.keyboard.press('Control+Home');
    await workbench.page.keyboard.type('mine ');
    await workbench.screenshot('review-proposal');
    await workbench.page.keyboard.press('Control+Alt+y');
    await workbench.lastAnswer();
    expect(disk()).toBe('mine one\nTWO\n');
    expect(wordsOf(workbench.model.requests.at(-1))).toContain('The person changed your proposal');
    await workbench.page.keyboard.press('Control+w');
  });

  it('are discarded from the diff, and nothing is written', async () => {
    await propose('other\n');
    await openDiff();
    await workbench.page.locator('.editor-actions a[aria-label*="Discard Proposed Change"]').first().click();
    await workbench.lastAnswer();
    expect(disk()).toBe('mine one\nTWO\n');
    expect(wordsOf(workbench.model.requests.at(-1))).toContain('The person denied this');
  });
});
