import type { Clock, Files, FileStat, Workspace } from '../../platform/ports.js';
import { reasonOf } from '../../platform/reason.js';
import { isInside, parentOf } from '../../platform/workspacePaths.js';
import type { FileChange } from '../../protocol/message.js';
import { lineDelta } from './diff.js';
import { firstTouches, movedAmong, movedFolders, placesOf } from './movedFolders.js';
import { toolErrorOf } from './paths.js';
import {
  digestOf,
  SnapshotStore,
  type KeptEntry,
  type KeptState,
  type Manifest,
  type Outcome,
} from './snapshotStore.js';
import { readFileText } from './text.js';

export interface SnapshotDeps {
  files: Files;
  workspace: Workspace;
  clock: Clock;
  /** `<home>/.nanobot/snapshots`. */
  folder: string;
}

/** What an undo did. Files are named as people see them. */
export interface UndoOutcome {
  restored: string[];
  /** Left as they are: changed since the turn, or impossible to restore, with the reason in brackets. */
  conflicts: string[];
  /** Under this turn id the undo itself can be undone. */
  undoId: string;
}

const largestKept = 50 * 1024 * 1024;
/** A formatter or a slow disk may write this long after the touch that announced a change, in milliseconds. */
const writeDelay = 5_000;

/**
 * Keeps what files were before a turn changed them, so that the turn can be undone, with git or without. `before` is called ahead of every
 * change; `finish` at the end of the turn, so that later changes by others are recognised and never overwritten. Where a turn had no end (the
 * process was killed), the time of the file decides.
 */
export class Snapshots {
  private readonly store: SnapshotStore;

  constructor(private readonly deps: SnapshotDeps) {
    this.store = new SnapshotStore(deps);
  }

  /** Keeps what is at a path, once in a turn. Resolves when it is safely on the disk. */
  async before(turnId: string, path: string): Promise<void> {
    const { entries } = await this.store.load(turnId);
    if (entries.some((entry) => entry.path === path)) return this.store.addTouch(turnId);
    await this.store.addEntry(turnId, { path, ...(await this.stateToKeep(path)) });
  }

  /** Records the end of a turn: what its files are now is what it made of them. Returns its changes. */
  async finish(turnId: string): Promise<{ changes: FileChange[] }> {
    const { entries } = await this.store.load(turnId);
    if (entries.length === 0) return { changes: [] };
    const { after, changes } = await this.standing(entries);
    await this.store.addEnd(turnId, after, changes);
    return { changes };
  }

  /** The changes of a turn: as counted at its end, or while it runs as they are now. */
  async changes(turnId: string): Promise<{ changes: FileChange[]; settled?: Outcome }> {
    const { entries, end, settled } = await this.store.load(turnId);
    const changes = end?.changes ?? (await this.standing(entries)).changes;
    return { changes, ...(settled ? { settled } : {}) };
  }

  /** What a file was before the turn, for a diff: undefined where there was none, or nothing is kept. `path` is where it is after the turn. */
  async original(turnId: string, path: string): Promise<Uint8Array | undefined> {
    const manifest = await this.store.load(turnId);
    const places = await this.places(manifest);
    const known = firstTouches(manifest.entries, places);
    const entry = known.find((one) => places.get(one.path) === path) ?? known.find((one) => one.path === path);
    return entry?.state === 'file' ? this.store.content(entry.blob) : undefined;
  }

  /** The person keeps the changes. Undo stays possible. */
  async keep(turnId: string): Promise<void> {
    await this.store.addSettled(turnId, 'kept');
  }

  /**
   * Puts back what a turn changed, the last change first: through the editor where there is one, and as a turn of its own that can be undone.
   * A file changed since is left alone and named, unless `overwrite` says otherwise; in a folder that the turn moved it goes back with the folder.
   */
  async undo(turnId: string, options: { overwrite?: boolean } = {}): Promise<UndoOutcome> {
    const manifest = await this.store.load(turnId);
    const undoId = await this.freeId(`undo-${turnId}`);
    const outcome: UndoOutcome = { restored: [], conflicts: [], undoId };
    const places = await this.places(manifest);
    const now = await this.fingerprints(manifest.entries, places);
    const renames = renamesIn(manifest.entries, manifest.end?.after ?? now);
    const steps = stepsOf(firstTouches(manifest.entries, places), renames);
    // Before the first step: a folder that goes back takes its files along.
    const changed = new Set<Step>();
    for (const step of steps) if (await this.changedSince(manifest, step.paths, now, places)) changed.add(step);
    const left: string[] = [];
    for (const step of steps) {
      const label = step.paths.map((path) => this.deps.workspace.label(path)).join(' → ');
      if (step.entries.every((entry) => now[entry.path] === fingerprintBefore(entry))) continue;
      const stays = step.paths.some((path) => left.some((folder) => isInside(path, folder)));
      const done = !stays && (!changed.has(step) || options.overwrite === true);
      if (done && (await this.tryStep(step, undoId, label, outcome))) continue;
      if (!done) outcome.conflicts.push(label);
      // What is in a folder that could not go back is not where it would be put back.
      if (step.paths[1] !== undefined && step.paths[0] !== undefined) left.push(step.paths[0]);
    }
    if (outcome.restored.length > 0) await this.finish(undoId);
    if (outcome.restored.length > 0 || outcome.conflicts.length === 0) await this.store.addSettled(turnId, 'undone');
    return outcome;
  }

  /** Removes what is older than seven days. */
  prune(): Promise<void> {
    return this.store.prune();
  }

  private async tryStep(step: Step, undoId: string, label: string, outcome: UndoOutcome): Promise<boolean> {
    try {
      // The path that something is moved from comes first, as in a turn.
      for (const path of step.paths.toReversed()) await this.before(undoId, path);
      await this.restore(step);
      outcome.restored.push(label);
      return true;
    } catch (error) {
      const cause = toolErrorOf(error, label);
      outcome.conflicts.push(`${label} (${reasonOf(cause)})`);
      return false;
    }
  }

  private async restore({ entries: [entry, target], paths: [from, to] }: Step): Promise<void> {
    const { workspace } = this.deps;
    if (!entry || from === undefined) return;
    if (to !== undefined) {
      await workspace.rename(to, from);
      if (target?.state === 'absent') await this.removeMadeFolders(to, target.firstMade);
      if (entry.state === 'folder' || digestOf((await workspace.read(from)).bytes) === fingerprintBefore(entry)) return;
    }
    if (entry.state === 'absent') {
      await this.refuseFull(from);
      await workspace.remove(from);
      await this.removeMadeFolders(from, entry.firstMade);
    } else if (entry.state === 'folder') {
      await workspace.makeFolder(from);
    } else {
      const bytes = entry.state === 'file' ? await this.store.content(entry.blob) : undefined;
      if (entry.state === 'large' || !bytes) throw new Error('its former content is not kept');
      await workspace.write(from, bytes, entry.mode === undefined ? {} : { mode: entry.mode });
    }
  }

  /** No turn makes a folder with files in it: one that is here came from elsewhere, and is not to be lost. */
  private async refuseFull(path: string): Promise<void> {
    const { workspace } = this.deps;
    if ((await workspace.stat(path))?.type !== 'directory') return;
    if ((await workspace.list(path)).length > 0) throw new Error('a folder with files in it; move it back by hand');
  }

  /** Folders that were made for a file go with it, as far as they are empty. */
  private async removeMadeFolders(path: string, firstMade: string | undefined): Promise<void> {
    if (firstMade === undefined) return;
    for (let at = parentOf(path); at.length >= firstMade.length; at = parentOf(at)) {
      if ((await this.deps.workspace.list(at).catch(() => undefined))?.length !== 0) return;
      await this.deps.workspace.remove(at);
    }
  }

  private async changedSince(
    manifest: Manifest,
    paths: string[],
    now: Record<string, string>,
    places: ReadonlyMap<string, string>,
  ): Promise<boolean> {
    const { end, lastTouch } = manifest;
    if (end) return paths.some((path) => end.after[path] !== now[path]);
    for (const path of paths) {
      const stat = await this.deps.workspace.stat(places.get(path) ?? path);
      if (stat?.type === 'file' && stat.mtime > lastTouch + writeDelay) return true;
    }
    return false;
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

  /** Where each entry's content is after the turn: elsewhere than its path if a folder around it was moved. */
  private async places({ entries, end }: Pick<Manifest, 'entries' | 'end'>): Promise<Map<string, string>> {
    if (end) return placesOf(entries, movedAmong(entries, renamesIn(entries, end.after)));
    const typeAt = async (path: string) => (await this.deps.workspace.stat(path))?.type;
    return placesOf(entries, await movedFolders(entries, typeAt));
  }

  /** What the turn's paths are now, and what that changes. */
  private async standing(
    entries: readonly KeptEntry[],
  ): Promise<{ after: Record<string, string>; changes: FileChange[] }> {
    const places = await this.places({ entries: [...entries] });
    const after = await this.fingerprints(entries, places);
    return { after, changes: await this.changesNow(entries, after, places) };
  }

  /** What each entry's content is now, in a form that can be compared, by the entry's path. */
  private async fingerprints(
    entries: readonly KeptEntry[],
    places: ReadonlyMap<string, string>,
  ): Promise<Record<string, string>> {
    const prints: Record<string, string> = {};
    for (const { path } of entries) {
      const place = places.get(path) ?? path;
      const stat = await this.deps.workspace.stat(place);
      if (!stat) prints[path] = 'absent';
      else if (stat.type === 'directory') prints[path] = 'folder';
      else if (!isKept(stat)) prints[path] = `large ${stat.size} ${stat.mtime}`;
      else prints[path] = digestOf((await this.deps.workspace.read(place)).bytes);
    }
    return prints;
  }

  private async changesNow(
    entries: readonly KeptEntry[],
    after: Record<string, string>,
    places: ReadonlyMap<string, string>,
  ): Promise<FileChange[]> {
    const renames = renamesIn(entries, after);
    const changes: FileChange[] = [];
    for (const entry of firstTouches(entries, places)) {
      const now = after[entry.path] ?? 'absent';
      const path = places.get(entry.path) ?? entry.path;
      const label = this.deps.workspace.label(path);
      const from = [...renames].find(([, to]) => to === entry.path)?.[0];
      if (from !== undefined) {
        const both = `${this.deps.workspace.label(from)} → ${label}`;
        changes.push({ path, label: both, added: 0, removed: 0, kind: 'renamed' });
      } else if (!renames.has(entry.path) && now !== fingerprintBefore(entry)) {
        const kind = now === 'absent' ? 'deleted' : entry.state === 'absent' ? 'created' : 'changed';
        changes.push({ path, label, ...(await this.deltaOf(entry, now, path)), kind });
      }
    }
    return changes;
  }

  /** Zero for what is no text. */
  private async deltaOf(entry: KeptEntry, now: string, place: string): Promise<{ added: number; removed: number }> {
    const before = entry.state === 'file' ? await this.store.content(entry.blob) : undefined;
    const isFile = /^[0-9a-f]{64}$/.test(now);
    const after = isFile ? (await this.deps.workspace.read(place)).bytes : undefined;
    const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && readFileText(bytes)?.raw;
    return lineDelta(textOf(before), textOf(after));
  }

  private async freeId(id: string): Promise<string> {
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? id : `${id}-${number}`;
      if ((await this.store.load(candidate)).entries.length === 0) return candidate;
    }
  }
}

/** One thing to put back: a path, or the two of a rename. */
interface Step {
  entries: KeptEntry[];
  /** One path, or the former and the new one. */
  paths: string[];
}

function stepsOf(entries: readonly KeptEntry[], renames: Map<string, string>): Step[] {
  const targets = new Set(renames.values());
  return entries
    .filter((entry) => !targets.has(entry.path))
    .map((entry): Step => {
      const to = renames.get(entry.path);
      const target = entries.find((one) => one.path === to);
      return to === undefined || !target
        ? { entries: [entry], paths: [entry.path] }
        : { entries: [entry, target], paths: [entry.path, to] };
    })
    .reverse();
}

/** Former path → new path, where what was at one path and is gone is now, as it was, at one where nothing was. */
function renamesIn(entries: readonly KeptEntry[], after: Record<string, string>): Map<string, string> {
  const renames = new Map<string, string>();
  const taken = new Set<string>();
  entries.forEach((entry, index) => {
    if (entry.state === 'absent' || after[entry.path] !== 'absent') return;
    const target = entries.find((one, at) => {
      if (one.state !== 'absent' || taken.has(one.path)) return false;
      if (entry.state !== 'folder') return after[one.path] === fingerprintBefore(entry);
      // The content of a folder is not kept, so the order in which a rename announces its two paths has to do: what lies between was left again.
      const between = entries.slice(index + 1, at);
      const isNext = at > index && between.every(({ path, state }) => state === 'absent' && after[path] === 'absent');
      return isNext && after[one.path] === 'folder';
    });
    if (!target) return;
    taken.add(target.path);
    renames.set(entry.path, target.path);
  });
  return renames;
}

function fingerprintBefore(entry: KeptEntry): string {
  if (entry.state === 'file') return entry.blob;
  return entry.state === 'large' ? `large ${entry.size} ${entry.mtime}` : entry.state;
}

/** Reading a pipe or a device could take forever. */
function isKept(stat: FileStat): boolean {
  return stat.type === 'file' && stat.size <= largestKept;
}
