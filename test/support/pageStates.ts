import type { ChatState, ToolPart } from '../../src/protocol/chatState.js';
import type { PageSetup, SessionRow } from '../../src/protocol/wire.js';
import { answer, AT, richState, userMessage } from './conversations.js';
import type { ChatPageUnderTest } from './pageHarness.js';

export const box = (chat: ChatPageUnderTest) => chat.page.locator('.composer textarea');
export const row: SessionRow = {
  ...{ key: 'vscode:2', title: 'Another chat', updatedAt: AT, messages: 3, busy: false, running: true },
};
const approval = {
  ...{ id: 'p', callId: 'c', tool: 'write_file', title: 'Change a.txt', detail: '/work/a.txt', reasons: ['Outside'] },
  ...{ diff: '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-a\n+b\n', proposals: [{ path: '/work/a.txt', label: 'a.txt' }] },
  rules: [{ id: 'exact', label: 'a.txt exactly' }],
};
export const spawned: ToolPart = {
  ...{ kind: 'tool', callId: 'cs', name: 'spawn', status: 'ok', summary: 'look', args: '{}', startedAt: AT, ms: 3 },
};
const turn: ChatState['turn'] = { id: 't', startedAt: AT, steps: 2 };

/** What is seen of the page at once, in any language: nothing here is found by its words. */
export interface PageState {
  state?: Partial<ChatState>;
  setup?: Partial<PageSetup>;
  /** How a person gets there. */
  reach?: (chat: ChatPageUnderTest) => Promise<void>;
}

/** Each large state of the page. */
export const pageStates: Record<string, PageState> = {
  'an empty chat': {},
  'a conversation with everything in it': { state: richState },
  'an approval': { state: { ...richState, turn, approvals: [approval] } },
  'an approval with its rules': {
    state: { ...richState, turn, approvals: [approval] },
    reach: (chat) => chat.page.locator('.approval vscode-button').nth(1).click(),
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
    reach: async (chat) => {
      await chat.page.locator('.header .title').click();
      await chat.send({ type: 'sessions', query: '', rows: [row] });
    },
  },
  'the switcher while other chats wait, fail and end': {
    reach: async (chat) => {
      const states = ['waiting', 'failed', 'finished'] as const;
      const rows = states.map((state) => ({
        ...row,
        key: `vscode:${state}`,
        title: `Chat about ${state.length} teas`,
        running: false,
      }));
      await chat.send({
        type: 'activity',
        sessions: rows.map(({ key, title }, at) => ({ key, title, state: states[at] ?? 'asks' })),
      });
      await chat.page.locator('.header .title').click();
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
    reach: async (chat) => {
      const times = { steps: 2, startedAt: AT, endedAt: AT + 3_000 };
      const subagent = {
        id: 's',
        label: 'Tea reader',
        task: 'Look at the leaves.',
        sessionKey: 'subagent:s',
        callId: 'cs',
        ...times,
      };
      await chat.frame({ type: 'subagent', ...subagent, status: 'error', error: 'The model did not answer.' });
      await chat.page.locator('.card.subagent').waitFor();
    },
  },
  'find in the conversation': { state: richState, reach: (chat) => chat.page.keyboard.press('Control+F') },
  'the list behind @': {
    reach: async (chat) => {
      await box(chat).fill('@a');
      const [asked] = await chat.waitFor('mention');
      await chat.send({ type: 'mentions', n: asked?.n ?? 0, items: [{ path: '/work/a.txt', label: 'a.txt' }] });
      await chat.page.getByRole('listbox').waitFor();
    },
  },
  'attachments of several kinds': {
    reach: async (chat) => {
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
    reach: async (chat) => {
      await box(chat).focus();
      await chat.page.keyboard.press('?');
      await chat.page.getByRole('dialog').waitFor();
    },
  },
  'going back to before a message': {
    state: { messages: richState.messages ?? [] },
    reach: async (chat) => {
      const file = { path: '/work/a.txt', label: 'a.txt', kind: 'put back' as const, changedSince: true };
      await chat.send({ type: 'restorePlan', for: 'restore', plan: { messageId: 'u1', messages: 2, files: [file] } });
      await chat.page.locator('.card.restore').waitFor();
    },
  },
  'a message that is edited': {
    state: { messages: richState.messages ?? [] },
    reach: async (chat) => {
      await chat.page.locator('[data-message-id="u1"]').hover();
      await chat.page.locator('.bar button').first().click();
    },
  },
};
