import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeClock } from '../../../../src/platform/nodeClock.js';
import type { PageMessage } from '../../../../src/protocol/wire.js';
import type { ChatActions } from '../../../../src/vscode/chat/chatActions.js';
import { ChatController } from '../../../../src/vscode/chat/chatController.js';
import type { ChatStorage, Draft, PageGroup } from '../../../../src/vscode/chat/chatHandle.js';
import { createPage } from '../../../../webview/state.js';
import type { AppLab } from '../../../support/appLab.js';
import { served } from '../../../support/served.js';
import { until } from '../../../support/until.js';

/** What outlives a page. */
function memory(session?: string): ChatStorage {
  const drafts = new Map<string, Draft>();
  let shown = session;
  return {
    session: () => shown,
    setSession: (key) => void (shown = key),
    draft: (key) => drafts.get(key) ?? { text: '', at: 0 },
    setDraft: (key, draft) => void drafts.set(key, draft),
  };
}

/** The page's own logic and the host's end of it over a real core; only VS Code between them is played. */
function openPage(lab: AppLab, storage: ChatStorage) {
  let toHost: (message: PageMessage) => void = () => undefined;
  let ids = 0;
  const page = createPage({
    post: (message) => {
      toHost(message);
    },
    now: () => Date.now(),
    newId: () => `page-${String(++ids)}`,
    onFrame: (run) => void setImmediate(run),
    after: () => () => undefined,
    every: () => () => undefined,
    saved: () => undefined,
    save: () => undefined,
    rememberSession: () => undefined,
  });
  const actions = {
    selection: { current: () => null, onChange: () => ({ dispose: () => undefined }) },
    examples: () => Promise.resolve([]),
    remembered: () => Promise.resolve(''),
  } as unknown as ChatActions;
  const group: PageGroup = {
    activity: () => [],
    waitingForPerson: () => 0,
    saw: () => undefined,
    isShownElsewhere: () => false,
    isSentElsewhere: () => false,
    deleted: () => Promise.resolve(),
    focused: () => undefined,
    closed: () => undefined,
  };
  const holder = {
    post: (message: unknown) => {
      page.receive(message as Parameters<typeof page.receive>[0]);
    },
    ...{ visible: () => true, seen: () => true },
    ...{ rebuild: () => undefined, giveUp: () => undefined, setBadge: () => undefined, setTitle: () => undefined },
  };
  const controller = new ChatController(holder, lab.app, actions, storage, nodeClock(), group);
  onTestFinished(() => {
    controller.closed();
  });
  toHost = (message) => {
    controller.receive(message);
  };
  const shows = (key: string) => until(`the chat ${key}`, () => page.chat.value.session.key === key);
  return { page, controller, shows };
}

it('a chat that has not begun is shown again by the next page', async () => {
  const { lab } = await served([]);
  const storage = memory();
  const first = openPage(lab, storage);
  const key = first.controller.sessionKey;
  first.controller.closed();
  expect(openPage(lab, storage).controller.sessionKey).toBe(key);
});

describe('a message of a page', () => {
  it('goes to no other chat than the one it was written for, and its words are not lost', async () => {
    const { lab, server } = await served([{ text: 'Here.' }]);
    const { page, controller, shows } = openPage(lab, memory(lab.session));
    controller.receive({ type: 'ready' });
    await shows(lab.session);
    page.composer.typed('for the first chat');
    // The host has opened another, the page does not show it yet.
    const opening = controller.open('vscode:other');
    page.send();
    await opening;
    expect(page.chat.value.session.key).toBe('vscode:other');
    expect(page.composer.text.value).toBe('for the first chat');
    expect(page.refusal.value).toContain('Another chat was opened in that moment.');
    expect(page.pending.value).toEqual([]);

    // The page may show the other chat before it hears of the refusal.
    page.composer.clear();
    page.receive({ type: 'rejected', id: 'forgotten', reason: 'No.', words: { text: 'kept', attachments: [] } });
    expect(page.composer.text.value).toBe('kept');

    page.composer.clear();
    page.composer.typed('for the other chat');
    page.send();
    await until('the request', () => server.requests.length > 0);
    await lab.app.loop.idle('vscode:other');
    expect(lab.stored()).toEqual([]);
    const { session } = await lab.app.loop.conversation('vscode:other');
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });
});
