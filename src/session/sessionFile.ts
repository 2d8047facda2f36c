import { join } from 'node:path';
import { t } from '@vscode/l10n';
import type { Clock, Files, Log } from '../platform/ports.js';
import type { StoredMessage } from '../protocol/message.js';
import { SaveFailed } from './errors.js';
import {
  completed,
  emptyFile,
  extendsIt,
  type FileState,
  looksSame,
  noteAppend,
  readOn,
  sameFile,
} from './fileState.js';
import { quarantine, rewritten, wantsCompaction } from './history.js';
import { type MetadataLine, messageText, metadataText } from './lines.js';

/** What another process did to the file. After `reloaded` every message may be another. */
export type ExternalChange = { kind: 'appended'; messages: readonly StoredMessage[] } | { kind: 'reloaded' };

export interface SessionFileDeps {
  files: Files;
  clock: Clock;
  log: Log;
  home: string;
  key: string;
  notice(text: string): void;
  tell(change: ExternalChange): void;
  /** Whether the lease is ours, as we know; whether it still is, asked where in doubt; whether it is another's. */
  held(): boolean;
  confirm(): Promise<boolean>;
  otherHolds(): Promise<boolean>;
}

/**
 * The file of one session and what was read of it: `state` holds exactly what is on disk. Its steps must not overlap, and those that write
 * need the lease; `Session` sees to both.
 */
export class SessionFile {
  state: FileState = emptyFile();
  private saidDamaged = false;

  constructor(
    private readonly deps: SessionFileDeps,
    /** The file's name without its ending. */
    public name: string,
  ) {}

  get path(): string {
    return join(this.deps.home, 'sessions', `${this.name}.jsonl`);
  }

  /** The session's metadata as its next line would say it. */
  line(): MetadataLine {
    if (this.state.metadata) return this.state.metadata;
    const now = this.now();
    return { key: this.deps.key, created_at: now, updated_at: now, metadata: {}, last_consolidated: 0, rest: {} };
  }

  now(): string {
    return new Date(this.deps.clock.now()).toISOString();
  }

  /** Makes sure, with one look at size and number, that nobody changed the file since. */
  async catchUp(): Promise<void> {
    if (!looksSame(this.state, await this.deps.files.stat(this.path))) await this.sync();
  }

  /** The one place that writes lines. A file without metadata gets it first, so that line 1 of a new file is metadata. */
  async put(messages: StoredMessage[], metadata: MetadataLine | undefined, flush: boolean): Promise<StoredMessage[]> {
    const { state } = this;
    const now = this.now();
    const first = state.metadata ? undefined : (metadata ?? this.line());
    const last = state.metadata ? metadata : undefined;
    const stored = messages.map((message, index) => this.withId(message, state.messages.length + index, now));
    const lines = [first ? metadataText(this.deps.key, first) : '', ...stored.map(messageText)];
    const text = `${state.open ? '\n' : ''}${lines.join('')}${last ? metadataText(this.deps.key, last) : ''}`;
    await this.write(text, flush);
    state.messages.push(...stored);
    const line = first ?? last;
    if (line) {
      state.metadata = line;
      state.metadataLines += 1;
    }
    return stored;
  }

  private async write(text: string, flush: boolean): Promise<void> {
    const { files } = this.deps;
    const { state } = this;
    try {
      if (state.exists) await files.append(this.path, text, { flush });
      else await this.create(text, flush);
    } catch (error) {
      await this.undoWrite();
      throw new SaveFailed(this.path, error);
    }
    noteAppend(state, text);
  }

  private async create(text: string, flush: boolean): Promise<void> {
    const { files } = this.deps;
    if (!(await files.createExclusive(this.path, text, { flush }))) {
      throw new Error(t('another program has just created this file; send again'));
    }
    this.state.ino = (await files.stat(this.path))?.ino;
  }

  /** Cuts off what a failed append left. Where even that fails the next step reads what stands there, and starts on a fresh line. */
  private async undoWrite(): Promise<void> {
    const { files } = this.deps;
    try {
      const stat = await files.stat(this.path);
      if (!this.state.exists || !stat) return;
      if (stat.size > this.state.size) await files.truncate(this.path, this.state.size);
    } catch (error) {
      this.deps.log.warn(`A half-written line of ${this.path} could not be cut off: ${String(error)}`);
    }
  }

  /** Brings the state up to the file, at little cost where nothing changed. Tells what others did. */
  async sync(): Promise<void> {
    const { files } = this.deps;
    const stat = await files.stat(this.path);
    if (!stat) return this.vanished();
    if (looksSame(this.state, stat) && stat.mtime === this.state.mtime) return;
    if (this.state.exists && !(await sameFile(files, this.path, this.state, stat))) return this.reload();
    const { state } = this;
    const before = { count: state.messages.length, metadata: state.metadata };
    await readOn(files, this.path, state, stat, await this.lastLine());
    this.sayDamaged();
    if (state.messages.length > before.count || state.metadata !== before.metadata) {
      this.deps.tell({ kind: 'appended', messages: state.messages.slice(before.count) });
    }
  }

  /** While another process writes, a last line without an end may be on its way. */
  private async lastLine(): Promise<'wait' | 'torn'> {
    return (await this.deps.otherHolds()) ? 'wait' : 'torn';
  }

  private vanished(): void {
    if (!this.state.exists) return;
    this.state = emptyFile();
    this.deps.notice(
      t('The file of the chat {0} was removed by another program; the chat is now empty.', this.deps.key),
    );
    this.deps.tell({ kind: 'reloaded' });
  }

  private async reload(): Promise<void> {
    const before = this.state.messages;
    await this.readAnew();
    if (!this.deps.held() && extendsIt(this.state.messages, before)) {
      this.deps.tell({ kind: 'appended', messages: this.state.messages.slice(before.length) });
      return;
    }
    this.deps.notice(t('Another program rewrote the chat {0}; it was loaded again.', this.deps.key));
    this.deps.tell({ kind: 'reloaded' });
  }

  private async readAnew(): Promise<void> {
    const { files } = this.deps;
    const fresh = emptyFile();
    const stat = await files.stat(this.path);
    if (stat) await readOn(files, this.path, fresh, stat, await this.lastLine());
    this.state = fresh;
    this.sayDamaged();
  }

  private sayDamaged(): void {
    const lines = this.state.invalid.map(({ line }) => line);
    if (lines.length === 0 || this.saidDamaged) return;
    this.saidDamaged = true;
    const [first = 0] = lines;
    this.deps.notice(
      lines.length === 1
        ? t(
            'In {0} line {1} could not be read and was left out; the rest of the chat is complete. What was left out moves to {2} when the chat is next written.',
            this.path,
            first,
            this.quarantineFolder,
          )
        : t(
            'In {0} {1} lines, first line {2}, could not be read and was left out; the rest of the chat is complete. What was left out moves to {3} when the chat is next written.',
            this.path,
            lines.length,
            first,
            this.quarantineFolder,
          ),
    );
  }

  private get quarantineFolder(): string {
    return join(this.deps.home, '.nanobot', 'quarantine');
  }

  /** Moves broken lines to the quarantine, after a fresh look: what was half-written by another program a moment ago may be whole now. */
  async cleanUp(): Promise<void> {
    if (this.state.invalid.length === 0) return;
    try {
      await this.readAnew();
      if (this.state.invalid.length === 0) return;
      const to = { folder: this.quarantineFolder, name: `${this.name}.jsonl`, at: this.now() };
      await quarantine(this.deps.files, this.path, to, this.state);
      await this.rewrite();
    } catch (error) {
      this.deps.log.warn(`Broken lines stay in ${this.path} for now: ${String(error)}`);
    }
  }

  /** Writes the file anew once metadata lines outnumber its messages. */
  async compactIfWanted(): Promise<void> {
    if (!wantsCompaction(this.state)) return;
    try {
      await this.rewrite();
    } catch (error) {
      this.deps.log.warn(`${this.path} was not compacted: ${String(error)}`);
    }
  }

  /** Writes the file anew, unless it changed under us or the lease is gone. */
  private async rewrite(): Promise<void> {
    const { files } = this.deps;
    const bytes = await rewritten(files, this.path, this.deps.key, this.state);
    if (!(await this.deps.confirm()) || !looksSame(this.state, await files.stat(this.path))) return;
    await files.writeAtomic(this.path, bytes);
    await this.readAnew();
  }

  private withId(message: StoredMessage, index: number, now: string): StoredMessage {
    const id = message.id ?? `m${index.toString(36)}-${this.deps.clock.now().toString(36)}`;
    return completed({ ...message, id }, index, now);
  }
}
