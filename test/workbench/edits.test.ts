import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { button, type ModelWorkbench, openWithModel, toolCard, wordsOf } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

describe("edits next to a person's own", () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({
      workspace: { 'clean.txt': 'one\n', 'dirty.txt': 'start\nend\n' },
      settings: { 'nanobot.exec.allow': ['cat'], 'files.autoSave': 'off' },
    });
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const disk = (name: string) => readFileSync(join(workbench.workspacePath ?? '', name), 'utf8');
  const tab = (name: string) => workbench.page.locator(`.tab[data-resource-name="${name}"]`);
  /** The lines of the focused editor as they are drawn; VS Code draws blanks as no-break spaces. */
  const shown = async () => {
    const lines = await workbench.page.locator('.editor-instance .view-lines .view-line').allInnerTexts();
    return lines.map((line) => line.replaceAll('\u00a0', ' '));
  };
  const edit = (path: string, old_text: string, new_text: string) => [
    { toolCalls: [{ name: 'read_file', args: { path } }] },
    { toolCalls: [{ name: 'edit_file', args: { path, edits: [{ old_text, new_text }] } }] },
  ];

  it('goes through the editor, so that Ctrl+Z takes it back', async () => {
    await workbench.openFile('clean.txt');
    workbench.model.setScript([...edit('clean.txt', 'one', 'two'), { text: 'Edited.' }]);
    await workbench.ask('edit it');
    expect(disk('clean.txt')).toBe('two\n');
    await until('the editor to show it', async () => (await shown())[0] === 'two');
    expect(await tab('clean.txt').getAttribute('class')).not.toContain('dirty');
    await workbench.page.locator('.editor-instance .view-lines').click();
    await workbench.page.keyboard.press('Control+z');
    await until('the undo', async () => (await shown())[0] === 'one');
    await workbench.page.keyboard.press('Control+s');
    await until('the file', () => disk('clean.txt') === 'one\n');
  });

  it("keeps a person's unsaved text: reads it, edits beside it, and leaves it unsaved", async () => {
    await workbench.openFile('dirty.txt');
    await workbench.page.keyboard.type('typed by hand ');
    await until('the tab to be dirty', async () => (await tab('dirty.txt').getAttribute('class'))?.includes('dirty'));
    workbench.model.setScript([...edit('dirty.txt', 'end', 'END'), { text: 'Edited beside it.' }]);
    await workbench.ask('edit this too');
    await toolCard(chat, 'edit_file', 'ok').waitFor();
    expect(wordsOf(workbench.model.requests.at(-2))).toContain('1| typed by hand start');
    await until('both texts', async () => (await shown()).join('|').startsWith('typed by hand start|END'));
    expect(await tab('dirty.txt').getAttribute('class')).toContain('dirty');
    expect(disk('dirty.txt')).toBe('start\nend\n');
    await workbench.screenshot('edits-dirty');
  });

  it('asks before a command that would not see the unsaved text: Run anyway, own words, Save', async () => {
    const cat = { toolCalls: [{ name: 'exec', args: { command: 'cat dirty.txt' } }] };
    const card = chat.getByRole('group', { name: 'Question' });
    workbench.model.setScript([cat, { text: 'Saw the old one.' }]);
    await workbench.send('show it');
    await card.getByText('unsaved changes').waitFor();
    await workbench.screenshot('edits-question');
    await button(card, 'Run anyway').click();
    await workbench.lastAnswer();
    expect(wordsOf(workbench.model.requests.at(-1))).toContain('start\\nend');
    expect(disk('dirty.txt')).toBe('start\nend\n');

    // Words of the person's own are no leave to run it.
    workbench.model.setScript([cat, { text: 'Then I wait.' }]);
    await workbench.send('show it once more');
    await card.getByRole('textbox', { name: 'Your own answer' }).fill('not now, please');
    await button(card, 'Answer').click();
    await workbench.lastAnswer();
    await toolCard(chat, 'exec', 'error').waitFor();
    expect(wordsOf(workbench.model.requests.at(-1))).toContain('the person said: not now, please');

    workbench.model.setScript([cat, { text: 'Saw the new one.' }]);
    await workbench.send('show it again');
    await button(card, 'Save').click();
    await workbench.lastAnswer();
    expect(disk('dirty.txt')).toBe('typed by hand start\nEND\n');
    expect(wordsOf(workbench.model.requests.at(-1))).toContain('typed by hand start\\nEND');
  });

  it('does not undo over what a person changed since, and says which file', async () => {
    await workbench.openFile('clean.txt');
    workbench.model.setScript([...edit('clean.txt', 'one', 'three'), { text: 'Again.' }]);
    await workbench.ask('once more');
    await workbench.page.locator('.editor-instance .view-lines').click();
    await workbench.page.keyboard.press('Control+Home');
    await workbench.page.keyboard.type('mine ');
    await workbench.page.keyboard.press('Control+s');
    await until('the file', () => disk('clean.txt') === 'mine three\n');
    await button(chat.getByRole('region', { name: '1 file changed' }).last(), 'Undo').click();
    await chat.locator('[data-notice="undo"]').getByText('clean.txt').waitFor();
    expect(disk('clean.txt')).toBe('mine three\n');
  });
});
