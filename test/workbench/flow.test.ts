import type { Frame, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  approvalCard,
  button,
  gateAt,
  type ModelWorkbench,
  openWithModel,
  textbox,
  wordsOf,
} from '../support/modelWorkbench.js';
import { startModelServer } from '../support/modelServer.js';
import { until } from '../support/until.js';

describe('the flow of work', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({ workspace: { 'README.md': '# Ferns\n' } });
    chat = await workbench.openChat();
  });

  afterEach(() => setFocused(true));

  afterAll(async () => {
    await workbench?.close();
  });

  const toast = (words: string | RegExp): Locator =>
    workbench.page.locator('.notification-toast').filter({ hasText: words });
  const badge = () =>
    workbench.page.locator('.activitybar .action-item:has(> a[aria-label^="Nanobot"]) .badge-content').innerText();
  const dialog = (name: string) => chat.getByRole('dialog', { name });
  /** The window is in front, or something else is. */
  const setFocused = (isFocused: boolean) =>
    workbench.page.evaluate((value) => {
      document.hasFocus = () => value;
      window.dispatchEvent(new Event(value ? 'focus' : 'blur'));
    }, isFocused);

  it('puts queued messages into another order by keyboard alone, in which the model gets them', async () => {
    const { page, model } = workbench;
    const { gate, open } = gateAt(1);
    model.setScript([{ text: 'One.', chunkSize: 2, gate }, { text: 'All.' }]);
    await textbox(chat).focus();
    await page.keyboard.type('first\n');
    await model.received(1);
    for (const words of ['alpha', 'beta', 'gamma']) await page.keyboard.type(`${words}\n`);
    const rows = chat.locator('.queue article');
    await until(
      'the queue',
      async () => (await rows.count()) === 3 && (await rows.nth(2).getByRole('button').count()) === 4,
    );
    // Back from the box: Remove, Edit and Move up of the last one.
    for (let n = 0; n < 3; n++) await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Alt+ArrowUp');
    const order = async () => (await rows.locator('p').allInnerTexts()).join();
    await until('the new order', async () => (await order()) === 'alpha,gamma,beta');
    await page.keyboard.press('Alt+ArrowUp');
    await until('the new order', async () => (await order()) === 'gamma,alpha,beta');
    await workbench.screenshot('flow-queue');
    open();
    await (await workbench.lastAnswer()).getByText('All.').waitFor();
    const said = wordsOf(model.requests.at(-1));
    const places = ['gamma', 'alpha', 'beta'].map((words) => said.indexOf(words));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });

  it('says what was used by a turn and by the chat, also after a reload', async () => {
    workbench.model.setScript([{ text: 'Two.', usage: { input: 2_000, output: 100 } }]);
    await workbench.ask('again');
    const sums = async () => {
      await chat.getByRole('button', { name: /^Usage/ }).click();
      const text = await dialog('Usage').innerText();
      await workbench.page.keyboard.press('Escape');
      return text.slice(text.indexOf('This chat'));
    };
    expect(await sums()).toMatch(/Tokens in\s+2k/);
    const before = await sums();
    await workbench.reloadWindow();
    chat = await workbench.openChat();
    await chat.getByText('Two.').waitFor();
    expect(await sums()).toBe(before);
  });

  it('tells that a turn ended while the window is not in front, and leads to its chat', async () => {
    const { page, model } = workbench;
    const { gate, open } = gateAt(1);
    model.setScript([{ text: 'The long way is done.', gate }]);
    await workbench.send('walk the long way');
    await model.received(1);
    await setFocused(false);
    open();
    await toast('Nanobot is done').waitFor();
    await workbench.screenshot('flow-notification');
    await button(chat, 'New chat').click();
    await until('a new chat', async () => (await chat.locator('[role="article"]').count()) === 0);
    await setFocused(true);
    await toast('Nanobot is done').getByRole('button', { name: 'Show' }).click();
    await chat.getByText('The long way is done.').waitFor();
    expect(await page.locator('.notification-toast').count()).toBe(0);
  });

  it('is silent about what ends in front of the person', async () => {
    workbench.model.setScript([{ text: 'Seen.' }]);
    await workbench.ask('look');
    expect(await toast('Nanobot is done').count()).toBe(0);
  });

  it('tells that an approval or a question waits, and counts both at the icon', async () => {
    const { model } = workbench;
    model.setScript([
      { toolCalls: [{ name: 'ask_user', args: { question: 'Which fern?', options: ['The tall one'] } }] },
      { toolCalls: [{ name: 'exec', args: { command: 'touch fern' } }] },
      { text: 'Done.' },
    ]);
    await setFocused(false);
    await workbench.send('care for the ferns');
    await toast(/Nanobot asks: Which fern\?/).waitFor();
    await until('the badge', async () => (await badge()) === '1');
    await button(chat, 'The tall one').click();
    await toast('Nanobot waits for your approval').waitFor();
    await approvalCard(chat).waitFor();
    await until('the badge', async () => (await badge()) === '1');
    await setFocused(true);
    await button(approvalCard(chat), 'Deny').click();
    await workbench.lastAnswer();
    await workbench.runCommand('Notifications: Clear All Notifications');
  });

  it('shows the keys at ? and by a command, and gives the focus back', async () => {
    const { page } = workbench;
    await textbox(chat).focus();
    await page.keyboard.press('?');
    await dialog('Keyboard shortcuts').getByText('Move a queued message').waitFor();
    await workbench.screenshot('flow-keys');
    await page.keyboard.press('Escape');
    await until('the focus in the box', () => textbox(chat).evaluate((box) => box === document.activeElement));
    await workbench.runCommand('Nanobot: Keyboard Shortcuts');
    await dialog('Keyboard shortcuts').waitFor();
    await dialog('Keyboard shortcuts').getByRole('button', { name: 'Close' }).click();
    await until('the dialog to close', async () => (await dialog('Keyboard shortcuts').count()) === 0);
  });
});

describe('a budget in dollars', () => {
  it('ends a turn with what it cost, and Continue goes on', async () => {
    const model = await startModelServer();
    const price = { 'test-model': { price: { input: 100, output: 100 } } };
    const workbench = await openWithModel({
      workspace: { 'README.md': '# Ferns\n' },
      settings: {
        'nanobot.maxTurnCost': 0.05,
        'nanobot.providers': { openai: { apiBase: `${model.url}/v1`, models: price } },
      },
    });
    try {
      const chat = await workbench.openChat();
      model.setScript([
        { toolCalls: [{ name: 'read_file', args: { path: 'README.md' } }], usage: { input: 1_000, output: 10 } },
        { text: 'Read.', usage: { input: 100, output: 10 } },
      ]);
      await workbench.send('read it');
      const answer = await workbench.lastAnswer({ status: 'error' });
      await answer.getByText('(nanobot.maxTurnCost)').waitFor();
      await workbench.screenshot('flow-budget');
      await button(answer, 'Continue').click();
      await chat.getByText('Read.', { exact: true }).waitFor();
      expect(await chat.getByText('(nanobot.maxTurnCost)').count()).toBe(0);
    } finally {
      await workbench.close();
      await model.close();
    }
  });
});
