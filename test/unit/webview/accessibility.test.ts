import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChatState, Part } from '../../../src/protocol/chatState.js';
import type { SessionRow } from '../../../src/protocol/wire.js';
import { answer, AT, richState, userMessage } from '../../support/conversations.js';
import { openLab, type ChatPageUnderTest, type PageLab } from '../../support/pageHarness.js';
import type { ThemeName } from '../../support/pageThemes.js';

declare const axe: { run(options: RunOptions): Promise<AxeResults> };

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

const button = (name: string | RegExp) => chat.page.getByRole('button', { name }).first();
const box = () => chat.page.getByRole('textbox', { name: 'Message Nanobot' });
const row: SessionRow = {
  ...{ key: 'vscode:2', title: 'Another chat', updatedAt: AT, messages: 3, busy: false, running: true },
};
const approval = {
  ...{ id: 'p', callId: 'c', tool: 'write_file', title: 'Edit a file', detail: '/work/a.txt', reasons: ['Outside'] },
  ...{ diff: '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-a\n+b\n', proposals: [{ path: '/work/a.txt', label: 'a.txt' }] },
  rules: [{ id: 'exact', label: 'a.txt exactly' }],
};
const spawned: Part = {
  ...{ kind: 'tool', callId: 'cs', name: 'spawn', status: 'ok', summary: 'look', args: '{}', startedAt: AT, ms: 3 },
};
const turn: ChatState['turn'] = { id: 't', startedAt: AT, steps: 2 };

/** Each state of the page, and how a person gets there. */
const states: Record<string, { state?: Partial<ChatState>; reach?: () => Promise<void> }> = {
  'an empty chat': {},
  'a conversation with everything in it': { state: richState },
  'an approval': { state: { ...richState, turn, approvals: [approval] } },
  'an approval with its rules': {
    state: { ...richState, turn, approvals: [approval] },
    reach: () => button('Allow always…').click(),
  },
  'a question': {
    state: { ...richState, turn, questions: [{ id: 'q', callId: 'c', text: 'Which?', options: ['One', 'Two'] }] },
  },
  'a running turn with tasks, a queue, a notice and a retry': {
    state: {
      ...richState,
      turn,
      todo: [{ text: 'Look', status: 'in_progress' }],
      queue: [{ id: 'w', text: 'And then?', attachments: [], armed: true }],
      notices: [{ id: 'n', level: 'warning', text: 'Something to know.', next: ['openLog'] }],
      retry: { until: AT + 60_000, attempt: 1, reason: 'Busy.' },
    },
  },
  'a chat that failed': {
    state: {
      messages: [
        userMessage('u', 'hello'),
        answer('a', '', {
          status: 'error',
          error: { code: 'auth', message: 'The key was refused.', next: ['setKey'] },
        }),
      ],
    },
  },
  'the switcher of sessions': {
    reach: async () => {
      await button(/^Switch session/).click();
      await chat.send({ type: 'sessions', query: '', rows: [row] });
    },
  },
  'the switcher while other chats wait, fail and end': {
    reach: async () => {
      const states = ['waiting', 'failed', 'finished'] as const;
      const rows = states.map((state) => ({ ...row, key: `vscode:${state}`, title: state, running: false }));
      await chat.send({
        type: 'activity',
        sessions: rows.map(({ key, title }, at) => ({ key, title, state: states[at] ?? 'asks' })),
      });
      await button(/^Switch session/).click();
      await chat.send({ type: 'sessions', query: '', rows: [row, ...rows] });
      await chat.page.locator('[data-state="failed"]').waitFor();
    },
  },
  'a subagent that failed, in a window that is nearly full': {
    state: {
      messages: [userMessage('u', 'look'), { ...answer('a', ''), parts: [spawned] }],
      context: {
        used: 190_000,
        window: 200_000,
        system: 2_000,
        memory: 1_000,
        skills: 1_000,
        history: 180_000,
        tools: 6_000,
      },
      spent: { inputTokens: 50_000, outputTokens: 2_000, cachedTokens: 0, cost: 0.2 },
    },
    reach: async () => {
      const times = { steps: 2, startedAt: AT, endedAt: AT + 3_000 };
      const subagent = {
        id: 's',
        label: 'Tea reader',
        task: 'Read.',
        sessionKey: 'subagent:s',
        callId: 'cs',
        ...times,
      };
      await chat.frame({ type: 'subagent', ...subagent, status: 'error', error: 'The model did not answer.' });
      await chat.page.getByRole('group', { name: 'Subagent: Tea reader' }).waitFor();
    },
  },
  'find in the conversation': { state: richState, reach: () => button('Find in conversation').click() },
  'the list behind @': {
    reach: async () => {
      await box().fill('@a');
      const [asked] = await chat.waitFor('mention');
      await chat.send({ type: 'mentions', n: asked?.n ?? 0, items: [{ path: '/work/a.txt', label: 'a.txt' }] });
      await chat.page.getByRole('listbox').waitFor();
    },
  },
  'attachments of several kinds': {
    reach: async () => {
      await chat.send({
        type: 'attached',
        attachments: [
          { path: '/work/a.txt', label: 'a.txt', tokens: 120 },
          { path: '/work', label: 'work', kind: 'folder', tokens: 10 },
          { path: 'https://x.test', label: 'https://x.test', kind: 'url', error: 'Not found.' },
        ],
      });
    },
  },
  'the map of keys': {
    reach: async () => {
      await box().focus();
      await chat.page.keyboard.press('?');
      await chat.page.getByRole('dialog').waitFor();
    },
  },
  'going back to before a message': {
    state: { messages: richState.messages ?? [] },
    reach: async () => {
      const file = { path: '/work/a.txt', label: 'a.txt', kind: 'put back' as const, changedSince: true };
      await chat.send({ type: 'restorePlan', for: 'restore', plan: { messageId: 'u1', messages: 2, files: [file] } });
      await chat.page.getByRole('group', { name: 'Restore', exact: true }).waitFor();
    },
  },
  'a message that is edited': {
    state: { messages: richState.messages ?? [] },
    reach: async () => {
      await chat.page.locator('[data-message-id="u1"]').hover();
      await button('Edit and resend').click();
    },
  },
};

describe.each<ThemeName>(['dark', 'light', 'contrast'])(
  'with axe, in the theme %s, nothing serious is found in',
  (theme) => {
    it.each(Object.keys(states))('%s', async (name) => {
      const { state, reach } = states[name] ?? {};
      chat = await lab.open({ theme, ...(state ? { state } : {}) });
      await reach?.();
      await chat.page.evaluate(AXE);
      const { violations } = await chat.page.evaluate(() => axe.run({ resultTypes: ['violations'] }));
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(
        serious.map(({ id, nodes }) => [
          id,
          nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary ?? ''}`),
        ]),
      ).toEqual([]);
    });
  },
);
