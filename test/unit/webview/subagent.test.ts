import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChatMessage, ToolPart } from '../../../src/protocol/chatState.js';
import type { Subagent } from '../../../src/protocol/event.js';
import { answer, AT, userMessage } from '../../support/conversations.js';
import { openLab, type ChatPageUnderTest, type OpenOptions, type PageLab } from '../../support/pageHarness.js';
import type { ThemeName } from '../../support/pageThemes.js';
import { until } from '../../support/until.js';

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

const open = async (options?: OpenOptions) => (chat = await lab.open(options));

const call = (callId: string): ToolPart => ({
  kind: 'tool',
  callId,
  name: 'spawn',
  status: 'ok',
  summary: 'look',
  args: '{"task":"look"}',
  startedAt: AT,
  ms: 3,
  output: 'Subagent [look] started.',
});
const subagent = (more: Partial<Subagent> = {}): Subagent => ({
  id: 's1',
  label: 'Tea reader',
  task: 'Read notes.md and list the teas.',
  status: 'running',
  sessionKey: 'subagent:s1',
  callId: 'c1',
  steps: 0,
  startedAt: AT,
  ...more,
});
const spawning = (...calls: string[]): ChatMessage => ({ ...answer('a1', 'They look.'), parts: calls.map(call) });
const cards = (label = 'Tea reader') => chat.page.getByRole('group', { name: `Subagent: ${label}`, exact: true });
const press = (name: string) => cards().getByRole('button', { name, exact: true }).click();
const messages = [userMessage('u1', 'look'), spawning('c1')];

describe('the card of a subagent', () => {
  it('stands in the place of the call, and tells how it goes on until it ends', async () => {
    await open({ state: { messages, total: 2 } });
    expect(await chat.page.locator('[data-tool="spawn"]').count()).toBe(1);
    await chat.frame({ type: 'subagent', ...subagent({ steps: 3 }) });
    expect(await chat.page.locator('[data-tool="spawn"]').count()).toBe(0);
    expect(await cards().innerText()).toMatch(/Tea reader\s+Running\s+3 steps/);
    await press('Stop subagent Tea reader');
    expect(await chat.waitFor('subagentStop')).toEqual([{ type: 'subagentStop', id: 's1' }]);
    await press('Open transcript of Tea reader');
    expect(await chat.waitFor('subagentOpen')).toEqual([{ type: 'subagentOpen', id: 's1' }]);
    const said = chat.page.locator('.sr-only[role="status"]');
    expect(await said.innerText()).toBe('');
    const ended = { status: 'done' as const, endedAt: AT + 65_000, tokens: 12_345, result: 'Only **Assam**.' };
    await chat.frame({ type: 'subagent', ...subagent({ steps: 4, ...ended }) });
    expect(await cards().innerText()).toMatch(/Done\s+4 steps · 1 min 5 s · 12k tokens/);
    expect(await said.innerText()).toBe('Subagent Tea reader: Done');
    expect(await cards().getByRole('button', { name: 'Stop subagent Tea reader' }).count()).toBe(0);
    await cards().getByText('Result', { exact: true }).click();
    await until('the result', async () => (await cards().locator('.md strong').innerText()) === 'Assam');
    expect(chat.problems).toEqual([]);
  });

  it('offers Resume where it was interrupted, and only to look where another window runs it', async () => {
    const interrupted = subagent({ status: 'interrupted', steps: 2 });
    await open({ state: { messages, total: 2, subagents: [interrupted] } });
    await press('Resume subagent Tea reader');
    expect(await chat.waitFor('subagentResume')).toEqual([{ type: 'subagentResume', id: 's1' }]);
    await chat.frame({ type: 'subagent', ...subagent({ elsewhere: true }) });
    expect(await cards().innerText()).toContain('Running in another window');
    expect(await cards().getByRole('button').count()).toBe(1);
  });

  it('what it brought back is no message of the person: it unfolds, and cannot be edited', async () => {
    const sender = { kind: 'subagent' as const, id: 's1', label: 'Tea reader', task: 'look', status: 'done' as const };
    await open({ state: { messages: [...messages, { ...userMessage('u2', 'Only **Assam**.'), sender }], total: 3 } });
    const result = chat.page.getByRole('article', { name: 'Result of subagent Tea reader' });
    expect(await chat.page.getByRole('article', { name: 'You' }).count()).toBe(1);
    expect(await result.innerText()).toBe('Result of subagent Tea reader');
    await result.locator('summary').click();
    await until('the result', async () => (await result.locator('.md strong').innerText()) === 'Assam');
    await result.hover();
    await result.getByRole('button', { name: 'Copy' }).waitFor();
    expect(await result.getByRole('button', { name: 'Edit and resend' }).count()).toBe(0);
  });

  it('ticks while it runs, also when no turn does, and wakes nobody afterwards', async () => {
    await open({ state: { messages, total: 2, subagents: [subagent({ startedAt: Date.now() - 5_000 })] } });
    await until('its time', async () => /\d+ s/.test(await cards().innerText()));
  });
});

const all = [
  subagent({ steps: 12, startedAt: Date.now() - 83_000 }),
  subagent({ id: 's2', callId: 'c2', label: 'Test runner', status: 'queued' }),
  subagent({
    id: 's3',
    callId: 'c3',
    label: 'Docs',
    status: 'done',
    steps: 7,
    endedAt: AT + 42_000,
    tokens: 18_000,
    result: 'x',
  }),
  subagent({
    id: 's4',
    callId: 'c4',
    label: 'Looks through every example of the documentation for dead links',
    status: 'error',
    steps: 2,
    endedAt: AT + 3_000,
    error: 'OpenAI refused the API key. Set another one with “Nanobot: Set API Key”.',
  }),
  subagent({ id: 's5', callId: 'c5', label: 'Benchmark', status: 'interrupted', steps: 3 }),
];
const sender = { kind: 'subagent' as const, id: 's3', label: 'Docs', task: 'x', status: 'done' as const };

describe('the transcript of a subagent', () => {
  it('takes no words: whoever has any goes back to the chat', async () => {
    const session = {
      key: 'subagent:s1',
      title: 'Tea reader',
      readOnly: false,
      interrupted: false,
      parent: 'vscode:1',
    };
    await open({ state: { session, messages: [userMessage('u1', 'Read.'), answer('a1', 'Read.')], total: 2 } });
    expect(await chat.page.getByRole('textbox', { name: 'Message Nanobot' }).isDisabled()).toBe(true);
    expect(await chat.page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    expect(await chat.page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
    // What would put the caret into the box leads to the way back.
    await chat.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await chat.send({ type: 'focus' });
    await until('the focus', () =>
      chat.page.evaluate(() => document.activeElement?.textContent === 'Back to the chat'),
    );
    await chat.page.keyboard.press('Enter');
    expect(await chat.waitFor('openSession')).toMatchObject([{ key: 'vscode:1' }]);
  });
});

describe.each<[ThemeName, number]>([
  ['dark', 300],
  ['light', 500],
  ['contrast', 300],
  ['dark', 500],
])('in %s at %i px', (theme, width) => {
  it('is whole', async () => {
    const shown = [
      userMessage('u1', 'look'),
      spawning('c1', 'c2', 'c3', 'c4', 'c5'),
      { ...userMessage('u2', 'x'), sender },
    ];
    await open({ theme, width, height: 900, state: { messages: shown, total: 3, subagents: all } });
    expect(await chat.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    for (const { label } of all) expect(await cards(label).isVisible()).toBe(true);
    const folder = process.env['SCREENSHOTS'];
    if (folder) await chat.page.screenshot({ path: join(folder, `subagents-${theme}-${String(width)}.png`) });
  });
});
