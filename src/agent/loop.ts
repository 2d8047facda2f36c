import { setMaxListeners } from 'node:events';
import { t } from '@vscode/l10n';
import type { InboundMessage, MessageBus } from '../bus/bus.js';
import { isScheduledTurn } from '../cron/jobSession.js';
import type { Disposable } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';
import type { Subagent } from '../protocol/event.js';
import type { ErrorInfo } from '../protocol/message.js';
import type { Session } from '../session/session.js';
import type { SessionStore } from '../session/store.js';
import { Closing } from '../runner/run.js';
import { runCommand, type CommandHost } from './commands.js';
import type { Compaction } from './compaction.js';
import { Conversation } from './conversation.js';
import type { EarlyChoices } from './modelChoice.js';
import { createLedger } from './reads.js';
import { receive } from './receive.js';
import { busy, full, giveBack, giveBackUnread, running } from './reject.js';
import { storageFailure } from './storageFailure.js';
import { runTurn, type TurnDeps } from './turn.js';
import { TurnGate } from './turnGate.js';
import { remindOfRestore } from './undoableRestore.js';
import type { Incoming } from './userMessage.js';

/** Milliseconds another window is waited for when a session is to go on here. */
const HANDOVER_MS = 600_000;

export interface LoopDeps extends TurnDeps {
  bus: MessageBus;
  sessions: SessionStore;
  compaction: Compaction;
  prompts: { begin(message: InboundMessage, conversation: Conversation): boolean };
  commands: Omit<CommandHost, 'stop' | 'startNew'>;
  earlyChoices: EarlyChoices | undefined;
  /** The subagents that a session started, and what ends those that have not ended. */
  subagents: { cards(session: Session): Promise<Subagent[]>; stopOf(key: string): void; isLive(key: string): boolean };
  /** Creates what is missing of the home; once, before the first turn. */
  prepareHome(): Promise<void>;
}

interface Start {
  channel: string;
  watched: boolean;
  /** Absent where the newest stored message is to be answered (resume, retry). */
  message?: Incoming;
  turnId?: string;
}

/**
 * AgentLoop: takes messages off the bus, one turn a session at a time and three in all. A person's message is on disk before anything else
 * happens; one that comes while a turn runs joins that turn's queue.
 */
export class AgentLoop {
  private readonly conversations = new Map<string, Promise<Conversation>>();
  private readonly loaded = new Map<string, Conversation>();
  private readonly intake = new Map<string, Promise<void>>();
  private readonly gate = new TurnGate();
  private consuming: Disposable | undefined;
  private prepared: Promise<void> | undefined;
  private closing = false;

  constructor(private readonly deps: LoopDeps) {}

  start(): void {
    this.consuming = this.deps.bus.consume((message) => {
      void this.inOrder(message.sessionKey, async () => {
        try {
          await this.take(message);
        } catch (cause) {
          this.notTaken(message, cause);
        }
      });
    });
  }

  /** Ends every turn, stores what they had, and gives the sessions back. */
  async close(): Promise<void> {
    this.closing = true;
    this.consuming?.dispose();
    await Promise.all(this.intake.values());
    await this.deps.compaction.close();
    const all = [...this.loaded.values()];
    await Promise.all(all.map((conversation) => this.end(conversation, new Closing())));
    // A lease that cannot be given back is free soon after this process has ended.
    await Promise.allSettled(all.map((conversation) => conversation.session.release()));
  }

  /** The conversation of a session, read from disk at the first use. */
  conversation(key: string): Promise<Conversation> {
    const known = this.conversations.get(key);
    if (known) return known;
    const { bus, tools, snapshots, sessions, earlyChoices, ...partial } = this.deps;
    const subagents = (session: Session) => partial.subagents.cards(session);
    const loading = sessions
      .open(key)
      .then((session) =>
        Conversation.load(session, {
          bus,
          tools,
          snapshots,
          partial,
          subagents,
          earlyChoices,
          newLedger: createLedger,
        }),
      )
      .then((conversation) => remindOfRestore(conversation, this.deps.clock.now()))
      .then((conversation) => this.listen(conversation));
    this.conversations.set(key, loading);
    loading.catch(() => this.conversations.delete(key));
    return loading;
  }

  /** Resolves when no turn of this session runs and nothing of it waits to be handled. */
  async idle(key: string): Promise<void> {
    await this.intake.get(key);
    await this.loaded.get(key)?.running?.done;
  }

  /** The conversation of a session that has been read already. */
  loadedConversation(key: string): Conversation | undefined {
    return this.loaded.get(key);
  }

  /** Whether a turn of this session runs or waits to. */
  isBusy(key: string): boolean {
    return this.loaded.get(key)?.running !== undefined;
  }

  /** Forgets a session that is gone. */
  async forget(key: string): Promise<void> {
    const conversation = await this.conversations.get(key);
    if (conversation) await this.end(conversation);
    this.conversations.delete(key);
    this.loaded.delete(key);
    this.deps.tools.forget(key);
  }

  /** Gives a session back that no channel shows any more, unless a turn runs in it. */
  async release(key: string): Promise<void> {
    const conversation = await this.conversations.get(key);
    await this.deps.compaction.quiet(key);
    // What a subagent works for gets its result, and must stay with this window.
    const isNeeded = conversation?.running !== undefined || this.deps.subagents.isLive(key);
    if (!isNeeded) await conversation?.session.release();
  }

  /** Asks the window that works on a session for it; resolves once it is ours. */
  async continueHere(key: string): Promise<void> {
    const conversation = await this.conversation(key);
    conversation.endNotices('rejected', 'storage');
    conversation.notice('handover', 'info', t('Asked the other window; it goes on here when its turn has ended.'));
    try {
      await conversation.session.requestHandover(AbortSignal.timeout(HANDOVER_MS));
    } finally {
      conversation.endNotices('handover');
    }
    await conversation.refresh();
  }

  /** Ends the running turn; what was queued stays, and waits for the person. */
  stop(key: string): void {
    // Behind what was sent before, ahead of what is sent from now on: a message that follows Stop is one that should run.
    void this.inOrder(key, async () => {
      const conversation = this.loaded.get(key);
      conversation?.running?.controller.abort();
      this.deps.compaction.stop(key);
      this.deps.commands.dreaming.stop(key);
      this.deps.subagents.stopOf(key);
      await conversation?.armQueue(false);
    });
  }

  /** Goes on with an interrupted turn: calls without a result get one that says so, then the model is asked again. */
  resume(key: string, from: { channel: string; watched?: boolean }): Promise<void> {
    return this.act(key, (conversation) => {
      if (!conversation.running) return this.goOn(conversation, from);
    });
  }

  /**
   * Answers again. An answer that failed or was stopped is taken out and the turn goes on from where it was; a finished one is taken out with
   * everything after the person's message, and made anew. One that could not be saved is not there to be taken out.
   */
  retry(key: string, messageId: string, from: { channel: string }): Promise<void> {
    return this.act(key, async (conversation) => {
      if (conversation.running) return;
      const messages = conversation.session.messages;
      const at = messages.findIndex((message) => message.id === messageId);
      const message = messages[at];
      if (!message) return this.goOn(conversation, from);
      const failed = message.status !== undefined;
      const user = messages.findLastIndex((candidate, index) => index <= at && candidate.role === 'user');
      await this.takeOut(conversation, failed ? at : user + 1);
      this.begin(conversation, { channel: from.channel, watched: true });
    });
  }

  /** Edit and resend: the message and what followed leave the conversation (not the file), the new text is taken as one just sent; false if not. */
  async resend(key: string, messageId: string, message: InboundMessage): Promise<boolean> {
    let isTaken = false;
    await this.act(key, async (conversation) => {
      if (conversation.running) return;
      const at = conversation.session.messages.findIndex((candidate) => candidate.id === messageId);
      if (at < 0) return;
      const attachments = conversation.session.messages[at]?.attachments ?? [];
      await this.takeOut(conversation, at);
      await this.take({ ...message, attachments });
      isTaken = true;
    });
    return isTaken;
  }

  /** Sends what stayed queued after Stop: the first begins a turn, the others join it. */
  sendQueued(key: string, from: { channel: string }): Promise<void> {
    return this.act(key, async (conversation) => {
      await conversation.armQueue(true);
      this.beginQueued(conversation, from);
    });
  }

  private async take(message: InboundMessage): Promise<void> {
    const conversation = await this.conversation(message.sessionKey);
    if (this.deps.prompts.begin(message, conversation)) return;
    const isTyped = !message.scheduled && !message.sender;
    if (isTyped && (await runCommand(message.text, conversation, this.commandHost(message)))) {
      // The words were a command, not a message: the pending bubble goes away.
      conversation.emit({ type: 'rejected', id: message.id, text: '', reason: '' });
      return;
    }
    if (!conversation.running) {
      this.begin(conversation, { channel: message.channel, watched: message.watched, message });
      return;
    }
    if (message.scheduled) giveBack(conversation, message, busy());
    else if (message.quoted !== undefined) giveBack(conversation, message, running());
    else if (!(await conversation.enqueue(message))) giveBack(conversation, message, full());
    // The turn may have ended while the message was stored.
    this.beginQueued(conversation, message);
  }

  private begin(conversation: Conversation, start: Start): void {
    if (this.closing) return;
    const controller = new AbortController();
    // Every call of an answer listens, and a dozen may run at the same time.
    setMaxListeners(0, controller.signal);
    const turnId = start.turnId ?? this.deps.newId();
    const running = { turnId, controller, done: Promise.resolve(), cancelWait: () => undefined };
    conversation.running = running;
    running.done = this.runToEnd(conversation, start, turnId, controller).catch((cause: unknown) => {
      this.deps.log.error('A turn could not be run.', cause);
    });
  }

  /** Goes on with the newest stored turn, if it was interrupted. Half an answer is made anew. */
  private async goOn(conversation: Conversation, from: { channel: string; watched?: boolean }): Promise<void> {
    const { session } = conversation;
    if (!session.interrupted()) return;
    const turnId = session.messages.findLast((message) => message.turn_id)?.turn_id;
    if (session.messages.at(-1)?.interrupted) await this.takeOut(conversation, session.messages.length - 1);
    this.begin(conversation, { channel: from.channel, watched: from.watched ?? true, ...(turnId ? { turnId } : {}) });
  }

  private async runToEnd(
    conversation: Conversation,
    start: Start,
    turnId: string,
    controller: AbortController,
  ): Promise<void> {
    let status: 'done' | 'error' | 'aborted' = 'error';
    try {
      if (await this.received(conversation, start, turnId)) {
        const { channel, watched } = start;
        status = await this.gate.through(conversation, controller.signal, () =>
          runTurn(conversation, { turnId, channel, watched, controller }, this.deps),
        );
      }
    } finally {
      // Stop has disarmed what waited then; what was sent after it runs.
      if (status === 'error') await conversation.armQueue(false);
      conversation.running = undefined;
      this.deps.compaction.afterTurn(conversation, status);
      conversation.announceSession();
    }
    this.beginQueued(conversation, start);
  }

  /** False where the message could not be taken, which the person is told. */
  private async received(conversation: Conversation, start: Start, turnId: string): Promise<boolean> {
    try {
      const received = receive(conversation, this.deps, { turnId, channel: start.channel, message: start.message });
      await Promise.all([this.prepareHome(), received]);
    } catch (cause) {
      giveBack(conversation, start.message, this.failure(cause));
      conversation.announceSession();
      return false;
    }
    conversation.endNotices('rejected', 'storage');
    return true;
  }

  /** Once, and again after a failure: the disk may have room by then. */
  private prepareHome(): Promise<void> {
    this.prepared ??= this.deps.prepareHome().catch((cause: unknown) => {
      this.prepared = undefined;
      this.deps.log.warn(`The home could not be set up: ${reasonOf(cause)}`);
    });
    return this.prepared;
  }

  private beginQueued(conversation: Conversation, from: { channel: string }): void {
    const next = conversation.state.queue.find((entry) => entry.armed);
    if (!next || conversation.running) return;
    const watched = !next.sender || !isScheduledTurn(conversation.key, false);
    this.begin(conversation, { channel: from.channel, watched, message: next });
  }

  /** A message that failed on its way in; perhaps its session cannot even be read. */
  private notTaken(message: InboundMessage, cause: unknown): void {
    const failure = this.failure(cause);
    const conversation = this.loaded.get(message.sessionKey);
    if (conversation) giveBack(conversation, message, failure);
    else giveBackUnread(this.deps.bus, message, failure);
  }

  private failure(cause: unknown): ErrorInfo {
    this.deps.log.error('A message or action could not be handled.', cause);
    return storageFailure(cause, this.deps.home);
  }

  /** Does something that a person asked of a conversation, after what was asked before; what keeps it from being done is said there. */
  act(key: string, work: (conversation: Conversation) => Promise<void> | void): Promise<void> {
    return this.inOrder(key, async () => {
      const conversation = await this.conversation(key);
      try {
        await work(conversation);
      } catch (cause) {
        giveBack(conversation, undefined, this.failure(cause));
      }
    });
  }

  /** Takes the stored messages from an index on out of the conversation; they stay in the file. */
  async takeOut(conversation: Conversation, from: number): Promise<void> {
    await this.deps.compaction.beforeTakingOut(conversation, from);
    await conversation.session.hide(from, conversation.session.messages.length);
    conversation.forgetReads();
    await conversation.refresh();
  }

  private commandHost(message: InboundMessage): CommandHost {
    return {
      ...this.deps.commands,
      stop: (key) => {
        this.stop(key);
      },
      startNew: async (conversation) => {
        if (message.channel === 'vscode') {
          conversation.emit({ type: 'switch_session', key: `vscode:${this.deps.newId()}`, id: message.id });
          this.deps.compaction.archiveNow(conversation);
          return;
        }
        await this.deps.compaction.beginAnew(conversation);
        conversation.notice('command', 'info', t('A new conversation begins.'));
      },
    };
  }

  private listen(conversation: Conversation): Conversation {
    const { session } = conversation;
    this.loaded.set(conversation.key, conversation);
    session.onExternalChange(() => {
      if (!conversation.running) void conversation.refresh();
    });
    session.onLost(() => {
      conversation.running?.controller.abort();
      void conversation.armQueue(false);
      conversation.announceSession();
    });
    return conversation;
  }

  private async end(conversation: Conversation, reason?: Closing): Promise<void> {
    while (conversation.running) {
      conversation.running.controller.abort(reason);
      await conversation.running.done;
    }
    await this.deps.compaction.end(conversation.key);
  }

  private inOrder(key: string, work: () => Promise<void>): Promise<void> {
    const done = (this.intake.get(key) ?? Promise.resolve()).then(work).catch((cause: unknown) => {
      this.deps.log.error('A message could not be handled.', cause);
    });
    this.intake.set(key, done);
    return done;
  }
}
