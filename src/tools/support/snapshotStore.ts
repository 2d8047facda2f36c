import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Clock, Files } from '../../platform/ports.js';
import type { FileChange } from '../../protocol/message.js';

/** What was at a path. `blob` is the SHA-256 of the content, under which it is kept. */
export type KeptState =
  | { state: 'file'; blob: string; mode?: number }
  /** `firstMade` is the topmost folder that had to be created for the file. */
  | { state: 'absent'; firstMade?: string }
  | { state: 'folder' }
  /** Known to have been there, too large to keep or no regular file. */
  | { state: 'large'; size: number; mtime: number };

/** One path that a turn touched, as it was before. */
export type KeptEntry = KeptState & { path: string };

/** A rename that was about to be made, of a file or folder. */
export interface Move {
  from: string;
  to: string;
}

/** With the epoch milliseconds in which it was kept or announced. */
export type Timed<T> = T & { at: number };

export type Outcome = 'undone' | 'kept';

/** Everything known of a turn's changes. */
export interface Manifest {
  /** In the order of the first touch. */
  entries: Timed<KeptEntry>[];
  /** In their order. One that failed is among them. */
  moves: Timed<Move>[];
  /** Epoch milliseconds of the first and the last touch; 0 where nothing was touched. */
  firstTouch: number;
  lastTouch: number;
  /** What stood at each path when the turn ended (see `fingerprintOf`), and the changes as counted then. */
  end?: { after: Record<string, string>; changes: FileChange[] };
  /** What became of all of it. */
  settled?: Outcome;
  /** What became of single files, by their place after the turn. */
  settledPaths: Map<string, Outcome>;
  /** What the model has been told of files since, as `end.after`. */
  told: Map<string, string>;
}

type Line =
  | ({ type: 'before'; at: number } & KeptEntry)
  | { type: 'touch'; at: number; moved?: Move }
  | { type: 'end'; after: Record<string, string>; changes: FileChange[] }
  | { type: 'settled'; outcome: Outcome; paths?: readonly string[] }
  | { type: 'told'; after: Record<string, string> };

const day = 24 * 60 * 60 * 1000;
/** Milliseconds for which a turn's changes are kept. */
export const keptMs = 7 * day;
const NEVER = { firstTouch: 0, lastTouch: 0 };

/**
 * Keeps the former contents of files: each content once, under its digest, and for each turn a list of lines that only grows. Several windows
 * may write at once. All of it is removed seven days after a turn's last change.
 */
export class SnapshotStore {
  constructor(
    private readonly deps: {
      files: Files;
      clock: Clock;
      /** `<home>/.nanobot/snapshots`. */
      folder: string;
    },
  ) {}

  /** Empty for a turn that touched nothing. A torn last line is passed over. */
  async load(turnId: string): Promise<Manifest> {
    const manifest: Manifest = { entries: [], moves: [], ...NEVER, settledPaths: new Map(), told: new Map() };
    const text = await this.textOf(this.manifestPath(turnId));
    const known = new Set<string>();
    for (const line of text.split('\n')) {
      const parsed = parseLine(line);
      if (!parsed) continue;
      if (parsed.type === 'settled') settle(manifest, parsed);
      else if (parsed.type === 'told')
        for (const [path, print] of Object.entries(parsed.after)) manifest.told.set(path, print);
      else if (parsed.type === 'end') manifest.end = { after: parsed.after, changes: parsed.changes };
      else {
        // A turn that goes on after its end was recorded ends anew.
        delete manifest.end;
        manifest.firstTouch ||= parsed.at;
        manifest.lastTouch = Math.max(manifest.lastTouch, parsed.at);
        if (parsed.type === 'touch' && parsed.moved) manifest.moves.push({ ...parsed.moved, at: parsed.at });
        if (parsed.type === 'touch' || known.has(parsed.path)) continue;
        known.add(parsed.path);
        const { type: _type, ...entry } = parsed;
        manifest.entries.push(entry);
      }
    }
    return manifest;
  }

  /** Flushed: it must be on the disk before the change it is kept for. */
  async addEntry(turnId: string, entry: KeptEntry): Promise<void> {
    await this.append(turnId, { type: 'before', at: this.deps.clock.now(), ...entry });
  }

  async addTouch(turnId: string, moved?: Move): Promise<void> {
    await this.append(turnId, { type: 'touch', at: this.deps.clock.now(), ...(moved ? { moved } : {}) });
  }

  async addEnd(turnId: string, after: Record<string, string>, changes: FileChange[]): Promise<void> {
    await this.append(turnId, { type: 'end', after, changes });
  }

  /** All of the turn, or the files at these places. */
  async addSettled(turnId: string, outcome: Outcome, paths?: readonly string[]): Promise<void> {
    await this.append(turnId, { type: 'settled', outcome, ...(paths ? { paths } : {}) });
  }

  async addTold(turnId: string, after: Record<string, string>): Promise<void> {
    await this.append(turnId, { type: 'told', after });
  }

  /** Keeps a content and returns its digest. One that is kept already is written again when a day old, so that cleaning up spares it. */
  async keep(bytes: Uint8Array): Promise<string> {
    const digest = digestOf(bytes);
    const path = this.blobPath(digest);
    const there = await this.deps.files.stat(path);
    if (!there || this.deps.clock.now() - there.mtime > day) await this.deps.files.writeAtomic(path, bytes);
    return digest;
  }

  /** Undefined where it was cleaned up or somebody removed it. */
  async content(digest: string): Promise<Uint8Array | undefined> {
    const path = this.blobPath(digest);
    return (await this.deps.files.stat(path)) ? this.deps.files.read(path) : undefined;
  }

  /** Removes turns whose last change is over seven days ago, and contents that no turn needs any more. */
  async prune(): Promise<void> {
    const { files } = this.deps;
    const needed = new Set<string>();
    for (const { name } of await files.list(this.turnsFolder())) {
      const path = join(this.turnsFolder(), name);
      if (await this.isOld(path)) await files.remove(path);
      else for (const digest of await this.digestsIn(path)) needed.add(digest);
    }
    for (const { name } of await files.list(this.blobsFolder())) {
      const path = join(this.blobsFolder(), name);
      if (!needed.has(name) && (await this.isOld(path))) await files.remove(path);
    }
  }

  private async isOld(path: string): Promise<boolean> {
    const stat = await this.deps.files.stat(path);
    return stat !== undefined && this.deps.clock.now() - stat.mtime > keptMs;
  }

  private async digestsIn(path: string): Promise<string[]> {
    const lines = (await this.textOf(path)).split('\n').map(parseLine);
    return lines.flatMap((line) => {
      if (line?.type === 'end' || line?.type === 'told') return Object.values(line.after);
      return line?.type === 'before' && line.state === 'file' ? [line.blob] : [];
    });
  }

  private async textOf(path: string): Promise<string> {
    if (!(await this.deps.files.stat(path))) return '';
    return new TextDecoder().decode(await this.deps.files.read(path));
  }

  /** Begins with a newline, so that a line torn by a crash spoils no other. */
  private append(turnId: string, line: Line): Promise<void> {
    return this.deps.files.append(this.manifestPath(turnId), `\n${JSON.stringify(line)}\n`, {
      flush: line.type === 'before',
    });
  }

  private turnsFolder(): string {
    return join(this.deps.folder, 'turns');
  }

  private blobsFolder(): string {
    return join(this.deps.folder, 'blobs');
  }

  private manifestPath(turnId: string): string {
    return join(
      this.turnsFolder(),
      `${encodeURIComponent(turnId).replaceAll('*', '%2A').replaceAll('.', '%2E')}.jsonl`,
    );
  }

  private blobPath(digest: string): string {
    return join(this.blobsFolder(), digest);
  }
}

/** The digest under which a content is kept. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function settle(manifest: Manifest, { outcome, paths }: Extract<Line, { type: 'settled' }>): void {
  if (!paths) manifest.settled = outcome;
  for (const path of paths ?? []) manifest.settledPaths.set(path, outcome);
}

function parseLine(line: string): Line | undefined {
  if (line.trim() === '') return undefined;
  try {
    return JSON.parse(line) as Line;
  } catch {
    // The last line of a process that was killed: the change it announced was not made yet.
    return undefined;
  }
}
