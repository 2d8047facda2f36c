import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { QueuedMessage } from '../../../src/protocol/event.js';
import { answer, AT, richState, userMessage } from '../../support/conversations.js';
import { openLab, type ChatPageUnderTest, type OpenOptions, type PageLab } from '../../support/pageHarness.js';
import { until } from '../../support/until.js';
import { strings } from '../../../webview/strings.js';

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

const open = async (options?: OpenOptions) => (chat = await lab.open(options));
const box = () => chat.page.getByRole('textbox', { name: 'Message Nanobot' });
const dialog = (name: string) => chat.page.getByRole('dialog', { name });
const press = (key: string) => chat.page.keyboard.press(key);
const focused = () => chat.page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.tagName);

describe('the queue', () => {
  const queued = (id: string): QueuedMessage => ({ id, text: `Message ${id}`, attachments: [], armed: true });
  const state = { turn: { id: 't', startedAt: AT, steps: 1 }, queue: ['a', 'b', 'c'].map(queued) };
  const row = (id: string) => chat.page.locator(`.queue [data-message-id="${id}"]`);

  it('is put into another order by buttons, and only where there is one', async () => {
    await open({ state });
    await row('b').getByRole('button', { name: 'Move queued message up' }).click();
    expect(await chat.waitFor('queueMove')).toEqual([{ type: 'queueMove', id: 'b', by: -1 }]);
    expect(await row('a').getByRole('button', { name: 'Move queued message up' }).isDisabled()).toBe(true);
    expect(await row('c').getByRole('button', { name: 'Move queued message down' }).isDisabled()).toBe(true);
    await chat.frame({ type: 'queue', queue: [queued('a')] });
    expect(
      await row('a')
        .getByRole('button')
        .evaluateAll((all) => all.map((each) => each.ariaLabel)),
    ).toEqual(['Edit queued message', 'Remove queued message']);
  });

  it('is put into another order by Alt+↑ and Alt+↓, and the focus stays with the message', async () => {
    await open({ state });
    await row('b').getByRole('button', { name: 'Move queued message down' }).focus();
    await press('Alt+ArrowDown');
    expect(await chat.waitFor('queueMove')).toEqual([{ type: 'queueMove', id: 'b', by: 1 }]);
    await chat.frame({ type: 'queue', queue: ['a', 'c', 'b'].map(queued) });
    expect(await row('b').evaluate((element) => element.contains(document.activeElement))).toBe(true);
    await chat.page.getByRole('status').getByText('Queued as 3 of 3').waitFor({ state: 'attached' });
    await press('Alt+ArrowDown');
    await press('Alt+ArrowUp');
    expect((await chat.waitFor('queueMove', 2)).at(-1)).toEqual({ type: 'queueMove', id: 'b', by: -1 });
  });

  it('fits into 300 pixels', async () => {
    await open({ state, width: 300 });
    const right = await row('a').getByRole('button', { name: 'Remove queued message' }).boundingBox();
    expect((right?.x ?? 999) + (right?.width ?? 0)).toBeLessThanOrEqual(300);
  });
});

describe('what was used', () => {
  const usage = { inputTokens: 12_400, outputTokens: 860, cachedTokens: 9_000, cost: 0.0294 };
  const spent = { inputTokens: 50_000, outputTokens: 3_000, cachedTokens: 9_000, cost: 0.12 };
  const messages = (richState.messages ?? []).map((each) =>
    each.turn ? { ...each, turn: { ...each.turn, steps: 3, usage } } : each,
  );

  it('stands at the last message of a turn: time, steps, tokens and cost', async () => {
    await open({ state: { ...richState, messages }, width: 300 });
    const article = chat.page.getByRole('article', { name: 'Nanobot' });
    await article.hover();
    await article.getByText('10 s · 3 steps · 12k in · 860 out · $0.03').waitFor();
    const bar = await chat.page.locator('.bar').boundingBox();
    expect(bar && bar.x >= 0 && bar.x + bar.width <= 300).toBe(true);
  });

  it('opens as a dialog with the sums of the chat, also in a narrow page', async () => {
    await open({ state: { ...richState, messages, spent }, width: 300 });
    const button = chat.page.getByRole('button', { name: /^Usage/ });
    expect(await button.innerText()).toBe('$0.12');
    await button.press('Enter');
    const text = await dialog('Usage').innerText();
    expect(text).toMatch(/Last turn\s+Time\s+10 s\s+Steps\s+3\s+Tokens in\s+12k/);
    expect(text).toMatch(/This chat\s+Tokens in\s+50k\s+Cached\s+9k\s+Tokens out\s+3k\s+Cost\s+\$0.12/);
    await press('Escape');
    await until('the dialog to close', async () => (await dialog('Usage').count()) === 0);
    expect(await focused()).toMatch(/^Usage/);
  });

  it('adds up as turns end', async () => {
    await open({ state: { ...richState, messages, spent } });
    await chat.frame(
      { type: 'turn_start', turnId: 't2', at: AT },
      { type: 'turn_step', steps: 1 },
      { type: 'message_start', id: 'a2', at: AT },
      { type: 'message_end', id: 'a2', status: 'done' },
      { type: 'turn_end', turnId: 't2', status: 'done', ms: 2_000, usage: { ...usage, cost: 0.08 } },
    );
    expect(chat.state().messages.at(-1)?.turn).toMatchObject({ steps: 1, ms: 2_000 });
    await chat.page.getByRole('button', { name: /^Usage/ }).click();
    expect(await dialog('Usage').innerText()).toMatch(/This chat\s+Tokens in\s+62k[^]*\$0.20/);
  });

  it('is gone on with after a budget by a button', async () => {
    const error = { code: 'turn_cost', message: 'This turn has cost $1.', next: ['continue' as const] };
    await open({ state: { messages: [userMessage('u', 'Go'), answer('a', '', { status: 'error', error })] } });
    await chat.page.getByRole('button', { name: 'Continue' }).click();
    expect(await chat.waitFor('retry')).toEqual([{ type: 'retry', messageId: 'a' }]);
  });
});

describe('the keyboard map', () => {
  it('opens at ? in an empty box, and Escape gives the focus back without stopping the turn', async () => {
    await open({ state: { turn: { id: 't', startedAt: AT, steps: 1 } } });
    await box().focus();
    await press('?');
    await dialog('Keyboard shortcuts').getByText('Move a queued message').waitFor();
    await press('Escape');
    await until('the dialog to close', async () => (await dialog('Keyboard shortcuts').count()) === 0);
    expect(await focused()).toBe('Message Nanobot');
    expect(await box().inputValue()).toBe('');
    expect((await chat.posted()).some(({ type }) => type === 'stop')).toBe(false);
    await chat.page.keyboard.type('Why?');
    expect(await box().inputValue()).toBe('Why?');
  });

  it('opens at ? in the conversation and when the host says so, and keeps the focus inside', async () => {
    await open({ state: { messages: [answer('a', 'Hello')] } });
    await chat.page.getByRole('log').focus();
    await press('?');
    await dialog('Keyboard shortcuts').waitFor();
    for (let n = 0; n < 4; n++) {
      await press('Tab');
      expect(await focused()).not.toBe('Message Nanobot');
    }
    await press('Escape');
    await until('the dialog to close', async () => (await dialog('Keyboard shortcuts').count()) === 0);
    await chat.send({ type: 'keys' });
    await dialog('Keyboard shortcuts').waitFor();
  });

  it('does not open while something is written elsewhere', async () => {
    await open();
    await press('Control+f');
    await until('the find bar', async () => (await focused()) !== 'BODY');
    await press('?');
    expect(await dialog('Keyboard shortcuts').count()).toBe(0);
  });

  it('names the keys that the extension has in VS Code', async () => {
    await open();
    const file = readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8');
    const { contributes } = JSON.parse(file) as { contributes: { keybindings: { key: string }[] } };
    const listed = strings.keyGroups
      .find(({ title }) => title === 'In VS Code')
      ?.keys.map(([key]) => key.toLowerCase());
    expect(listed?.sort()).toEqual([...new Set(contributes.keybindings.map(({ key }) => key))].sort());
  });
});
