import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { nodeClock } from '../../../../src/platform/nodeClock.js';
import type { PageMessage } from '../../../../src/protocol/wire.js';
import type { ChatActions } from '../../../../src/vscode/chat/chatActions.js';
import { ChatController } from '../../../../src/vscode/chat/chatController.js';
import type { ChatStorage, Draft, PageGroup } from '../../../../src/vscode/chat/chatHandle.js';
import { Snapshots } from '../../../../src/tools/support/snapshots.js';
import { createPage } from '../../../../webview/state.js';
import type { AppLab } from '../../../support/appLab.js';
import type { Reply } from '../../../support/modelServer.js';
import { served } from '../../../support/served.js';
import { latch } from '../../../support/subagents.js';
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

describe('a message that is edited and sent anew', () => {
  /** A page that shows a chat with the message m1, which is sent anew. */
  async function edited(script: Reply[]) {
    const { lab, server } = await served([{ text: 'One.' }, ...script]);
    await lab.say('first', 'm1');
    const { page, controller, shows } = openPage(lab, memory(lab.session));
    controller.receive({ type: 'ready' });
    await shows(lab.session);
    const back = (words: string) => until('the words to come back', () => page.composer.text.value === words);
    const { session } = await lab.app.loop.conversation(lab.session);
    return { lab, server, page, controller, back, session };
  }

  it('leaves the composer alone where it was taken', async () => {
    const { lab, page, server } = await edited([{ text: 'Two.' }]);
    const end = lab.event('turn_end');
    page.resend('m1', 'other words', false);
    expect((await end).status).toBe('done');
    expect(server.requests).toHaveLength(2);
    expect(page.composer.text.value).toBe('');
  });

  it('comes back while a turn runs, and where the message is gone', async () => {
    const gate = latch();
    const { lab, page, server, back } = await edited([{ text: 'Two.', gate: () => gate.wait }]);
    const ended = lab.say('second', 'm2');
    await server.received(2);
    page.resend('m1', 'while it runs', false);
    await back('while it runs');
    gate.open();
    await ended;
    page.composer.clear();
    page.resend('gone', 'to nothing', false);
    await back('to nothing');
    expect(lab.stored().filter(({ role }) => role === 'user')).toHaveLength(2);
  });

  it('comes back where the conversation cannot be written, and the reason is told', async () => {
    const { lab, page, back, session } = await edited([]);
    vi.spyOn(session, 'hide').mockRejectedValue(new Error('no space'));
    page.resend('m1', 'not stored', false);
    await back('not stored');
    expect(lab.events.findLast(({ type }) => type === 'notice')).toMatchObject({ notice: { id: 'rejected' } });
  });

  it('comes back where the files could not be put back, whatever failed', async () => {
    const { lab, page, back, server } = await edited([]);
    const told = () => lab.events.findLast((event) => event.type === 'notice')?.notice.id;
    const ordered = vi.spyOn(Snapshots.prototype, 'groups').mockRejectedValue(new Error('unreadable'));
    onTestFinished(() => {
      ordered.mockRestore();
    });
    page.resend('m1', 'with files', true);
    await back('with files');
    expect(told()).toBe('rejected');
    page.composer.clear();
    vi.spyOn(lab.app.checkpoints, 'restore').mockRejectedValue(new Error('broken'));
    page.resend('m1', 'once more', true);
    await back('once more');
    await until('the reason', () => told() === 'page');
    expect(server.requests).toHaveLength(1);
  });

  it('goes to no other chat than the one it was written for', async () => {
    const { lab, page, controller } = await edited([]);
    const opening = controller.open('vscode:other');
    page.resend('m1', 'for the first chat', false);
    await opening;
    expect(page.composer.text.value).toBe('for the first chat');
    expect(page.refusal.value).toContain('Another chat was opened in that moment.');
    expect(lab.stored()).toHaveLength(2);
  });
});
