import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { button, type ModelWorkbench, openWithModel, textbox, transcriptOf } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

describe('going back to before a message', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({
      workspace: { 'a.txt': 'one\n', 'b.txt': 'b\n' },
      settings: { 'files.autoSave': 'off' },
    });
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const path = (name: string) => join(workbench.workspacePath ?? '', name);
  const disk = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined);
  const card = () => chat.getByRole('group', { name: 'Restore', exact: true });
  const askToRestore = async (words: string) => {
    await chat.locator('[role="article"][aria-label="You"]').filter({ hasText: words }).last().hover();
    await button(chat.getByRole('log'), 'Restore to before this message').click();
    await card().waitFor();
  };

  it('shows as a diff what will change, puts files and conversation back, and takes that back', async () => {
    const step = (name: string, args: Record<string, unknown>) => ({ toolCalls: [{ name, args }] });
    workbench.model.setScript([
      step('read_file', { path: 'a.txt' }),
      step('edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] }),
      step('rename_file', { path: 'b.txt', to: 'moved/b.txt' }),
      step('write_file', { path: 'new.txt', content: 'new\n' }),
      { text: 'All three.' },
      { text: 'You are welcome.' },
    ]);
    await workbench.ask('change three');
    await workbench.ask('thanks');
    const before = await transcriptOf(chat);
    await askToRestore('change three');
    await workbench.screenshot('restore-card');
    await button(card(), 'Show changes').click();
    await workbench.page.locator('.multiDiffEntry').nth(3).waitFor();
    await workbench.screenshot('restore-diff');
    await button(card(), 'Restore both').click();
    await until('the files', () => disk('a.txt') === 'one\n' && disk('b.txt') === 'b\n' && !disk('new.txt'));
    await until('the words', async () => (await textbox(chat).inputValue()) === 'change three');
    await until('an empty conversation', async () => (await transcriptOf(chat)).length === 0);
    await workbench.reloadWindow();
    chat = await workbench.openChat();
    await button(chat.locator('[data-notice="restore"]'), 'Undo restore').click();
    await until(
      'the files',
      () => disk('a.txt') === 'two\n' && disk('moved/b.txt') === 'b\n' && disk('new.txt') === 'new\n',
    );
    await until('the conversation', async () => (await transcriptOf(chat)).length === before.length);
  });

  it('is done by keys alone', async () => {
    await textbox(chat).fill('');
    await textbox(chat).press('Shift+Tab');
    // From the conversation up to the first message, then on to its buttons.
    await chat.getByRole('log').focus();
    await workbench.page.keyboard.press('ArrowUp');
    for (let n = 0; n < 8; n++) await workbench.page.keyboard.press('ArrowUp');
    const name = () => chat.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
    await until('the restore button', async () => {
      if ((await name()) === 'Restore to before this message') return true;
      await workbench.page.keyboard.press('Tab');
      return false;
    });
    await workbench.page.keyboard.press('Enter');
    await until('the card', async () => (await name()) === 'Restore');
    await until('the button', async () => {
      const label = await chat.evaluate(() => document.activeElement?.textContent ?? '');
      if (label.trim() === 'Restore files') return true;
      await workbench.page.keyboard.press('Tab');
      return false;
    });
    await workbench.page.keyboard.press('Enter');
    await until('the file', () => disk('a.txt') === 'one\n');
    expect(await name()).toBe('Message Nanobot');
  });

  it('forks a chat from an answer and from a message', async () => {
    await chat.locator('[role="article"][aria-label="You"]').filter({ hasText: 'thanks' }).hover();
    await button(chat.getByRole('log'), 'Fork from here').click();
    await chat.getByRole('button', { name: /Switch session \(now change three \(fork\)\)/ }).waitFor();
    await until('the words', async () => (await textbox(chat).inputValue()) === 'thanks');
    expect((await transcriptOf(chat)).some((line) => line.includes('All three.'))).toBe(true);
    expect((await transcriptOf(chat)).some((line) => line.includes('You are welcome.'))).toBe(false);
  });
});
