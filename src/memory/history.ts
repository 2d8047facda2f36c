import { t } from '@vscode/l10n';
import { brokenWords } from './brokenLines.js';
import { join } from 'node:path';
import type { Clock, Disposable, Files, Log } from '../platform/ports.js';
import type { Leases } from '../session/lease.js';
import { withLease } from '../session/withLease.js';
import { CursorFile } from './cursorFile.js';
import { DreamCursor } from './dreamCursor.js';
import { isCursor, type HistoryEntry, type NewEntry } from './historyEntry.js';
import { EMPTY_INDEX, firstAfter, indexOf, readPlaces, type EntryPlace, type HistoryIndex } from './historyIndex.js';
import { prune, surplusOf } from './historyPrune.js';
import { entriesBefore } from './historySearch.js';
import { newestAllocated, writeEntries, type HistoryWriting } from './historyWriter.js';
import { migrateLegacy } from './legacyHistory.js';

/** How often the file is read anew when it changes while entries are fetched from it. */
const ATTEMPTS = 3;

export interface HistoryDeps {
  files: Files;
  clock: Clock;
  log: Log;
  /** The agent's home. */
  home: string;
  leases: Pick<Leases, 'acquire' | 'release'>;
  /** Tells the person something in plain words. */
  notice(text: string): void;
}

interface Waiting {
  entries: readonly NewEntry[];
  resolve(written: HistoryEntry[]): void;
  reject(reason: unknown): void;
}

/**
 * memory/history.jsonl: what conversations left behind, a summary a line, numbered by cursors that ascend and never come twice, whichever process
 * writes. Also Dream's own mark, memory/.dream_cursor. Reading costs one `stat` a file while nothing changes; texts stay on the disk until asked for.
 * Lines that hold no entry are passed over and told once. Of a file over 50 MB the last 8 MB are known; `after` finds what lies before them, `newest`
 * does not. Errors are the disk's, with their `code`.
 */
export class HistoryFile {
  private index: HistoryIndex = EMPTY_INDEX;
  private indexing: Promise<unknown> = Promise.resolve();
  private waiting: Waiting[] = [];
  private busy = false;
  private migrated = false;
  private toldBroken = false;
  private unread: { key: string; entries: HistoryEntry[] } | undefined;
  private readonly path: string;
  private readonly writing: HistoryWriting;

  constructor(private readonly deps: HistoryDeps) {
    const { files, clock, home, notice } = deps;
    this.path = join(home, 'memory', 'history.jsonl');
    this.writing = {
      files,
      clock,
      path: this.path,
      allocated: new CursorFile(files, join(home, 'memory', '.cursor')),
      dream: new DreamCursor({ files, home, notice }),
    };
  }

  /**
   * Writes entries in this order under the cross-process lock, secrets masked, and resolves once they are on the disk, with what was written. Calls
   * that come while one is being written go together in the next. Rejects where the disk refuses or another process keeps the lock for 20 s; nothing of
   * the call is in the file then.
   */
  append(entries: readonly NewEntry[]): Promise<HistoryEntry[]> {
    if (entries.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.waiting.push({ entries, resolve, reject });
      if (!this.busy) void this.writeWaiting();
    });
  }

  /** The oldest entries with a greater cursor, at most `limit`, oldest first. */
  async after(cursor: number, limit: number): Promise<HistoryEntry[]> {
    const { start, places } = await this.refresh();
    const early =
      start > 0 && cursor < (places[0]?.cursor ?? Infinity) - 1
        ? await entriesBefore(this.deps.files, this.path, start, cursor, limit)
        : [];
    const from = Math.max(cursor, early.at(-1)?.cursor ?? -1);
    const rest = await this.fetch((index) => {
      const at = firstAfter(index.places, from);
      return index.places.slice(at, at + limit - early.length);
    });
    return [...early, ...rest];
  }

  /** The newest entries, oldest of them first; with `before` the newest of those with a smaller cursor, to page back. */
  newest(count: number, before = Infinity): Promise<HistoryEntry[]> {
    return this.fetch(({ places }) => {
      const end = firstAfter(places, before - 1);
      return places.slice(Math.max(0, end - count), end);
    });
  }

  /**
   * The newest entries that Dream has not read, oldest first: those of this project, and of others as many as there is room for. Read again only when
   * the history or the cursor changed. Never rejects: a history that cannot be read must not stop a turn, so it is empty then, and the log says why.
   */
  async newestUnread(count: number, project?: string): Promise<HistoryEntry[]> {
    try {
      const cursor = await this.dreamCursor();
      const key = `${this.index.stamp} ${String(cursor)} ${String(count)} ${project ?? ''}`;
      if (this.unread?.key !== key) this.unread = { key, entries: await this.fetchUnread(cursor, count, project) };
      return this.unread.entries;
    } catch (error) {
      this.deps.log.error(`${this.path} could not be read, so the prompt has no recent history.`, error);
      return [];
    }
  }

  /** How many entries Dream has not read. Of a file over 50 MB what lies before its tail is counted by the cursors. */
  async undigested(): Promise<number> {
    const cursor = await this.dreamCursor();
    const { places, start } = this.index;
    const known = places.length - firstAfter(places, cursor);
    return start === 0 ? known : known + Math.max(0, (places[0]?.cursor ?? 0) - 1 - cursor);
  }

  /**
   * The cursor up to which Dream has read, never beyond the newest that was given. Where its file is missing or holds no number it is what was last
   * written, else 0, and the person is told once.
   */
  async dreamCursor(): Promise<number> {
    const [index, cursor] = [await this.refresh(), await this.writing.dream.read()];
    const newest = index.places.at(-1)?.cursor ?? 0;
    return cursor <= newest ? cursor : Math.min(cursor, await newestAllocated(this.writing, index));
  }

  /** Keeps up to where Dream has read; a cursor beyond the newest that was given counts as that. Rejects where it is no cursor. */
  async setDreamCursor(cursor: number): Promise<void> {
    if (!isCursor(cursor)) throw new Error(`${String(cursor)} is no cursor of ${this.path}.`);
    await this.locked(async () => {
      const newest = await newestAllocated(this.writing, await this.refresh());
      await this.writing.dream.write(Math.min(cursor, newest));
      await this.pruneIfDue();
    });
  }

  /** Takes over a legacy memory/HISTORY.md, once; its entries count as read by Dream. The file is kept as HISTORY.md.bak. */
  async migrate(): Promise<void> {
    if (this.migrated) return;
    if (await this.deps.files.stat(join(this.deps.home, 'memory', 'HISTORY.md')))
      await this.locked(() => this.migrateNow());
    this.migrated = true;
  }

  /** Calls back after the history or Dream's cursor changed, whoever changed it. Watches only while somebody listens. */
  onChange(listener: () => void): Disposable {
    const watches = [this.path, this.writing.dream.path].map((path) => this.deps.files.watch(path, listener));
    return { dispose: () => watches.forEach((watch) => watch.dispose()) };
  }

  /** Writes what waits, and what comes meanwhile, until nothing is left. Never rejects: those who wait are told. */
  private async writeWaiting(): Promise<void> {
    this.busy = true;
    while (this.waiting.length > 0) {
      let batch: Waiting[] = [];
      try {
        await this.locked(async () => {
          batch = this.waiting.splice(0);
          await this.writeBatch(batch);
        });
      } catch (error) {
        for (const { reject } of batch.length > 0 ? batch : this.waiting.splice(0)) reject(error);
      }
    }
    this.busy = false;
  }

  private async writeBatch(batch: readonly Waiting[]): Promise<void> {
    await this.migrateNow();
    const written = await writeEntries(
      this.writing,
      await this.refresh(),
      batch.flatMap(({ entries }) => entries),
    );
    // The entries are safe; a file that stays longer than it need be is no failure of theirs.
    await this.pruneIfDue().catch((error: unknown) => {
      this.deps.log.warn(`${this.path} could not be shortened: ${String(error)}`);
    });
    let from = 0;
    for (const { entries, resolve } of batch) {
      resolve(written.slice(from, from + entries.length));
      from += entries.length;
    }
  }

  private async migrateNow(): Promise<void> {
    if (this.migrated) return;
    await migrateLegacy(this.writing, {
      home: this.deps.home,
      log: this.deps.log,
      read: () => this.refresh(),
      firstContent: async () => (await this.after(-1, 1))[0]?.content,
    });
    this.migrated = true;
  }

  private async pruneIfDue(): Promise<void> {
    const index = await this.refresh();
    const surplus = surplusOf(index, await this.writing.dream.read());
    if (surplus > 0) await prune(this.deps, this.path, index, surplus);
  }

  private async fetchUnread(cursor: number, count: number, project: string | undefined): Promise<HistoryEntry[]> {
    return this.fetch(({ places }) => {
      const unread = places.slice(firstAfter(places, cursor));
      const isOurs = (place: EntryPlace) => project !== undefined && place.project === project;
      const ours = unread.filter(isOurs).slice(-count);
      const room = count - ours.length;
      const others = room > 0 ? unread.filter((place) => !isOurs(place)).slice(-room) : [];
      return [...ours, ...others].sort((left, right) => left.cursor - right.cursor);
    });
  }

  /** Entries by their places; where the file was written anew between the look and the reading, by a second look. */
  private async fetch(choose: (index: HistoryIndex) => EntryPlace[]): Promise<HistoryEntry[]> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const entries = await readPlaces(this.deps.files, this.path, choose(await this.refresh()));
      if (entries) return entries;
      this.index = EMPTY_INDEX;
    }
    throw new Error(
      `${this.path} changes faster than it can be read. Close the program that writes it, and try again.`,
    );
  }

  /** The index of the file as it is now. One look at a time, each after those that were asked for before. */
  private refresh(): Promise<HistoryIndex> {
    const next = this.indexing.then(async () => {
      this.index = await indexOf(this.deps.files, this.path, this.index);
      this.tellBroken(this.index);
      return this.index;
    });
    this.indexing = next.catch(() => undefined);
    return next;
  }

  private tellBroken({ broken: { count, first }, start }: HistoryIndex): void {
    if (count === 0 || this.toldBroken) return;
    this.toldBroken = true;
    this.deps.notice(brokenWords(this.path, count, start > 0 ? undefined : first));
  }

  private locked<T>(work: () => Promise<T>): Promise<T> {
    const { leases, clock } = this.deps;
    const busy = (holder: string) =>
      new Error(t('{0} was not written: {1} keeps it for itself. Try again in a moment.', this.path, holder));
    return withLease(leases, 'memory-history', clock, work, { busy });
  }
}
