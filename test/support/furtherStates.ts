import type { ChatState, ToolStatus } from '../../src/protocol/chatState.js';
import type { FileChange, NextStep } from '../../src/protocol/message.js';
import { answer, AT, richState, userMessage } from './conversations.js';
import type { ChatPageUnderTest } from './pageHarness.js';
import { box, row, spawned, type PageState } from './pageStates.js';

const subagent = {
  ...{ id: 's', label: 'Tea reader', task: 'Look at the leaves.', sessionKey: 'subagent:s', callId: 'cs' },
  ...{ steps: 2, startedAt: AT },
};
const kinds = ['created', 'deleted', 'renamed', 'changed'] as const;
const steps: NextStep[] = [
  ...(['retry', 'continue', 'setKey', 'switchModel', 'openLog', 'openSettings'] as const),
  ...(['resume', 'newChat', 'openFolder', 'continueHere', 'undoRestore'] as const),
];
const calls = [
  ...['read_file', 'list_dir', 'glob', 'grep', 'symbols', 'references', 'diagnostics', 'write_file', 'edit_file'],
  ...['delete_file', 'rename_file', 'rename_symbol', 'notebook_edit', 'exec', 'poll_exec', 'write_stdin'],
  ...['kill_exec', 'ask_user', 'todo', 'spawn'],
];
const statuses: ToolStatus[] = ['ok', 'error', 'denied', 'aborted', 'waiting', 'running'];

/** Cards, lists and notices that the large states of the page have no room for. */
export const furtherStates: Record<string, PageState> = {
  'an empty chat with the practice model in a folder that is not trusted': {
    state: { model: { id: 'practice/practice', label: 'Tea 1', window: 8_000, practice: true } },
    setup: { trusted: false },
  },
  'calls of every tool': {
    state: {
      messages: [
        {
          ...answer('a', ''),
          parts: calls.map((name, at) => {
            const status = statuses[at % statuses.length] ?? 'ok';
            const ms = status === 'waiting' || status === 'running' ? {} : { ms: [5, 400, 4_000, 64_000][at % 4] ?? 0 };
            return {
              kind: 'tool',
              callId: `c${at}`,
              name,
              status,
              summary: `tea ${at}`,
              args: '',
              startedAt: AT,
              ...ms,
            };
          }),
        },
      ],
    },
  },
  'a call with its details, and thoughts': {
    state: richState,
    reach: async (chat) => {
      for (const at of [0, 1, 2, 3]) await chat.page.locator('article summary').nth(at).click();
    },
  },
  'the buttons of a code block': {
    state: richState,
    reach: (chat) => chat.page.locator('figure.code').hover(),
  },
  'files of a turn, decided and not, with more than are listed': {
    state: {
      messages: [
        answer('a', 'Look.', {
          turn: {
            id: 't',
            ms: 3_700_000,
            steps: 3,
            usage: { inputTokens: 12_400, outputTokens: 860, cachedTokens: 0, cost: 0.02 },
            changes: Array.from({ length: 14 }, (_, at) => ({
              ...{ path: `/work/tea${at}.txt`, label: `tea${at}.txt`, added: at, removed: 1 },
              kind: kinds[at % kinds.length] ?? 'changed',
              ...(at === 2 ? { settled: 'kept' as const } : at === 3 ? { settled: 'undone' as const } : {}),
            })),
          },
        }),
      ],
    },
    reach: (chat) => chat.page.locator('article').hover({ position: { x: 3, y: 3 } }),
  },
  'an error with every way on, and an answer that was stopped': {
    state: {
      messages: [
        answer('a', 'So far.', {
          status: 'aborted',
          turn: { id: 't', ms: 3_000, settled: 'kept', changes: [change()] },
        }),
        answer('b', '', { status: 'error', error: { code: 'x', message: 'It did not work.', next: steps } }),
      ],
    },
  },
  'earlier messages that are being summarised': {
    state: {
      ...{ messages: [userMessage('u', 'hello')], first: 8, total: 9 },
      compaction: { id: 'k', status: 'running', messages: 8, after: 'u', at: AT },
    },
  },
  'earlier messages that were summarised': {
    state: {
      messages: [userMessage('u', 'hello')],
      compaction: {
        ...{ id: 'k', status: 'done', messages: 1, after: 'u', at: AT },
        ...{ summary: 'They met.', raw: 3, by: 'tea-1' },
      },
    },
  },
  'a compaction that failed': {
    state: {
      messages: [userMessage('u', 'hello')],
      compaction: {
        ...{ id: 'k', status: 'failed', messages: 1, after: 'u', at: AT },
        error: { code: 'x', message: 'It did not work.', next: ['switchModel'] },
      },
    },
  },
  'subagents, and what one brought back': {
    state: {
      messages: [
        { ...answer('a', ''), parts: [spawned, { ...spawned, callId: 'c2' }, { ...spawned, callId: 'c3' }] },
        { ...userMessage('u', 'Tea.'), sender: { ...subagent, kind: 'subagent', status: 'done' } },
        { ...userMessage('v', 'Tea.'), sender: { ...subagent, kind: 'subagent', status: 'error' } },
        { ...userMessage('w', 'Tea.'), sender: { kind: 'agent' } },
      ],
      subagents: [
        { ...subagent, status: 'running' },
        { ...subagent, id: 's2', callId: 'c2', status: 'interrupted', endedAt: AT + 3_000, tokens: 4_000 },
        { ...subagent, id: 's3', callId: 'c3', status: 'queued', elsewhere: true },
      ],
    },
  },
  'the transcript of a subagent': { state: { session: { ...session(), parent: 'vscode:2' } } },
  'a chat that another window has': { state: { session: { ...session(), readOnly: true } } },
  'a turn that was interrupted, a queue that a Stop left and a task for each': {
    state: {
      session: { ...session(), interrupted: true },
      queue: [
        { id: 'q1', text: 'One tea', attachments: [], armed: false },
        { id: 'q2', text: 'Two teas', attachments: [{ path: '/work/a.txt', label: 'a.txt' }], armed: false },
        {
          id: 'q3',
          text: 'x',
          attachments: [],
          armed: false,
          sender: { ...subagent, kind: 'subagent', status: 'done' },
        },
      ],
      todo: [
        { text: 'Warm it', status: 'done' },
        { text: 'Pour it', status: 'pending' },
      ],
    },
    reach: async (chat) => {
      await chat.page.locator('.todo summary').click();
      await chat.page.locator('.queue button').nth(2).click();
    },
  },
  'what the window is filled with': {
    state: richState,
    reach: async (chat) => {
      await chat.page.locator('.meter button').click();
      const [kind, index, tokens] = ['result', 1, 9_000] as const;
      await chat.send({
        ...{ type: 'pieces', attachments: 5_000 },
        pieces: [
          { kind, index, tokens, label: 'src/duration.js' },
          { kind: 'attachment', index, tokens, label: 'a.txt' },
          { kind: 'message', index, tokens, label: 'Why?' },
        ],
      });
    },
  },
  'what was used': {
    state: { ...richState, spent: { inputTokens: 50_000, outputTokens: 2_000, cachedTokens: 0, cost: 0.2 } },
    reach: (chat) => chat.page.locator('.usage').click(),
  },
  'a session that is renamed': { reach: (chat) => inSwitcher(chat, 'F2') },
  'a session that is deleted': { reach: (chat) => inSwitcher(chat, 'Delete') },
  'sessions in groups': {
    reach: async (chat) => {
      await chat.send({ type: 'activity', sessions: [{ key: 'a', title: 'Another chat', state: 'asks' }] });
      await chat.page.locator('.header .title').click();
      const at = { running: false, updatedAt: Date.now() };
      await chat.send({
        ...{ type: 'sessions', query: '' },
        rows: [
          { ...row, ...at, key: 'a', pinned: true },
          { ...row, ...at, key: 'b', here: true, title: 'New chat', updatedAt: at.updatedAt - 900_000 },
          { ...row, ...at, key: 'c', busy: true, project: 'teas', updatedAt: at.updatedAt - 9_000_000, messages: 1 },
        ],
      });
    },
  },
  'words that are nowhere in the conversation': {
    state: richState,
    reach: async (chat) => {
      await chat.page.keyboard.press('Control+F');
      await chat.page.locator('.find input').fill('zzz');
      const [asked] = await chat.waitFor('find');
      await chat.send({ type: 'found', n: asked?.n ?? 0, query: 'zzz', hits: [] });
    },
  },
  'every kind of context': {
    reach: async (chat) => {
      await box(chat).fill('@');
      await chat.page.getByRole('listbox').waitFor();
    },
  },
  'a message that could not be sent, and a selection that is offered': {
    reach: async (chat) => {
      await chat.send({
        type: 'selection',
        attachment: { path: '/work/a.txt', label: 'a.txt', startLine: 2, endLine: 9 },
      });
      await chat.page.evaluate(() => {
        const data = new DataTransfer();
        data.setData('text/plain', '2026\n'.repeat(5_000));
        const at = document.querySelector('.composer textarea');
        at?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      });
      const [taken] = await chat.waitFor('take');
      await chat.page.keyboard.press('Escape');
      await box(chat).fill('And now?');
      await box(chat).press('Enter');
      await chat.send({ type: 'notTaken', id: taken?.id ?? '', reason: 'The disk is full.' });
    },
  },
  'files that are dragged over the page': {
    reach: async (chat) => {
      await chat.page.evaluate(() => {
        const data = new DataTransfer();
        data.items.add(new File(['tea'], 'tea.txt'));
        window.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, cancelable: true }));
      });
      await chat.page.locator('.drop').waitFor();
    },
  },
};

function session(): ChatState['session'] {
  return { key: 'vscode:1', title: 'About teas', readOnly: false, interrupted: false };
}

function change(): FileChange {
  return { path: '/work/a.txt', label: 'a.txt', added: 1, removed: 0, kind: 'changed' };
}

async function inSwitcher(chat: ChatPageUnderTest, key: string): Promise<void> {
  await chat.page.locator('.header .title').click();
  await chat.send({ type: 'sessions', query: '', rows: [row] });
  await chat.page.locator('[data-session]').waitFor();
  await chat.page.locator('.sessions vscode-text-field').press(key);
  await chat.page.locator('.sessions vscode-button').first().waitFor();
}
