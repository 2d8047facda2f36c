import type { MessageBus } from '../bus/bus.js';
import { compactionOf } from '../memory/sessionMarks.js';
import { UNTITLED } from '../protocol/chatTitle.js';
import { emptyState, reduce, WINDOW, type ChatMessage, type ChatState } from '../protocol/chatState.js';
import type { AgentEvent, ModelInfo, QueuedMessage, Subagent } from '../protocol/event.js';
import type { FileChange, NextStep, StoredMessage, Usage } from '../protocol/message.js';
import type { WindowCut } from '../runner/govern.js';
import type { ToolRegistry } from '../runner/registry.js';
import type { ReadLedger } from '../runner/tool.js';
import { sumOf } from '../protocol/usage.js';
import type { Session } from '../session/session.js';
import { Interaction } from './interaction.js';
import type { LaterSnapshots } from './laterChanges.js';
import { choiceIn, type ChoiceChange, type EarlyChoices, type ModelChoice } from './modelChoice.js';
import { PartialAnswer, type PartialDeps, type PartialText } from './partialAnswer.js';
import { recordIn } from './subagentRecord.js';
import { Transcript, type TurnChanges } from './transcript.js';
import type { Incoming } from './userMessage.js';

/** Messages that wait for a running turn at most. */
const MAX_QUEUE = 20;

/** What keeps the files a turn touched, so that the turn can be undone. */
export interface TurnSnapshots extends LaterSnapshots {
  /** Keeps a file's content before its first change in this turn. `from` is where something is about to be moved from. */
  before(turnId: string, path: string, from?: string): Promise<void>;
  /** Records the end of a turn, so that later changes by others are told from its own. */
  finish(turnId: string): Promise<{ changes: FileChange[] }>;
  changes(turnId: string): Promise<{ changes: FileChange[]; settled?: 'undone' | 'kept' }>;
  /** Puts back what the turn changed; a file changed since is left alone and named. */
  undo(
    turnId: string,
    options: { paths?: readonly string[] },
  ): Promise<{ restored: string[]; restoredPaths: string[]; conflicts: string[] }>;
  /** Records what became of a turn's changes, or of those at `paths`. */
  settle(turnId: string, outcome: 'undone' | 'kept', paths?: readonly string[]): Promise<void>;
}

export interface ConversationDeps {
  bus: MessageBus;
  tools: ToolRegistry;
  snapshots: TurnSnapshots;
  newLedger(): ReadLedger;
  partial: PartialDeps;
  /** Without it, what was chosen for a chat that has not begun ends with the process. */
  earlyChoices?: EarlyChoices | undefined;
  /** The subagents that calls of a session started, as they are now. */
  subagents(session: Session): Promise<Subagent[]>;
}

/**
 * One session as this process shows it: the stored messages, the live state that channels draw, the queue, and what waits for the person. All
 * changes of the state go through `emit`, so host and page always hold the same.
 */
export class Conversation {
  state: ChatState;
  /** The running turn, if any. */
  running: { turnId: string; controller: AbortController; done: Promise<void>; cancelWait: () => void } | undefined;
  cut: WindowCut = {};
  readonly interaction: Interaction;
  private readonly partial: PartialAnswer;
  /** Images that a provider refused: left out of requests from then on, so that one of them cannot wedge the session. */
  readonly refusedImages = new Set<string>();
  private early: Record<string, unknown>;
  private windowBegin: string | undefined;
  private ledger: ReadLedger | undefined;
  private queueWork: Promise<void> = Promise.resolve();

  private constructor(
    readonly session: Session,
    private readonly deps: ConversationDeps,
  ) {
    this.state = emptyState(session.key);
    this.early = session.messages.length > 0 ? {} : { ...choiceIn(deps.earlyChoices?.load(session.key) ?? {}) };
    this.partial = new PartialAnswer(deps.partial, session.key);
    this.interaction = new Interaction((event) => {
      this.emit(event);
    });
  }

  /** Reads a session into a conversation: the newest messages, the queue as it was left (unarmed), whether its last turn was interrupted. */
  static async load(session: Session, deps: ConversationDeps): Promise<Conversation> {
    const conversation = new Conversation(session, deps);
    // Who opens a chat that nobody holds may write it; who opens one that another window holds sees it read-only.
    // Where the disk does not let anybody write, it is shown all the same; sending then says why it cannot be.
    if (session.messages.length > 0) await session.acquire().catch(() => undefined);
    await conversation.recover();
    await conversation.refresh();
    return conversation;
  }

  /** What the person chose for this chat alone. */
  get choice(): ModelChoice {
    return choiceIn({ ...this.session.metadata.metadata, ...this.early });
  }

  /** Changes that choice; undefined takes a part of it back. A chat that has not begun keeps it until it does. Throws like `setMetadata`. */
  async choose(change: ChoiceChange): Promise<void> {
    if (this.session.messages.length > 0) return this.session.setMetadata(change);
    this.early = { ...this.early, ...change };
    const choice = choiceIn(this.early);
    this.deps.earlyChoices?.save(this.key, Object.keys(choice).length > 0 ? choice : undefined);
  }

  /** What was chosen before the chat began, for its first metadata. */
  get earlyChoice(): Record<string, unknown> {
    return this.early;
  }

  /** The early choice is in the metadata. */
  earlyStored(): void {
    if (Object.keys(this.early).length > 0) this.deps.earlyChoices?.save(this.key, undefined);
    this.early = {};
  }

  get key(): string {
    return this.session.key;
  }

  /** What the model has read and still has before it. */
  get reads(): ReadLedger {
    return (this.ledger ??= this.deps.newLedger());
  }

  /** Notes where a request's window begins: when it has moved on, what was read before it is no longer there for the model. */
  noteWindow(begin: string): void {
    if (this.windowBegin !== undefined && begin !== this.windowBegin) this.forgetReads();
    this.windowBegin = begin;
  }

  /** Messages left what is sent to the model, and with them perhaps what it has read: it reads again. */
  forgetReads(): void {
    this.ledger = undefined;
  }

  emit(event: AgentEvent): void {
    this.state = reduce(this.state, event);
    if (event.type === 'text') this.partial.grown(() => this.streaming());
    else if (event.type === 'message_end' || event.type === 'message_reset') this.partial.forget();
    this.deps.bus.emit({ sessionKey: this.key, event });
  }

  /** The answer that streams, as far as it was told. */
  private streaming(): PartialText | undefined {
    const { turn, messages } = this.state;
    const last = messages.at(-1);
    if (!turn || last?.status !== 'streaming') return undefined;
    return {
      turnId: turn.id,
      id: last.id,
      text: last.parts.map((part) => (part.kind === 'text' ? part.text : '')).join(''),
    };
  }

  /** Stores what a process that was killed had told of its answer, as one that is closed does. */
  private async recover(): Promise<void> {
    const { session } = this;
    if (session.leaseState !== 'held' || !session.interrupted()) return;
    const left = await this.partial.take();
    if (!left || session.messages.at(-1)?.turn_id !== left.turnId) return;
    if (session.messages.some((message) => message.id === left.id)) return;
    const { id, text } = left;
    const timestamp = session.messages.at(-1)?.timestamp ?? '';
    // Half an answer is worth showing, and not worth a chat that does not open.
    await this.append([
      {
        role: 'assistant',
        content: text,
        timestamp,
        id,
        turn_id: left.turnId,
        status: 'aborted',
        interrupted: true,
      },
    ]).catch(() => undefined);
  }

  transcript(): Transcript {
    return new Transcript(this.session.visible(), this.deps.tools);
  }

  /** Builds the state anew from the file, keeping what is live (queue, notices, model, running turn). Tells channels to show it anew. */
  async refresh(): Promise<void> {
    const transcript = this.transcript();
    const first = Math.max(0, transcript.total - WINDOW);
    const queue = this.storedQueue();
    const messages = await this.articles(transcript, first, WINDOW);
    // Last, since those that run go on meanwhile. A damaged transcript of one must not hide the chat.
    const subagents = await this.deps.subagents(this.session).catch(() => this.state.subagents);
    this.state = {
      ...this.state,
      session: this.sessionState(),
      messages,
      subagents,
      first,
      total: transcript.total,
      spent: this.session.messages.reduce<Usage | undefined>((sum, { usage }) => sumOf(sum, usage), undefined) ?? null,
      queue: this.running ? this.state.queue : queue,
      compaction: this.state.compaction?.status === 'running' ? this.state.compaction : compactionOf(this.session),
    };
    this.deps.bus.emit({ sessionKey: this.key, event: { type: 'reload' } });
  }

  /** A window of the conversation elsewhere than at its end. */
  async window(first: number, count: number): Promise<{ first: number; total: number; messages: ChatMessage[] }> {
    const transcript = this.transcript();
    const from = Math.max(0, Math.min(first, transcript.total - count));
    return { first: from, total: transcript.total, messages: await this.articles(transcript, from, count) };
  }

  sessionState(): ChatState['session'] {
    const readOnly = this.session.leaseState === 'other';
    const interrupted = !readOnly && this.running === undefined && this.session.interrupted();
    const parent = recordIn(this.session.metadata.metadata)?.parent;
    return { key: this.key, title: this.title(), readOnly, interrupted, ...(parent === undefined ? {} : { parent }) };
  }

  announceSession(): void {
    this.emit({ type: 'session', ...this.sessionState() });
  }

  title(): string {
    const named = this.session.metadata.metadata['title'];
    return typeof named === 'string' && named !== '' ? named : UNTITLED;
  }

  /** A message that is stored is shown. */
  announceMessage({ id, text, attachments, sender }: Incoming, at: number): void {
    this.emit({ type: 'user_message', id, text, attachments, at, ...(sender ? { sender } : {}) });
  }

  announceModel(model: ModelInfo): void {
    if (JSON.stringify(this.state.model) !== JSON.stringify(model)) this.emit({ type: 'model', model });
  }

  notice(id: string, level: 'info' | 'warning' | 'error', text: string, next: NextStep[] = []): void {
    this.emit({ type: 'notice', notice: { id, level, text, next } });
  }

  /** Takes these notices away, as far as they are shown. */
  endNotices(...ids: string[]): void {
    for (const id of ids)
      if (this.state.notices.some((notice) => notice.id === id)) this.emit({ type: 'notice_end', id });
  }

  /** Puts a message behind the running turn; false when 20 wait already. Stored before it is shown. */
  async enqueue(message: Incoming): Promise<boolean> {
    if (this.state.queue.length >= MAX_QUEUE) return false;
    await this.changeQueue((queue) => [...queue, { ...bare(message), armed: true }]);
    return true;
  }

  async editQueued(id: string, text: string): Promise<void> {
    await this.changeQueue((queue) => queue.map((entry) => (entry.id === id ? { ...entry, text } : entry)));
  }

  /** Moves a message one place towards the front (-1) or the end (1) of the queue; at the end it is moved towards it stays. */
  async moveQueued(id: string, by: -1 | 1): Promise<void> {
    await this.changeQueue((queue) => {
      const at = queue.findIndex((entry) => entry.id === id);
      const [entry, other] = [queue[at], queue[at + by]];
      return entry && other ? queue.with(at, other).with(at + by, entry) : queue;
    });
  }

  async removeQueued(ids: string[]): Promise<void> {
    if (ids.length > 0) await this.changeQueue((queue) => queue.filter((entry) => !ids.includes(entry.id)));
  }

  /**
   * Takes out what has become messages. Must not fail: they are stored as messages, and a stored queue that still names them does no harm,
   * since loading leaves those out.
   */
  dequeue(ids: string[]): Promise<void> {
    if (!this.state.queue.some((entry) => ids.includes(entry.id))) return Promise.resolve();
    return this.inQueueOrder(async () => {
      const queue = this.state.queue.filter((entry) => !ids.includes(entry.id));
      await this.storeQueue(queue).catch(() => undefined);
      this.emit({ type: 'queue', queue });
    });
  }

  /** After Stop nothing that waited may run by itself; `armed` again once the person sends. Not stored, so it cannot fail. */
  armQueue(armed: boolean): Promise<void> {
    return this.inQueueOrder(async () => {
      if (!this.state.queue.some((entry) => entry.armed !== armed)) return;
      this.emit({ type: 'queue', queue: this.state.queue.map((entry) => ({ ...entry, armed })) });
    });
  }

  /** Stores messages of a turn; they are on disk when this resolves with them as stored. */
  append(messages: StoredMessage[]): Promise<StoredMessage[]> {
    return this.session.append(messages, { flush: true });
  }

  /** Each change is on disk before it is shown. */
  private changeQueue(change: (queue: QueuedMessage[]) => QueuedMessage[]): Promise<void> {
    return this.inQueueOrder(async () => {
      const queue = change(this.state.queue);
      await this.storeQueue(queue);
      this.emit({ type: 'queue', queue });
    });
  }

  private storeQueue(queue: QueuedMessage[]): Promise<void> {
    return this.session.setMetadata({ queue: queue.map(bare) });
  }

  private inQueueOrder(work: () => Promise<void>): Promise<void> {
    const done = this.queueWork.then(work);
    this.queueWork = done.catch(() => undefined);
    return done;
  }

  private storedQueue(): QueuedMessage[] {
    const stored = this.session.metadata.metadata['queue'];
    if (!Array.isArray(stored)) return [];
    const known = new Set(this.session.messages.map((message) => message.id));
    return (stored as Partial<QueuedMessage>[])
      .filter((entry) => typeof entry.id === 'string' && typeof entry.text === 'string' && !known.has(entry.id))
      .map(({ id = '', text = '', attachments = [], ...rest }) => ({
        ...bare({ ...rest, id, text, attachments }),
        armed: false,
      }));
  }

  private async articles(transcript: Transcript, first: number, count: number): Promise<ChatMessage[]> {
    const changes = new Map<string, { changes: FileChange[]; settled?: 'undone' | 'kept' }>();
    for (const turn of transcript.turns(first, count)) {
      // A damaged list of changes must not hide the chat.
      const done = await this.deps.snapshots.changes(turn).catch(() => ({ changes: [] }));
      if (done.changes.length > 0) changes.set(turn, done);
    }
    return transcript.slice(first, count, changes satisfies TurnChanges);
  }
}

/** A message of the queue without what is not stored. */
function bare({ id, text, attachments, sender, untrusted }: Incoming): Incoming {
  return { id, text, attachments, ...(sender ? { sender } : {}), ...(untrusted ? { untrusted } : {}) };
}
