import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Compaction } from '../../../src/protocol/event.js';
import { answer, AT, userMessage } from '../../support/conversations.js';
import { openLab, type ChatPageUnderTest, type OpenOptions, type PageLab } from '../../support/pageHarness.js';
import { until } from '../../support/until.js';

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

const open = async (options?: OpenOptions) => (chat = await lab.open(options));
const card = () => chat.page.getByRole('group', { name: 'Summary of earlier messages' });
const press = (name: string) => card().getByRole('button', { name, exact: true }).click();
const messages = [userMessage('u1', 'one'), answer('a1', 'two'), userMessage('u2', 'three'), answer('a2', 'four')];
const compaction = (more: Partial<Compaction> = {}): Compaction => ({
  id: 'c1',
  status: 'done',
  messages: 48,
  after: 'a1',
  at: AT,
  summary: 'Goal: **tea**.',
  ...more,
});
const event = (more: Partial<Compaction>) => ({ type: 'compaction' as const, ...compaction(more) });

/** What stands in the conversation, from top to bottom. */
const order = () =>
  chat.page
    .locator('[role=log] article, [role=log] [data-compaction]')
    .evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-message-id') ?? 'card'));

describe('the card of a compaction', () => {
  it('stands where it happened, and shows the summary when asked', async () => {
    await open({ state: { messages, total: 4, compaction: compaction() } });
    expect(await order()).toEqual(['u1', 'a1', 'card', 'u2', 'a2']);
    expect(await card().innerText()).toMatch(/^Summarised 48 earlier messages\s+Show summary$/);
    await press('Show summary');
    await until('the summary', async () => (await card().locator('.md strong').innerText()) === 'tea');
    await press('Hide summary');
    expect(await card().locator('.md').count()).toBe(0);
    expect(chat.problems).toEqual([]);
  });

  it('tells while it runs, and becomes the summary', async () => {
    await open({ state: { messages, total: 4 } });
    expect(await card().count()).toBe(0);
    await chat.frame(event({ status: 'running', after: 'a2' }));
    expect(await card().getAttribute('data-compaction')).toBe('running');
    expect(await card().innerText()).toContain('Summarising 48 earlier messages…');
    await press('Stop');
    expect(await chat.waitFor('stop')).toHaveLength(1);
    await chat.frame(event({ after: 'a2', by: 'Practice', raw: 12 }));
    expect(await card().innerText()).toMatch(/Summarised 48 earlier messages \(Practice\) · 12 kept in short/);
    expect(await order()).toEqual(['u1', 'a1', 'u2', 'a2', 'card']);
  });

  it('of a turn has no Stop of its own', async () => {
    await open({ state: { messages, total: 4, turn: { id: 't', startedAt: AT, steps: 0 } } });
    await chat.frame(event({ status: 'running', after: 'a2' }));
    expect(await card().getByRole('button').count()).toBe(0);
  });

  it('says why there is none, and asks again', async () => {
    await open({ state: { messages, total: 4 } });
    const error = { code: 'auth', message: 'Earlier messages could not be summarised.', next: ['setKey' as const] };
    await chat.frame(event({ status: 'failed', after: 'a2', error }));
    expect(await card().innerText()).toContain('could not be summarised');
    await press('Set key');
    expect(await chat.waitFor('next')).toEqual([{ type: 'next', step: 'setKey' }]);
    await press('Retry');
    expect(await chat.waitFor('prompt')).toMatchObject([{ text: '/compact' }]);
  });

  it('is not shown where its place is out of sight, but while it runs', async () => {
    await open({ state: { messages, first: 80, total: 84, compaction: compaction({ after: 'm3' }) } });
    expect(await card().count()).toBe(0);
    await chat.frame(event({ status: 'running', after: 'm3' }));
    expect(await order()).toEqual(['u1', 'a1', 'u2', 'a2', 'card']);
  });
});
