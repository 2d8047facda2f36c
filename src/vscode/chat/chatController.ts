import type { App } from '../../app.js';
import { FrameSender } from '../../channels/frames.js';
import { PageWatch } from '../../channels/pageWatch.js';
import { commandItems } from '../../agent/commands.js';
import { skillItems } from '../../agent/skillUse.js';
import type { Conversation } from '../../agent/conversation.js';
import { shownTitle } from '../../protocol/chatTitle.js';
import type { Clock, Disposable } from '../../platform/ports.js';
import { reasonOf } from '../../platform/reason.js';
import type { SessionEvent } from '../../protocol/event.js';
import type { Attachment } from '../../protocol/message.js';
import type { CommandItem, HostMessage, PageMessage, PageSetup } from '../../protocol/wire.js';
import { parsePageMessage } from '../../protocol/wireSchema.js';
import { changeHandlers } from './changeHandlers.js';
import { checkpointHandlers } from './checkpointHandlers.js';
import { contextHandlers } from './contextHandlers.js';
import type { ChatActions } from './chatActions.js';
import type { ChatHandle, ChatStorage, Handlers, PageGroup } from './chatHandle.js';
import type { ChatListener, ChatPage } from './chatPage.js';
import { editorHandlers } from './editorHandlers.js';
import { messageHandlers } from './messageHandlers.js';
import { readingHandlers } from './readingHandlers.js';
import { sessionHandlers } from './sessionHandlers.js';
import { stepHandlers } from './stepHandlers.js';
import { subagentHandlers } from './subagentHandlers.js';
import { unreadable } from './unreadableChat.js';

/**
 * One chat page: takes what it posts, sends what happens in the session it shows. Everything a page needs after it was hidden, reloaded or moved
 * is one snapshot; there is no outbox.
 */
export class ChatController implements ChatListener, ChatHandle {
  private readonly frames: FrameSender;
  private readonly watch: PageWatch;
  private readonly subscriptions: Disposable[];
  private readonly handlers: Handlers;
  private shown: Promise<Conversation>;
  private key: string;
  private ready = false;
  /** What commands put into a page that is still loading: it would hear nothing of it. */
  private readonly early: HostMessage[] = [];
  /** The page was hidden while something happened: it gets a snapshot when it is seen again. */
  private stale = false;
  /** The selection that the page was told of last. */
  private offered = 'null';
  /** Ids of the messages that this page sent. */
  private readonly sentIds = new Set<string>();

  constructor(
    private readonly page: ChatPage,
    readonly app: App,
    readonly actions: ChatActions,
    readonly storage: ChatStorage,
    clock: Clock,
    readonly group: PageGroup,
  ) {
    this.frames = new FrameSender((frame) => {
      this.post(frame);
      this.watch.sent(frame.n);
    }, clock);
    this.watch = new PageWatch({
      clock,
      isSeen: () => page.seen(),
      rebuild: () => {
        this.rebuild();
      },
      giveUp: () => {
        page.giveUp();
      },
    });
    this.handlers = this.createHandlers();
    const known = storage.session();
    this.key = known ?? app.newSessionKey('vscode');
    // A chat that has not begun is found again: a model may be chosen for it.
    if (known === undefined) storage.setSession(this.key);
    this.shown = this.read(this.key);
    this.subscriptions = [
      app.bus.subscribe((event) => {
        this.happened(event);
      }),
      ...[app.skills, app.mcp].map((source) =>
        source.onChange(() => {
          if (this.ready) this.post({ type: 'commands', items: this.commandItems() });
        }),
      ),
      actions.selection.onChange(() => {
        this.offerSelection();
      }),
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

  conversation(): Promise<Conversation> {
    return this.shown;
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
      this.shown.then(
        (conversation) => {
          conversation.notice('page', 'error', reason, ['openLog']);
        },
        // A chat that cannot be read has said so in its snapshot.
        () => undefined,
      );
    });
  }

  visibilityChanged(): void {
    this.offerSelection();
    this.watch.seenChanged();
    if (!this.page.visible() || !this.ready) return;
    this.group.saw(this.key);
    if (this.stale) void this.snapshot();
  }

  closed(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    this.frames.dispose();
    this.watch.dispose();
    this.group.closed(this);
    if (this.page.editor) void this.giveBack(this.key);
  }

  /** Whether the person has this session before them. */
  isSeen(key: string): boolean {
    return this.ready && this.key === key && this.page.visible();
  }

  sent(id: string): void {
    this.sentIds.add(id);
  }

  hasSent(id: string): boolean {
    return this.sentIds.has(id);
  }

  /** Tells the page what is active in other sessions. */
  showActivity(): void {
    if (!this.ready) return;
    this.post({ type: 'activity', sessions: this.group.activity() });
    this.page.setBadge(this.group.waitingForPerson());
  }

  focus(): void {
    this.postWhenReady({ type: 'focus' });
  }

  /** Shows which keys there are. */
  showKeys(): void {
    this.postWhenReady({ type: 'keys' });
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
    const conversation = await this.shown;
    const model = await this.app.currentModel(conversation.choice);
    if (model && !conversation.running) conversation.announceModel(model);
  }

  /** Shows a new session. What the former one said is noted in the background, as after `/new`. */
  async newChat(): Promise<void> {
    const former = this.shown;
    const opened = this.open(this.app.newSessionKey('vscode'));
    // A chat that cannot be read has nothing to note.
    await former.then((conversation) => this.app.compaction.archiveNow(conversation)).catch(() => undefined);
    await opened;
  }

  /** Shows another session. The former goes on by itself if a turn runs there, else it is given back. */
  async open(key: string): Promise<void> {
    const former = this.key;
    this.key = key;
    this.shown = this.read(key);
    this.storage.setSession(key);
    await this.snapshot();
    if (former !== key) await this.giveBack(former);
  }

  /** Gives a session back that this page no longer shows, unless another page does or a turn runs there. */
  private async giveBack(key: string): Promise<void> {
    if (this.group.isShownElsewhere(key, this) || this.app.loop.isBusy(key)) return;
    await this.app.loop.release(key);
  }

  private createHandlers(): Handlers {
    return {
      ready: async () => {
        this.ready = true;
        await this.snapshot();
        this.offerSelection(true);
        this.showActivity();
        for (const message of this.early.splice(0)) this.post(message);
        this.app.preload('vscode');
      },
      focused: () => {
        this.group.focused(this);
      },
      ack: ({ n }) => {
        this.frames.ack(n);
        this.watch.acked(n);
      },
      ...messageHandlers(this),
      ...sessionHandlers(this),
      ...readingHandlers(this),
      ...editorHandlers(this),
      ...contextHandlers(this),
      ...changeHandlers(this),
      ...checkpointHandlers(this),
      ...subagentHandlers(this),
      ...stepHandlers(this),
    };
  }

  /** The page draws nothing any more: a new one takes its place, which keeps draft and place by what the old one had put down. */
  private rebuild(): void {
    this.app.log.warn('The chat page did not answer for ten seconds. It is loaded anew.');
    this.ready = false;
    this.page.rebuild();
    this.watch.sent(0);
  }

  private happened({ sessionKey, event }: SessionEvent): void {
    if (!this.ready || sessionKey !== this.key) return;
    if (event.type === 'session') this.page.setTitle(shownTitle(event.title));
    if (event.type === 'switch_session') {
      if (event.id === undefined || !this.group.isSentElsewhere(event.id, this)) void this.open(event.key);
      return;
    }
    if (event.type === 'rejected') {
      // Nobody typed what a subagent sent; what another page sent is given back there.
      if (!event.sender && !this.group.isSentElsewhere(event.id, this))
        this.post({ type: 'rejected', id: event.id, reason: event.reason });
      return;
    }
    if (!this.page.visible()) {
      this.stale = true;
      return;
    }
    if (event.type === 'reload') void this.snapshot();
    else this.frames.push(event);
  }

  private async snapshot(): Promise<void> {
    const key = this.key;
    const setup = await this.setup();
    const conversation = await this.shown.catch((cause: unknown) => unreadable(key, cause));
    // Another session was opened while this one was read.
    if (key !== this.key) return;
    if (!conversation.state.model) {
      const model = await this.app.currentModel('choice' in conversation ? conversation.choice : {});
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
    this.watch.sent(this.frames.number);
    this.page.setTitle(shownTitle(conversation.state.session.title));
    if (this.page.visible()) this.group.saw(key);
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

  /** Tells a page that is seen what is selected in the editor, once for each change; a page that was loaded anew is told in any case. */
  private offerSelection(isNew = false): void {
    if (!this.ready || !this.page.visible()) return;
    const attachment = this.actions.selection.current();
    const offered = JSON.stringify(attachment);
    if (!isNew && offered === this.offered) return;
    this.offered = offered;
    this.post({ type: 'selection', attachment });
  }

  private postWhenReady(message: HostMessage): void {
    if (this.ready) this.post(message);
    else this.early.push(message);
  }

  post(message: HostMessage): void {
    this.page.post(message);
  }
}
