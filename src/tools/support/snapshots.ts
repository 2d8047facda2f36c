import type { Clock, Files, Workspace } from '../../platform/ports.js';
import { parentOf } from '../../platform/workspacePaths.js';
import { outcomeOf, type FileChange } from '../../protocol/message.js';
import { unifiedDiff } from './diff.js';
import { firstTouches } from './movedFolders.js';
import { fingerprintBefore, renamesOf } from './snapshotRenames.js';
import { SnapshotStanding, isDigest, isKept } from './snapshotStanding.js';
import { SnapshotStore, type KeptEntry, type KeptState, type Outcome, type Timed } from './snapshotStore.js';
import { joined, sideBySide } from './snapshotsTogether.js';
import { isLater, undoSteps, type StepsTaken, type UndoOptions } from './snapshotUndo.js';
import { rawText } from './text.js';

export interface SnapshotDeps {
  files: Files;
  workspace: Workspace;
  clock: Clock;
  /** `<home>/.nanobot/snapshots`. */
  folder: string;
}

/** What an undo did. */
export interface UndoOutcome extends StepsTaken {
  /** Under this turn id the undo itself can be undone. */
  undoId: string;
}

/** What going back before some turns would do to one file. */
export interface WayBack {
  path: string;
  label: string;
  /** The turn whose `original` it would be. */
  turnId: string;
  kind: 'put back' | 'brought back' | 'removed';
  /** Somebody else changed it after these turns: that would go, too. */
  changedSince: boolean;
}

/** A file that is not as the agent left it. */
export interface LaterChange {
  path: string;
  label: string;
  kind: 'changed' | 'deleted';
  /** A unified diff from what the agent left to what stands there; undefined where there is none to show. */
  diff?: string;
}

/** Bytes of a file that is compared with what the agent left; a larger one would keep a message waiting. */
const largestCompared = 256 * 1024;

/**
 * Keeps what files were before a turn changed them, so that the turn can be undone, with git or without. `before` is called ahead of every
 * change; `finish` at the end of the turn, so that later changes by others are recognised and never overwritten. Where a turn had no end (the
 * process was killed), the time of the file decides.
 */
export class Snapshots {
  private readonly store: SnapshotStore;
  private readonly standing: SnapshotStanding;

  constructor(private readonly deps: SnapshotDeps) {
    this.store = new SnapshotStore(deps);
    this.standing = new SnapshotStanding(deps.workspace, this.store);
  }

  /** Keeps what is at a path, once in a turn. Resolves when it is safely on the disk. `from` is where something is about to be moved from. */
  async before(turnId: string, path: string, from?: string): Promise<void> {
    const { entries } = await this.store.load(turnId);
    const isKnown = entries.some((entry) => entry.path === path);
    if (!isKnown) await this.store.addEntry(turnId, { path, ...(await this.stateToKeep(path)) });
    if (isKnown || from !== undefined)
      await this.store.addTouch(turnId, from === undefined ? undefined : { from, to: path });
  }

  /** Records the end of a turn: what its files are now is what it made of them. Returns its changes. */
  async finish(turnId: string): Promise<{ changes: FileChange[] }> {
    const manifest = await this.store.load(turnId);
    const { entries } = manifest;
    if (entries.length === 0) return { changes: [] };
    const { places, after, changes } = await this.standing.now(manifest);
    for (const entry of entries) {
      const print = after[entry.path];
      if (isDigest(print) && print !== fingerprintBefore(entry))
        await this.keepNow(places.get(entry.path) ?? entry.path);
    }
    await this.store.addEnd(turnId, after, changes);
    return { changes };
  }

  /** The changes of a turn: as counted at its end, or while it runs as they are now. Each says what became of it. */
  async changes(turnId: string): Promise<{ changes: FileChange[]; settled?: Outcome }> {
    const manifest = await this.store.load(turnId);
    const { end, settled, settledPaths } = manifest;
    const changes = end?.changes ?? (await this.standing.now(manifest)).changes;
    const told = changes.map((change) => {
      const outcome = settledPaths.get(change.path);
      return outcome ? { ...change, settled: outcome } : change;
    });
    const outcome = settled ?? outcomeOf(told);
    return { changes: told, ...(outcome ? { settled: outcome } : {}) };
  }

  /** What a file was before the turn, for a diff: undefined where there was none, or nothing is kept. `path` is where it is after the turn. */
  async original(turnId: string, path: string): Promise<Uint8Array | undefined> {
    const manifest = await this.store.load(turnId);
    const places = await this.standing.places(manifest);
    const known = firstTouches(manifest.entries, places);
    const after = manifest.end?.after ?? (await this.standing.fingerprints(manifest.entries, places));
    const renamed = renamesOf(manifest, places, after).find(({ target }) => places.get(target.path) === path);
    const entry =
      renamed?.entry ?? known.find((one) => places.get(one.path) === path) ?? known.find((one) => one.path === path);
    return entry?.state === 'file' ? this.store.content(entry.blob) : undefined;
  }

  /** What the turn made of a file; undefined where it made none, has not ended, or nothing is kept. */
  async made(turnId: string, path: string): Promise<Uint8Array | undefined> {
    const manifest = await this.store.load(turnId);
    const places = await this.standing.places(manifest);
    const entry = manifest.entries.find((one) => places.get(one.path) === path);
    const print = entry && manifest.end?.after[entry.path];
    return isDigest(print) ? this.store.content(print) : undefined;
  }

  /**
   * What stands otherwise than the turn left it, or than `noteLater` said of it last: a person's edits, files taken back. Nothing for a turn that
   * has not ended. Files at the places in `skip`, those over 256 KB and those whose former content is not kept any more are left out; `mayShow` says
   * of which a diff may be made.
   */
  async later(
    turnId: string,
    { skip, mayShow }: { skip?: ReadonlySet<string>; mayShow?: (path: string) => boolean } = {},
  ): Promise<LaterChange[]> {
    const manifest = await this.store.load(turnId);
    const { entries, end, told } = manifest;
    if (!end) return [];
    const places = await this.standing.places(manifest);
    const found: LaterChange[] = [];
    for (const entry of entries) {
      const path = places.get(entry.path) ?? entry.path;
      const known = told.get(path) ?? end.after[entry.path];
      if (!isDigest(known) || skip?.has(path)) continue;
      if (((await this.deps.workspace.stat(path))?.size ?? 0) > largestCompared) continue;
      const now = await this.standing.fingerprint(path);
      if (now === known || now === 'folder') continue;
      const label = this.deps.workspace.label(path);
      if (!isDigest(now)) {
        found.push({ path, label, kind: 'deleted' });
        continue;
      }
      const diff = mayShow?.(path) === false ? undefined : await this.diffSince(known, path);
      found.push({ path, label, kind: 'changed', ...(diff === undefined ? {} : { diff }) });
    }
    return found;
  }

  /** What stands at these paths now is known to the model: `later` compares with it from now on. */
  async noteLater(turnId: string, paths: readonly string[]): Promise<void> {
    const prints: Record<string, string> = {};
    for (const path of paths) {
      const print = await this.standing.fingerprint(path);
      if (isDigest(print)) await this.keepNow(path);
      prints[path] = print;
    }
    await this.store.addTold(turnId, prints);
  }

  /** Records what became of the changes, all or those at these places. Undo stays possible. */
  settle(turnId: string, outcome: Outcome, paths?: readonly string[]): Promise<void> {
    return this.store.addSettled(turnId, outcome, paths);
  }

  /**
   * Puts back what a turn changed, or a group of them (`groups`), see `undoSteps`: through the editor where there is one, and as a turn of its own that
   * can be undone.
   */
  async undo(turn: string | readonly string[], options: UndoOptions & { undoId?: string } = {}): Promise<UndoOutcome> {
    const turnIds = [turn].flat();
    const manifest = joined(await Promise.all(turnIds.map((turnId) => this.store.load(turnId))));
    const undoId = options.undoId ?? (await this.freeId(`undo-${turnIds.join('-')}`));
    const { workspace } = this.deps;
    const taken = await undoSteps(
      manifest,
      { workspace, store: this.store, standing: this.standing, keep: (path, from) => this.before(undoId, path, from) },
      options,
    );
    const { restored, restoredPaths, conflicts } = taken;
    if (restored.length > 0) await this.finish(undoId);
    // What was left as it is has not been decided on.
    const settled = conflicts.length > 0 ? restoredPaths : options.paths;
    if (settled === undefined || settled.length > 0)
      for (const turnId of turnIds) await this.store.addSettled(turnId, 'undone', settled);
    return { ...taken, undoId };
  }

  /** These turns in the order in which they began to touch files; those that did so at the same time are to be undone together. */
  async groups(turnIds: readonly string[]): Promise<string[][]> {
    const turns = await Promise.all(turnIds.map(async (id) => ({ id, manifest: await this.store.load(id) })));
    const ordered = turns.toSorted((a, b) => a.manifest.firstTouch - b.manifest.firstTouch);
    return sideBySide(ordered, ({ manifest }) => manifest).map((group) => group.map(({ id }) => id));
  }

  /**
   * What would change if these turns were all undone, whatever was done since: by where each file was before them. A file that
   * stands as it was is left out.
   */
  async wayBack(turnIds: readonly string[]): Promise<WayBack[]> {
    const first = new Map<string, { turnId: string; entry: Timed<KeptEntry> }>();
    /** What the turn left there that began with it last; of one that was killed, when it touched it last. */
    const left = new Map<string, { at: number; made: string | { since: number } }>();
    for (const turnId of turnIds) {
      const { entries, end, lastTouch } = await this.store.load(turnId);
      for (const entry of entries) {
        const { path, at } = entry;
        if (at < (first.get(path)?.entry.at ?? Infinity)) first.set(path, { turnId, entry });
        const made = end ? (end.after[path] ?? 'absent') : { since: lastTouch };
        if (at >= (left.get(path)?.at ?? 0)) left.set(path, { at, made });
      }
    }
    const found: WayBack[] = [];
    for (const [path, { turnId, entry }] of first) {
      const now = await this.standing.fingerprint(path);
      if (now === fingerprintBefore(entry) || entry.state === 'folder' || now === 'folder') continue;
      const kind = entry.state === 'absent' ? 'removed' : now === 'absent' ? 'brought back' : 'put back';
      const made = left.get(path)?.made;
      const touched = typeof made === 'object' ? await this.deps.workspace.stat(path) : undefined;
      const changedSince = typeof made === 'object' ? isLater(touched, made.since) : made !== undefined && made !== now;
      found.push({ path, label: this.deps.workspace.label(path), turnId, kind, changedSince });
    }
    return found;
  }

  /** Keeps a content for as long as a turn of now; resolves with the name under which `content` finds it. */
  keepContent(bytes: Uint8Array): Promise<string> {
    return this.store.keep(bytes);
  }

  /** A kept content; undefined where it was cleaned up. */
  content(digest: string): Promise<Uint8Array | undefined> {
    return this.store.content(digest);
  }

  /** Removes what is older than seven days. */
  prune(): Promise<void> {
    return this.store.prune();
  }

  /** From a kept text to the one that stands at a path; undefined where one of them is no text, or not kept any more. */
  private async diffSince(known: string, path: string): Promise<string | undefined> {
    const before = rawText(await this.store.content(known));
    const now = before === undefined ? undefined : rawText((await this.deps.workspace.read(path)).bytes);
    return now === undefined ? undefined : unifiedDiff(this.deps.workspace.label(path), before, now);
  }

  private async keepNow(path: string): Promise<void> {
    await this.store.keep((await this.deps.workspace.read(path)).bytes);
  }

  private async stateToKeep(path: string): Promise<KeptState> {
    const { workspace } = this.deps;
    const stat = await workspace.stat(path);
    if (!stat) {
      const firstMade = await this.firstMissingFolder(path);
      return { state: 'absent', ...(firstMade === undefined ? {} : { firstMade }) };
    }
    if (stat.type === 'directory') return { state: 'folder' };
    if (!isKept(stat)) return { state: 'large', size: stat.size, mtime: stat.mtime };
    const blob = await this.store.keep((await workspace.read(path)).bytes);
    return { state: 'file', blob, ...(stat.mode === undefined ? {} : { mode: stat.mode }) };
  }

  private async firstMissingFolder(path: string): Promise<string | undefined> {
    let missing: string | undefined;
    for (let at = parentOf(path); at !== parentOf(at); at = parentOf(at)) {
      if (await this.deps.workspace.stat(at)) return missing;
      missing = at;
    }
    return missing;
  }

  private async freeId(id: string): Promise<string> {
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? id : `${id}-${number}`;
      if ((await this.store.load(candidate)).entries.length === 0) return candidate;
    }
  }
}
