import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  button,
  gateAt,
  type ModelWorkbench,
  openWithModel,
  textbox,
  toolCard,
  transcriptOf,
  wordsOf,
} from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

describe('a conversation survives', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({ workspace: { 'README.md': '# Hi\n' }, settings: { 'nanobot.approval': 'auto' } });
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const lastArticle = () => chat.getByRole('article', { name: 'Nanobot' }).last();
  const interrupted = () => chat.getByText('This turn was interrupted.');

  it('the view being hidden while an answer streams', async () => {
    const rest = gateAt(3);
    const text = 'One two three four five six seven eight nine ten eleven twelve.';
    workbench.model.setScript([{ text, gate: rest.gate }]);
    await workbench.send('count');
    await lastArticle().getByText('One two').waitFor();
    await workbench.runCommand('View: Show Explorer');
    await workbench.page.locator('.explorer-folders-view').waitFor();
    rest.open();
    await until('the answer on disk', () => storedText().includes('eleven twelve'));
    chat = await workbench.openChat();
    expect(await (await workbench.lastAnswer()).innerText()).toBe(text);
    expect(await transcriptOf(chat)).toEqual(['You: count', `Nanobot: ${text}`]);
  });

  it('the side bar being closed and opened again, with the draft', async () => {
    await textbox(chat).fill('a thought I was');
    const before = await transcriptOf(chat);
    await workbench.runCommand('View: Toggle Primary Side Bar Visibility');
    await workbench.page.locator('.part.sidebar').waitFor({ state: 'hidden' });
    await workbench.runCommand('View: Toggle Primary Side Bar Visibility');
    chat = await workbench.openChat();
    expect(await transcriptOf(chat)).toEqual(before);
    expect(await textbox(chat).inputValue()).toBe('a thought I was');
  });

  it('a reload of the window in the middle of an answer: what was done and said stays, and Resume answers anew', async () => {
    workbench.model.setScript([
      { text: 'First I look.', toolCalls: [{ name: 'read_file', args: { path: 'README.md' } }] },
      { text: 'Then I say something long', stall: 2 },
      { text: 'Said at last.' },
    ]);
    await workbench.send('look, then tell');
    await toolCard(chat, 'read_file', 'ok').waitFor();
    await lastArticle().getByText('Then I say').waitFor();
    const before = await transcriptOf(chat);
    await workbench.reloadWindow();
    chat = await workbench.openChat();
    await lastArticle().getByText('Then I say').waitFor();
    const after = await transcriptOf(chat);
    expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
    expect(after.at(-1)).toMatch(/^Nanobot: Then I say/);
    expect(await button(chat, 'Stop').isVisible()).toBe(false);
    await workbench.screenshot('survival-reloaded');
    await interrupted().waitFor();
    await button(chat, 'Resume').click();
    await lastArticle().getByText('Said at last.').waitFor();
    expect((await transcriptOf(chat)).join('\n')).not.toContain('Then I say');
  });

  it('the extension host being killed in the middle of a command, and Resume tells the model', async () => {
    workbench.model.setScript([
      { toolCalls: [{ name: 'exec', args: { command: 'touch began; sleep 300' } }] },
      { text: 'Went on after the crash.' },
    ]);
    await workbench.send('run something long');
    await until('the command to begin', () => existsSync(join(workbench.workspacePath ?? '', 'began')));
    await workbench.killExtensionHost();
    await until('the page to be made anew', () => workbench.page.frames().every((frame) => frame !== chat));
    chat = await workbench.openChat();
    await interrupted().waitFor();
    expect((await transcriptOf(chat)).slice(-2)[0]).toBe('You: run something long');
    await button(chat, 'Resume').click();
    await lastArticle().getByText('Went on after the crash.').waitFor();
    expect(wordsOf(workbench.model.requests.at(-1))).toContain('interrupted before this finished');
  });

  function storedText(): string {
    const folder = join(workbench.home, 'sessions');
    const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  }
});
