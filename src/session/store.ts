import { join } from 'node:path';
import type { Clock, Disposable, Files, Log, Processes } from '../platform/ports.js';
import { adoptSessions } from './adopt.js';
import { Leases } from './lease.js';
import { parseLine, readLines, SLICE_BYTES } from './lines.js';
import { hashedName, keyOfName, safeName } from './names.js';
import { readTail, type Scan, scan, type Tail } from './scan.js';
import { excerptAround, searchFile } from './search.js';
import { Session } from './session.js';

/** Sessions a search reports at most. */
const MAX_FOUND = 50;
const ENDING = '.jsonl';

/** A session as lists show it. */
export interface SessionSummary {
  key: string;
  title: string;
  /** Epoch milliseconds of the last message. */
  updatedAt: number;
  messages: number;
  /** `metadata.workspace`, where the session belongs to one. */
  workspace?: string;
  pinned: boolean;
  /** Messages from the start whose facts have been noted, as the metadata says. */
  noted: number;
  /** Another process writes it. */
  busy: boolean;
}

export interface SessionHit extends SessionSummary {
  /** The text around the newest match; the title where only that matches. */
  excerpt: string;
  /** Messages that match. */
  count: number;
  /** Index of the newest match among all stored messages; absent where only the title matches. */
  index?: number;
}

export interface SessionStoreDeps {
  files: Files;
  clock: Clock;
  log: Log;
  /** The agent's home, absolute. */
  home: string;
  /** Unique to this process or window. */
  holder: string;
  processes: Processes;
  /** For a person: what was left out, reloaded or lost, and where it is. */
  notice(text: string): void;
}

/** The sessions of a home: opens, lists, searches and removes them, and keeps the leases under which they are written. */
export class SessionStore {
  readonly leases: Leases;
  private readonly opening = new Map<string, Promise<Session>>();
  private readonly sessions = new Map<string, Session>();
  /** Which key has a file name in this process, whether or not there is a file yet. Names are compared without case. */
  private readonly names = new Map<string, string>();
  private readonly scans = new Map<string, Scan>();
  private readonly watched = new Set<Session>();
  private watcher: Disposable | undefined;
  private adoption: Promise<void> | undefined;
  private placing: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: SessionStoreDeps) {
    this.leases = new Leases({ ...deps, folder: join(deps.home, '.nanobot', 'locks') });
    this.leases.onEnd((name, why) => {
      this.byName(name)?.leaseEnded(why);
    });
  }

  /**
   * The session of a key, the same object for every caller. Reads the file in slices; creates nothing on disk. A key without a file is an
   * empty session. Throws the disk's error where the file is there and cannot be read.
   */
  open(key: string): Promise<Session> {
    const known = this.opening.get(key);
    if (known) return known;
    const opening = this.load(key);
    this.opening.set(key, opening);
    opening.catch(() => this.opening.delete(key));
    return opening;
  }

  /** The newest visible messages, for a first paint: from memory where the session is open, else read from the file's end. Counts are exact. */
  async tail(key: string, count: number): Promise<Tail> {
    const session = this.sessions.get(key);
    if (session) {
      const visible = session.visible();
      const messages = visible.slice(Math.max(0, visible.length - count));
      return { messages, first: visible.length - messages.length, total: visible.length };
    }
    await this.adopt();
    const path = this.pathOf(await this.place(key, false));
    const known = await this.scanned(path);
    return known ? readTail(this.deps.files, path, known, count) : { messages: [], first: 0, total: 0 };
  }

  /** Every session that has a file, the newest message first. Files that did not change since the last list are not read. */
  async list(): Promise<SessionSummary[]> {
    const found = await this.summaries();
    return found.map(({ summary }) => summary);
  }

  /** Sessions whose title or texts contain the words as they stand, in any case; newest first, at most 50. Throws when aborted. */
  async search(
    query: string,
    signal: AbortSignal,
    skip: (key: string) => boolean = () => false,
  ): Promise<SessionHit[]> {
    const needle = query.trim();
    if (needle === '') return [];
    const hits: SessionHit[] = [];
    for (const { summary, path, known } of await this.summaries()) {
      signal.throwIfAborted();
      if (skip(summary.key)) continue;
      const text = await searchFile(this.deps.files, path, known, needle, signal);
      const at = summary.title.toLowerCase().indexOf(needle.toLowerCase());
      if (text) hits.push({ ...summary, ...text });
      else if (at >= 0) hits.push({ ...summary, excerpt: excerptAround(summary.title, at, needle.length), count: 0 });
      if (hits.length === MAX_FOUND) break;
    }
    return hits;
  }

  /** What a session's metadata says and whether another process writes it, without reading its messages; undefined where it has no file. */
  async peek(key: string): Promise<{ metadata: Record<string, unknown>; busy: boolean } | undefined> {
    await this.adopt();
    const name = await this.place(key, false);
    const known = await this.scanned(this.pathOf(name));
    if (!known) return undefined;
    const busy = (await this.leases.otherHolder(name)) !== undefined;
    return { metadata: known.metadata?.metadata ?? {}, busy };
  }

  /** Moves a session's file to `.nanobot/trash/`. Throws `SessionBusy` where another process writes it. */
  async remove(key: string): Promise<void> {
    const session = await this.open(key);
    const stamp = new Date(this.deps.clock.now()).toISOString().replace(/[-:.]/g, '');
    await session.discard((path) =>
      this.deps.files.rename(path, join(this.deps.home, '.nanobot', 'trash', `${session.name}-${stamp}${ENDING}`)),
    );
    this.forget(session);
  }

  /** Gives the lease back and forgets the session's messages. Whoever still holds the object must let it go. */
  async close(key: string): Promise<void> {
    const session = await this.opening.get(key);
    if (!session) return;
    await session.release();
    this.forget(session);
  }

  /** Who says whether nothing runs in a session, so that it may be handed to a window that asks. Until then none is. */
  allowHandover(idle: (key: string) => boolean): Disposable {
    return this.leases.allowHandover((name) => {
      const session = this.byName(name);
      return session !== undefined && !session.writing && idle(session.key);
    });
  }

  /** Gives all leases back and stops watching. */
  async dispose(): Promise<void> {
    this.watcher?.dispose();
    this.watcher = undefined;
    this.watched.clear();
    await this.leases.dispose();
  }

  private async load(key: string): Promise<Session> {
    await this.adopt();
    const deps = {
      ...this.deps,
      leases: this.leases,
      place: (wanted: string) => this.place(wanted, true),
      watch: (session: Session, on: boolean) => {
        this.watch(session, on);
      },
    };
    const session = new Session(deps, key, await this.place(key, true));
    this.sessions.set(key, session);
    try {
      await session.refresh();
    } catch (error) {
      this.sessions.delete(key);
      throw error;
    }
    return session;
  }

  private forget(session: Session): void {
    this.opening.delete(session.key);
    this.sessions.delete(session.key);
    this.watch(session, false);
    for (const [name, key] of this.names) if (key === session.key) this.names.delete(name);
  }

  private byName(name: string): Session | undefined {
    return [...this.sessions.values()].find((session) => session.name === name);
  }

  private adopt(): Promise<void> {
    this.adoption ??= adoptSessions(this.deps.files, this.deps.home, this.deps.log);
    return this.adoption;
  }

  private get folder(): string {
    return join(this.deps.home, 'sessions');
  }

  private pathOf(name: string): string {
    return join(this.folder, `${name}${ENDING}`);
  }

  /** The file name of a key; with `keep` it is this key's in this process from now on. One at a time, so that no two keys get one name. */
  private place(key: string, keep: boolean): Promise<string> {
    const placed = this.placing.then(async () => {
      const name = await this.findPlace(key);
      if (keep) this.names.set(name.toLowerCase(), key);
      return name;
    });
    this.placing = placed.catch(() => undefined);
    return placed;
  }

  /** The file that says it is this key's; else the plain name, or the one with a hash where another key has the plain one. */
  private async findPlace(key: string): Promise<string> {
    const plain = safeName(key);
    const hashed = hashedName(key);
    const names = await this.fileNames();
    const like = (name: string) => names.filter((other) => other.toLowerCase() === name.toLowerCase());
    const own = like(hashed)[0];
    if (own !== undefined) return own;
    let taken = (this.names.get(plain.toLowerCase()) ?? key) !== key;
    for (const name of like(plain).sort((a, b) => Number(b === plain) - Number(a === plain))) {
      const owner = await this.ownerOf(name);
      if (owner === key || (owner === undefined && name === plain && !taken)) return name;
      taken = true;
    }
    return taken ? hashed : plain;
  }

  private async fileNames(): Promise<string[]> {
    const entries = await this.deps.files.list(this.folder);
    return entries
      .filter((entry) => entry.type !== 'directory' && entry.name.endsWith(ENDING))
      .map((entry) => entry.name.slice(0, -ENDING.length));
  }

  /** The key that a file's first metadata line names, within its first 128 KB. */
  private async ownerOf(name: string): Promise<string | undefined> {
    const path = this.pathOf(name);
    const stat = await this.deps.files.stat(path);
    const end = Math.min(stat?.size ?? 0, SLICE_BYTES);
    for await (const batch of readLines(this.deps.files, path, { offset: 0, number: 1 }, end)) {
      for (const { bytes } of batch) {
        const line = parseLine(bytes);
        if (line.kind === 'metadata') return line.metadata.key;
      }
    }
    return undefined;
  }

  private async scanned(path: string): Promise<Scan | undefined> {
    const stat = await this.deps.files.stat(path);
    if (stat?.type !== 'file') {
      this.scans.delete(path);
      return undefined;
    }
    const known = await scan(this.deps.files, path, stat, this.scans.get(path));
    this.scans.set(path, known);
    return known;
  }

  private async summaries(): Promise<{ summary: SessionSummary; path: string; known: Scan }[]> {
    await this.adopt();
    const locked = new Set((await this.deps.files.list(this.leases.folder)).map((entry) => entry.name));
    const found: { summary: SessionSummary; path: string; known: Scan }[] = [];
    for (const name of await this.fileNames()) {
      const path = this.pathOf(name);
      try {
        const known = await this.scanned(path);
        if (!known) continue;
        const busy = locked.has(`${name}.lock`) && (await this.leases.otherHolder(name)) !== undefined;
        found.push({ summary: summaryOf(name, known, busy), path, known });
      } catch (error) {
        this.deps.log.warn(`${path} could not be listed: ${String(error)}`);
      }
    }
    return found.sort((a, b) => b.summary.updatedAt - a.summary.updatedAt);
  }

  private watch(session: Session, on: boolean): void {
    if (on) this.watched.add(session);
    else this.watched.delete(session);
    if (this.watched.size === 0) {
      this.watcher?.dispose();
      this.watcher = undefined;
      return;
    }
    this.watcher ??= this.deps.files.watch(this.folder, () => {
      for (const watched of this.watched) {
        watched.refresh().catch((error: unknown) => {
          this.deps.log.warn(`${watched.path} could not be read again: ${String(error)}`);
        });
      }
    });
  }
}

function summaryOf(name: string, known: Scan, busy: boolean): SessionSummary {
  const metadata = known.metadata?.metadata ?? {};
  const { title, workspace, pinned, archivedTo } = metadata;
  const key = known.metadata?.key ?? keyOfName(name);
  const time = Date.parse(known.lastTime ?? known.metadata?.updated_at ?? '');
  return {
    key,
    title: typeof title === 'string' && title.trim() !== '' ? title : (titleFrom(known.opening) ?? key),
    updatedAt: Number.isNaN(time) ? known.mtime : time,
    messages: known.messages,
    ...(typeof workspace === 'string' ? { workspace } : {}),
    pinned: pinned === true,
    noted: Math.max(known.metadata?.last_consolidated ?? 0, typeof archivedTo === 'number' ? archivedTo : 0),
    busy,
  };
}

function titleFrom(opening: string | undefined): string | undefined {
  const line = opening?.split('\n')[0]?.trim();
  if (line === undefined || line === '') return undefined;
  return line.length > 60 ? `${line.slice(0, 59).trimEnd()}…` : line;
}
