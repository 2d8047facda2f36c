import type { Clock, Disposable, Files, Log } from '../platform/ports.js';
import { textOf, type StoredMessage } from '../protocol/message.js';
import { LeaseLost, SessionBusy, SessionRemoved } from './errors.js';
import { emptyFile } from './fileState.js';
import { addRange, isHidden, rangesOf } from './hidden.js';
import { findInterruption, type Interruption, interruptedResults } from './interruption.js';
import type { LeaseEnd, Leases } from './lease.js';
import type { SessionMetadata } from './lines.js';
import { type ExternalChange, SessionFile } from './sessionFile.js';

export interface SessionDeps {
  files: Files;
  clock: Clock;
  log: Log;
  leases: Leases;
  home: string;
  notice(text: string): void;
  /** The file name, without its ending, of a session that has no file yet. */
  place(key: string): Promise<string>;
  /** Called when the first listener for external changes comes and when the last one goes. */
  watch(session: Session, on: boolean): void;
}

/** Fields of the metadata in which nanobot keeps a turn that is under way. */
const CHECKPOINT = 'runtime_checkpoint';
const PENDING = 'pending_user_turn';

/**
 * One conversation and its append-only file. What `messages` holds is on disk, always: a message enters the list after its write succeeded.
 * Steps on one session run one after another. Writing needs the session's lease; a write takes it if nobody has it.
 */
export class Session {
  private readonly file: SessionFile;
  private steps: Promise<unknown> = Promise.resolve();
  private pending = 0;
  /** Who else writes it, as far as we know. */
  private other: string | undefined;
  private lost = false;
  private removed = false;
  private counted: { of: readonly StoredMessage[]; ranges: string; upTo: number; articles: number } = {
    of: [],
    ranges: '',
    upTo: 0,
    articles: 0,
  };
  private readonly lostListeners = new Set<(why: LeaseEnd) => void>();
  private readonly changeListeners = new Set<(change: ExternalChange) => void>();

  constructor(
    private readonly deps: SessionDeps,
    readonly key: string,
    name: string,
  ) {
    const { leases } = deps;
    this.file = new SessionFile(
      {
        ...deps,
        key,
        tell: (change) => {
          this.tell(change);
        },
        held: () => leases.holds(this.name),
        confirm: () => leases.confirm(this.name),
        otherHolds: async () => (await leases.otherHolder(this.name)) !== undefined,
      },
      name,
    );
  }

  /** The file's name without its ending; the lease has the same. */
  get name(): string {
    return this.file.name;
  }

  get path(): string {
    return this.file.path;
  }

  /** Every stored message, hidden ones too, in the order of the file. */
  get messages(): readonly StoredMessage[] {
    return this.file.state.messages;
  }

  get metadata(): SessionMetadata {
    const { created_at, updated_at, metadata, last_consolidated } = this.file.line();
    const last = this.file.state.messages.at(-1)?.timestamp ?? '';
    return { created_at, updated_at: later(updated_at, last), metadata, last_consolidated };
  }

  /** Whether a step is under way, so that the lease must not go elsewhere now. */
  get writing(): boolean {
    return this.pending > 0;
  }

  /** `other`: another process writes it, and ours only shows it. */
  get leaseState(): 'none' | 'held' | 'other' {
    if (this.deps.leases.holds(this.name)) return 'held';
    return this.other === undefined ? 'none' : 'other';
  }

  /** The conversation: the messages without those that an edit-and-resend took out. */
  visible(): StoredMessage[] {
    const hidden = rangesOf(this.file.line().metadata);
    const { messages } = this.file.state;
    return hidden.length === 0 ? [...messages] : messages.filter((_, index) => !isHidden(hidden, index));
  }

  /** How many visible messages are a person's or the agent's. Asked in every turn, so it counts only what came since the last time. */
  articleCount(): number {
    const { messages } = this.file.state;
    const hidden = rangesOf(this.file.line().metadata);
    const ranges = JSON.stringify(hidden);
    const { counted } = this;
    if (counted.of !== messages || counted.ranges !== ranges)
      this.counted = { of: messages, ranges, upTo: 0, articles: 0 };
    for (; this.counted.upTo < messages.length; this.counted.upTo++) {
      const isArticle = messages[this.counted.upTo]?.role !== 'tool' && !isHidden(hidden, this.counted.upTo);
      if (isArticle) this.counted.articles++;
    }
    return this.counted.articles;
  }

  /**
   * What the model may be sent: from `last_consolidated` on, without hidden messages and without failures that have no text. With the id of a
   * message, from that one on, where it is among them: a long conversation is then not gone through in every turn.
   */
  forModel(from?: string): StoredMessage[] {
    const { metadata, last_consolidated } = this.metadata;
    const { messages } = this.file.state;
    const hidden = rangesOf(metadata);
    const at = from === undefined ? -1 : messages.findLastIndex((message) => message.id === from);
    const start = at >= last_consolidated && !isHidden(hidden, at) ? at : last_consolidated;
    return messages.slice(start).filter((message, index) => !isHidden(hidden, start + index) && !isBareError(message));
  }

  /** Whether the last turn began and did not end. True as well while a turn runs: the caller knows about that one. */
  interrupted(): boolean {
    const found = this.interruption();
    return found !== undefined && found.kind !== 'unwritten';
  }

  /** What is missing of the last turn, nanobot's checkpoint included. */
  interruption(): Interruption | undefined {
    return findInterruption(this.visible(), this.metadata.metadata[CHECKPOINT]);
  }

  /**
   * Writes messages in one write and resolves with them as stored: with an id and a time each. With `flush` they survive a power cut. Throws
   * `SaveFailed`, `SessionBusy`, `LeaseLost` or `SessionRemoved`; the list still equals the file then.
   */
  append(messages: StoredMessage[], options: { flush?: boolean } = {}): Promise<StoredMessage[]> {
    return this.serially(async () => {
      await this.prepare();
      return this.file.put(messages, undefined, options.flush === true);
    });
  }

  /**
   * Changes fields of the session's metadata; an undefined value removes one. `lastConsolidated` goes into the same line. A patch that changes
   * nothing writes nothing, and so does one whose `onlyIf`, asked when its turn has come, is false. Throws like `append`.
   */
  setMetadata(
    patch: Record<string, unknown>,
    options: { lastConsolidated?: number; flush?: boolean; onlyIf?(): boolean } = {},
  ): Promise<void> {
    return this.serially(async () => {
      await this.prepare();
      if (options.onlyIf?.() === false) return;
      await this.patch(patch, options);
    });
  }

  /** Takes the messages from index `from` up to, not including, `to` out of the conversation. They stay in the file. Throws like `append`. */
  hide(from: number, to: number): Promise<void> {
    return this.serially(async () => {
      await this.prepare();
      const end = Math.min(to, this.file.state.messages.length);
      await this.patch(
        { hidden: addRange(rangesOf(this.metadata.metadata), [Math.max(0, from), end]) },
        { flush: true },
      );
    });
  }

  /**
   * Closes an interrupted turn before the session runs again: what nanobot's checkpoint holds becomes lines, each call without a result gets
   * one that says its effect is unknown. Resolves with what was written. Throws like `append`.
   */
  settle(): Promise<StoredMessage[]> {
    return this.serially(async () => {
      await this.prepare();
      const found = this.interruption();
      const { metadata } = this.metadata;
      const flags = CHECKPOINT in metadata || PENDING in metadata;
      const closing = found ? [...found.restored, ...interruptedResults(found, this.file.now())] : [];
      if (closing.length === 0 && !flags) return [];
      const { [CHECKPOINT]: _checkpoint, [PENDING]: _pending, ...rest } = metadata;
      return this.file.put(
        closing,
        flags ? { ...this.file.line(), updated_at: this.file.now(), metadata: rest } : undefined,
        true,
      );
    });
  }

  /** Takes the lease, reads what others wrote meanwhile and quarantines broken lines. */
  acquire(): Promise<'held' | { by: string }> {
    return this.serially(() => this.take());
  }

  async release(): Promise<void> {
    await this.serially(async () => {
      this.forgetOther();
      await this.deps.leases.release(this.name);
    });
  }

  /** "Continue here": asks the process that writes this session for it, and resolves once it is ours. Aborting withdraws the wish. */
  async requestHandover(signal: AbortSignal): Promise<void> {
    await this.deps.leases.request(this.name, signal);
    await this.acquire();
  }

  /** The lease ended without our asking; from then on `append` throws until `acquire`. */
  onLost(listener: (why: LeaseEnd) => void): Disposable {
    this.lostListeners.add(listener);
    return { dispose: () => this.lostListeners.delete(listener) };
  }

  /** Another process changed the file. The folder is watched only while somebody listens. */
  onExternalChange(listener: (change: ExternalChange) => void): Disposable {
    if (this.changeListeners.size === 0) this.deps.watch(this, true);
    this.changeListeners.add(listener);
    return {
      dispose: () => {
        if (this.changeListeners.delete(listener) && this.changeListeners.size === 0) this.deps.watch(this, false);
      },
    };
  }

  /** Reads what changed in the file since; cheap where nothing did. */
  refresh(): Promise<void> {
    return this.serially(() => this.file.sync());
  }

  /** For the store: the lease went away. */
  leaseEnded(why: LeaseEnd): void {
    this.lost = true;
    this.other ??= 'another window';
    for (const listener of this.lostListeners) listener(why);
  }

  /** For the store: moves the file away under the lease. The session can no longer be written. */
  discard(move: (path: string) => Promise<void>): Promise<void> {
    return this.serially(async () => {
      await this.prepare();
      if (this.file.state.exists) await move(this.path);
      this.removed = true;
      this.file.state = emptyFile();
      await this.deps.leases.release(this.name);
      this.tell({ kind: 'reloaded' });
    });
  }

  private serially<T>(step: () => Promise<T>): Promise<T> {
    this.pending += 1;
    const result = this.steps.then(step).finally(() => {
      this.pending -= 1;
    });
    this.steps = result.catch(() => undefined);
    return result;
  }

  private async prepare(): Promise<void> {
    const { leases } = this.deps;
    if (this.removed) throw new SessionRemoved(this.key);
    if (this.lost) throw new LeaseLost(this.key);
    if (!leases.holds(this.name)) {
      const taken = await this.take();
      if (taken !== 'held') throw new SessionBusy(this.key, taken.by);
    } else if (!(await leases.confirm(this.name))) {
      throw new LeaseLost(this.key);
    }
    await this.file.catchUp();
  }

  private async take(): Promise<'held' | { by: string }> {
    if (!this.file.state.exists) this.file.name = await this.deps.place(this.key);
    const outcome = await this.deps.leases.acquire(this.name);
    if (!outcome.held) {
      this.other = outcome.by;
      return { by: outcome.by };
    }
    this.forgetOther();
    await this.file.sync();
    await this.file.cleanUp();
    return 'held';
  }

  private forgetOther(): void {
    this.lost = false;
    this.other = undefined;
  }

  private async patch(
    patch: Record<string, unknown>,
    options: { lastConsolidated?: number; flush?: boolean },
  ): Promise<void> {
    const line = this.file.line();
    const merged = Object.entries({ ...line.metadata, ...patch }).filter(([, value]) => value !== undefined);
    const metadata = Object.fromEntries(merged);
    const last_consolidated = options.lastConsolidated ?? line.last_consolidated;
    const same =
      JSON.stringify(metadata) === JSON.stringify(line.metadata) && last_consolidated === line.last_consolidated;
    if (same) return;
    await this.file.put(
      [],
      { ...line, updated_at: this.file.now(), metadata, last_consolidated },
      options.flush === true,
    );
    await this.file.compactIfWanted();
  }

  private tell(change: ExternalChange): void {
    for (const listener of this.changeListeners) listener(change);
  }
}

function isBareError(message: StoredMessage): boolean {
  return message.status === 'error' && textOf(message.content) === '' && !message.tool_calls?.length;
}

/** The later of two times as text; one that cannot be read loses. */
function later(a: string, b: string): string {
  return (Date.parse(b) || 0) > (Date.parse(a) || 0) ? b : a;
}
