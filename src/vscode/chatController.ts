import type { App } from '../app.js';
import { FrameSender } from '../channels/frames.js';
import { commandItems } from '../agent/commands.js';
import { skillItems } from '../agent/skillUse.js';
import type { Conversation } from '../agent/conversation.js';
import type { Clock, Disposable } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';
import type { SessionEvent } from '../protocol/event.js';
import type { Attachment } from '../protocol/message.js';
import type { CommandItem, HostMessage, PageMessage, PageSetup } from '../protocol/wire.js';
import { parsePageMessage } from '../protocol/wireSchema.js';
import { resumeChat, subagentHandlers } from './chatSubagents.js';
import type { ChatListener, ChatPage } from './chatView.js';
import { unreadable } from './unreadableChat.js';

/** Articles sent for one step of scrolling. */
const PAGE_SIZE = 40;
/** Hits of a search in the conversation. */
const MAX_HITS = 500;

/** What the page asks for that is VS Code's to do. */
export interface ChatActions {
  selectModel(): Promise<void>;
  setKey(): Promise<void>;
  openLog(): void;
  openSettings(): Promise<void>;
  openFolder(): Promise<void>;
  openMemory(): Promise<void>;
  openFile(path: string, line?: number): Promise<void>;
  openLink(href: string): Promise<void>;
  openPreview(markdown: string): Promise<void>;
  copy(text: string): Promise<void>;
  pickFiles(): Promise<{ path: string; label: string }[]>;
  mentions(query: string): Promise<{ path: string; label: string }[]>;
  examples(): Promise<string[]>;
  remembered(): Promise<string>;
}

/** What was typed and not sent; `at` is the page's time of the last change, 0 where there is none. */
export interface Draft {
  text: string;
  at: number;
}

/** What outlives the page: the session shown last and drafts. */
export interface ChatStorage {
  session(): string | undefined;
  setSession(key: string): void;
  draft(key: string): Draft;
  setDraft(key: string, draft: Draft): void;
}

type Handlers = { [T in PageMessage['type']]: (message: Extract<PageMessage, { type: T }>) => void | Promise<void> };

/**
 * One chat page: takes what it posts, sends what happens in the session it shows. Everything a page needs after it was hidden, reloaded or moved
 * is one snapshot; there is no outbox.
 */
export class ChatController implements ChatListener {
  private readonly frames: FrameSender;
  private readonly subscriptions: Disposable[];
  private conversation: Promise<Conversation>;
  private key: string;
  private ready = false;
  /** What commands put into a page that is still loading: it would hear nothing of it. */
  private readonly early: HostMessage[] = [];
  /** The page was hidden while something happened: it gets a snapshot when it is seen again. */
  private stale = false;

  constructor(
    private readonly page: ChatPage,
    private readonly app: App,
    private readonly actions: ChatActions,
    private readonly storage: ChatStorage,
    clock: Clock,
    private readonly released: (controller: ChatController) => void,
  ) {
    this.frames = new FrameSender((frame) => {
      this.post(frame);
    }, clock);
    this.key = storage.session() ?? app.newSessionKey('vscode');
    this.conversation = this.read(this.key);
    this.subscriptions = [
      app.bus.subscribe((event) => {
        this.happened(event);
      }),
      ...[app.skills, app.mcp].map((source) =>
        source.onChange(() => {
          if (this.ready) this.post({ type: 'commands', items: this.commandItems() });
        }),
      ),
    ];
  }

  private read(key: string): Promise<Conversation> {
    const conversation = this.app.loop.conversation(key);
    // A failure is shown by the snapshot; nobody may be waiting for it before.
    conversation.catch(() => undefined);
    return conversation;
  }

  get sessionKey(): string {
    return this.key;
  }

  receive(value: unknown): void {
    const message = parsePageMessage(value);
    if (!message) {
      this.app.log.warn('The chat page posted something unknown; it was ignored.');
      return;
    }
    const handle = this.handlers[message.type] as (message: PageMessage) => void | Promise<void>;
    Promise.resolve(handle(message)).catch((cause: unknown) => {
      this.app.log.error(`The chat page's "${message.type}" failed.`, cause);
      const reason = reasonOf(cause);
      this.conversation.then(
        (conversation) => {
          conversation.notice('page', 'error', reason, ['openLog']);
        },
        // A chat that cannot be read has said so in its snapshot.
        () => undefined,
      );
    });
  }

  visibilityChanged(): void {
    if (this.page.visible() && this.stale && this.ready) void this.snapshot();
  }

  closed(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    this.frames.dispose();
    this.released(this);
  }

  focus(): void {
    this.postWhenReady({ type: 'focus' });
  }

  insert(text: string): void {
    this.postWhenReady({ type: 'insert', text });
  }

  /** Sends a message that a command wrote for the person, from the page: a refusal gives it back to the composer. */
  say(text: string, attachments: Attachment[]): void {
    this.postWhenReady({ type: 'send', text, attachments });
  }

  attach(attachments: Attachment[]): void {
    this.postWhenReady({ type: 'attached', attachments });
  }

  /** Shows the model that would answer now; a running turn shows its own. */
  async showModel(): Promise<void> {
    const [conversation, model] = await Promise.all([this.conversation, this.app.currentModel()]);
    if (model && !conversation.running) conversation.announceModel(model);
  }

  /** Shows a new session. What the former one said is noted in the background, as after `/new`. */
  async newChat(): Promise<void> {
    const former = this.conversation;
    const opened = this.open(this.app.newSessionKey('vscode'));
    // A chat that cannot be read has nothing to note.
    await former.then((conversation) => this.app.compaction.archiveNow(conversation)).catch(() => undefined);
    await opened;
  }

  /** Shows another session. The former goes on by itself if a turn runs there, else it is given back. */
  async open(key: string): Promise<void> {
    const former = this.key;
    this.key = key;
    this.conversation = this.read(key);
    this.storage.setSession(key);
    await this.snapshot();
    if (former !== key && !this.app.loop.isBusy(former)) await this.app.loop.release(former);
  }

  private readonly handlers: Handlers = {
    ready: async () => {
      this.ready = true;
      await this.snapshot();
      for (const message of this.early.splice(0)) this.post(message);
      this.app.preload('vscode');
    },
    ack: ({ n }) => {
      this.frames.ack(n);
    },
    prompt: ({ id, text, attachments }) => {
      this.storage.setSession(this.key);
      // The page tells of its emptied composer a moment later; a reload in between must not bring the words back.
      this.storage.setDraft(this.key, { text: '', at: this.storage.draft(this.key).at + 1 });
      const refusal = this.app.bus.publish({
        id,
        channel: 'vscode',
        sessionKey: this.key,
        text,
        attachments: withoutUndefined(attachments),
        watched: true,
      });
      if (refusal)
        this.post({ type: 'rejected', id, reason: 'Too many messages wait already. Send it again in a moment.' });
    },
    stop: () => {
      this.app.loop.stop(this.key);
    },
    approval: async ({ id, decision }) => {
      (await this.conversation).interaction.decide(id, decision);
    },
    answer: async ({ id, text }) => {
      (await this.conversation).interaction.answer(id, text);
    },
    queueEdit: async ({ id, text }) => (await this.conversation).editQueued(id, text),
    queueRemove: async ({ id }) => (await this.conversation).removeQueued([id]),
    queueSend: () => this.app.loop.sendQueued(this.key, { channel: 'vscode' }),
    retry: ({ messageId }) => this.app.loop.retry(this.key, messageId, { channel: 'vscode' }),
    resend: ({ messageId, text }) =>
      this.app.loop.resend(this.key, messageId, {
        id: this.app.newId(),
        channel: 'vscode',
        sessionKey: this.key,
        text,
        attachments: [],
        watched: true,
      }),
    cancelRetry: async () => {
      (await this.conversation).running?.cancelWait();
    },
    next: ({ step, noticeId }) => this.next(step, noticeId),
    dismissNotice: async ({ id }) => {
      (await this.conversation).emit({ type: 'notice_end', id });
    },
    newChat: () => this.newChat(),
    listSessions: async ({ query }) => {
      this.post({ type: 'sessions', query, rows: await this.app.listSessions(query) });
    },
    openSession: ({ key }) => this.open(key),
    renameSession: async ({ key, title }) => {
      await this.app.renameSession(key, title);
      this.post({ type: 'sessions', query: '', rows: await this.app.listSessions('') });
    },
    deleteSession: async ({ key }) => {
      await this.app.deleteSession(key);
      if (key === this.key) await this.open(this.app.newSessionKey('vscode'));
      this.post({ type: 'sessions', query: '', rows: await this.app.listSessions('') });
    },
    selectModel: () => this.actions.selectModel(),
    attach: async () => {
      const attachments = await this.actions.pickFiles();
      if (attachments.length > 0) this.attach(attachments);
    },
    mention: async ({ n, query }) => {
      this.post({ type: 'mentions', n, items: await this.actions.mentions(query) });
    },
    openFile: ({ path, line }) => this.actions.openFile(path, line),
    openLink: ({ href }) => this.actions.openLink(href),
    openPreview: ({ markdown }) => this.actions.openPreview(markdown),
    openMemory: () => this.actions.openMemory(),
    undoTurn: ({ turnId }) => this.app.loop.undo(this.key, turnId),
    keepTurn: ({ turnId }) => this.app.loop.keep(this.key, turnId),
    ...subagentHandlers({ app: () => this.app, open: (key) => this.open(key) }),
    copy: ({ text }) => this.actions.copy(text),
    load: async ({ direction, at }) => {
      const first = direction === 'older' ? Math.max(0, at - PAGE_SIZE) : at;
      const count = direction === 'older' ? at - first : PAGE_SIZE;
      const shown = (await this.conversation).transcript();
      this.post({ type: 'loaded', direction, first, total: shown.total, messages: shown.slice(first, count) });
    },
    find: async ({ n, query }) => {
      const hits = (await this.conversation).transcript().find(query, MAX_HITS);
      this.post({ type: 'found', n, query, hits });
    },
    goTo: async ({ index }) => {
      const shown = await (await this.conversation).window(Math.max(0, index - PAGE_SIZE / 2), PAGE_SIZE);
      this.post({ type: 'loaded', direction: 'around', focus: index, ...shown });
    },
    draft: ({ text, at }) => {
      // A chat that has not begun is found again, too.
      if (this.storage.session() !== this.key) this.storage.setSession(this.key);
      this.storage.setDraft(this.key, { text, at });
    },
  };

  private async next(
    step: Extract<PageMessage, { type: 'next' }>['step'],
    noticeId: string | undefined,
  ): Promise<void> {
    // These two lead on also from a chat that cannot be read.
    if (step === 'newChat') return this.newChat();
    if (step === 'openLog') {
      this.actions.openLog();
      return;
    }
    const conversation = await this.conversation;
    if (noticeId !== undefined) conversation.emit({ type: 'notice_end', id: noticeId });
    switch (step) {
      case 'retry': {
        const last = conversation.state.messages.at(-1);
        if (last) await this.app.loop.retry(this.key, last.id, { channel: 'vscode' });
        return;
      }
      case 'setKey':
        return this.actions.setKey();
      case 'switchModel':
        return this.actions.selectModel();
      case 'openSettings':
        return this.actions.openSettings();
      case 'resume':
        return resumeChat(this.app, this.key);
      case 'openFolder':
        return this.actions.openFolder();
      case 'continueHere':
        return this.app.loop.continueHere(this.key);
    }
  }

  private happened({ sessionKey, event }: SessionEvent): void {
    if (!this.ready) return;
    if (event.type === 'approval_start' || event.type === 'approval_end' || event.type === 'turn_end') this.showBadge();
    if (sessionKey !== this.key) return;
    if (event.type === 'switch_session') {
      void this.open(event.key);
      return;
    }
    if (event.type === 'rejected') {
      // Nobody typed what a subagent sent.
      if (!event.sender) this.post({ type: 'rejected', id: event.id, reason: event.reason });
      return;
    }
    if (!this.page.visible()) {
      this.stale = true;
      return;
    }
    if (event.type === 'reload') void this.snapshot();
    else this.frames.push(event);
  }

  /** Approvals count whichever chat is shown: a turn that waits elsewhere must not be forgotten. */
  private showBadge(): void {
    this.page.setBadge(this.app.loop.waitingApprovals());
  }

  private async snapshot(): Promise<void> {
    const key = this.key;
    const setup = await this.setup();
    const conversation = await this.conversation.catch((cause: unknown) => unreadable(key, cause));
    // Another session was opened while this one was read.
    if (key !== this.key) return;
    if (!conversation.state.model) {
      const model = await this.app.currentModel();
      if (model) conversation.state = { ...conversation.state, model };
    }
    this.stale = false;
    this.frames.restart();
    this.post({
      type: 'snapshot',
      n: this.frames.number,
      state: conversation.state,
      setup: { ...setup, commands: this.commandItems() },
    });
    this.showBadge();
  }

  /** Skills are among them once they have been looked at; the page is told then. */
  private commandItems(): CommandItem[] {
    const commands = commandItems();
    return [...commands, ...skillItems(this.app.skills.list(), commands), ...this.app.serverPrompts.items()];
  }

  private async setup(): Promise<PageSetup> {
    const draft = this.storage.draft(this.key);
    const [examples, remembered] = await Promise.all([this.actions.examples(), this.actions.remembered()]);
    return {
      examples,
      remembered,
      home: this.app.home,
      // Those of the moment in which the page is told.
      commands: [],
      draft: draft.text,
      draftAt: draft.at,
      trusted: this.app.trusted(),
    };
  }

  private postWhenReady(message: HostMessage): void {
    if (this.ready) this.post(message);
    else this.early.push(message);
  }

  private post(message: HostMessage): void {
    this.page.post(message);
  }
}

/** zod writes absent optional fields as undefined; the message types leave them out. */
function withoutUndefined<T extends object>(list: T[]): T[] {
  return list.map((entry) => Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as T);
}
