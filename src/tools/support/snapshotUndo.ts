import { t } from '@vscode/l10n';
import type { FileStat, Workspace } from '../../platform/ports.js';
import { reasonOf } from '../../platform/reason.js';
import { linesOf, mergeLines, textLike, tooLong } from '../../platform/textLines.js';
import { isInside, parentOf } from '../../platform/workspacePaths.js';
import { firstTouches } from './movedFolders.js';
import { toolErrorOf } from './paths.js';
import { fingerprintBefore, renamesOf, type Rename } from './snapshotRenames.js';
import { isDigest, type SnapshotStanding } from './snapshotStanding.js';
import { type KeptEntry, type Manifest, type SnapshotStore } from './snapshotStore.js';
import { fileBytes, rawText, readFileText } from './text.js';

/** A formatter or a slow disk may write this long after the touch that announced a change, in milliseconds. */
const writeDelay = 5_000;

/** One thing to put back: a path, or the two of a rename. */
interface Step {
  entries: KeptEntry[];
  /** One path, or the former and the new one. */
  paths: string[];
}

/** What became of an undo. Files are named as people see them. */
export interface StepsTaken {
  restored: string[];
  /** Where those were after the turn, as its list of changes names them. */
  restoredPaths: string[];
  /** Left as they are: changed since the turn, or impossible to restore, with the reason in brackets. */
  conflicts: string[];
}

export interface UndoStepsDeps {
  workspace: Workspace;
  store: SnapshotStore;
  standing: SnapshotStanding;
  /** Keeps what is at a path before the undo changes it, or moves something there from another. */
  keep(path: string, from?: string): Promise<void>;
}

/** Which of a turn's changes go back, and whether over what was changed since. */
export interface UndoOptions {
  overwrite?: boolean;
  /** Places as the turn's list of changes names them; all where absent. */
  paths?: readonly string[];
}

/**
 * Puts back what a turn changed, the last change first. In a text that was changed since, the turn's changes are merged out where the later ones
 * touch other lines; what cannot be is left alone and named, unless `overwrite` says otherwise. A file in a folder that the turn moved goes back
 * with the folder.
 */
export async function undoSteps(manifest: Manifest, deps: UndoStepsDeps, options: UndoOptions): Promise<StepsTaken> {
  return new StepTaker(manifest, deps, options).run();
}

/** Whether a file was written later than a turn that touched it last at this time could have. */
export function isLater(stat: FileStat | undefined, lastTouch: number): boolean {
  return stat?.type === 'file' && stat.mtime > lastTouch + writeDelay;
}

class StepTaker {
  private readonly outcome: StepsTaken = { restored: [], restoredPaths: [], conflicts: [] };
  private now: Record<string, string> = {};
  /** Former paths of the folders that went back. */
  private readonly back: string[] = [];
  private places: ReadonlyMap<string, string> = new Map();

  constructor(
    private readonly manifest: Manifest,
    private readonly deps: UndoStepsDeps,
    private readonly options: UndoOptions,
  ) {}

  async run(): Promise<StepsTaken> {
    const { manifest, deps, outcome } = this;
    this.places = await deps.standing.places(manifest);
    this.now = await deps.standing.fingerprints(manifest.entries, this.places);
    const renames = renamesOf(manifest, this.places, manifest.end?.after ?? this.now);
    const steps = stepsOf(firstTouches(manifest.entries, this.places), renames).filter((step) => this.isWanted(step));
    // Before the first step: a folder that goes back takes its files along.
    const changed = new Set<Step>();
    for (const step of steps) if (await this.changedSince(step.paths)) changed.add(step);
    const left: string[] = [];
    for (const step of steps) {
      const label = step.paths.map((path) => deps.workspace.label(path)).join(' → ');
      if (step.entries.every((entry) => this.now[entry.path] === fingerprintBefore(entry))) continue;
      const stays = step.paths.some((path) => left.some((folder) => isInside(path, folder)));
      const mayWrite = !stays && (!changed.has(step) || this.options.overwrite === true);
      if (mayWrite ? await this.tryStep(step, label) : !stays && (await this.tryMerge(step, label))) continue;
      if (!mayWrite) outcome.conflicts.push(label);
      // What is in a folder that could not go back is not where it would be put back.
      if (step.paths[1] !== undefined && step.paths[0] !== undefined) left.push(step.paths[0]);
    }
    return outcome;
  }

  private isWanted({ paths }: Step): boolean {
    const { paths: wanted } = this.options;
    return wanted === undefined || paths.some((path) => wanted.includes(this.places.get(path) ?? path));
  }

  private async changedSince(paths: string[]): Promise<boolean> {
    const { end, lastTouch } = this.manifest;
    if (end) return paths.some((path) => end.after[path] !== this.now[path]);
    for (const path of paths) {
      if (isLater(await this.deps.workspace.stat(this.places.get(path) ?? path), lastTouch)) return true;
    }
    return false;
  }

  private async tryStep(step: Step, label: string): Promise<boolean> {
    const { outcome } = this;
    try {
      const [from, to] = step.paths.map((path) => this.standsAt(path));
      // The path that something is moved from comes first, as in a turn.
      if (to !== undefined) await this.deps.keep(to);
      if (from !== undefined) await this.deps.keep(from, to);
      await this.restore(step.entries, from, to);
      if (to !== undefined && step.entries[0]?.state === 'folder') this.back.push(...step.paths.slice(0, 1));
      this.noteRestored(step, label);
      return true;
    } catch (error) {
      outcome.conflicts.push(`${label} (${reasonOf(toolErrorOf(error, label))})`);
      return false;
    }
  }

  private noteRestored({ paths }: Step, label: string): void {
    this.outcome.restored.push(label);
    this.outcome.restoredPaths.push(...paths.map((path) => this.places.get(path) ?? path));
  }

  /** Takes the turn's changes out of a text that was changed in other lines since. */
  private async tryMerge({ entries: [entry], paths: [path, to] }: Step, label: string): Promise<boolean> {
    const after = path === undefined ? undefined : this.manifest.end?.after[path];
    if (path === undefined || to !== undefined || entry?.state !== 'file' || !isDigest(after)) return false;
    if (!isDigest(this.now[path]) || this.places.get(path) !== path) return false;
    const { store, workspace } = this.deps;
    const [base, wanted] = [await store.content(after), await store.content(entry.blob)].map(rawText);
    const current = readFileText((await workspace.read(path)).bytes);
    if (base === undefined || wanted === undefined || !current || current.lineEnds === 'mixed') return false;
    if (tooLong(base, wanted, current.raw)) return false;
    const merged = mergeLines(linesOf(base), linesOf(current.raw), linesOf(wanted));
    if (!merged) return false;
    try {
      await this.deps.keep(path);
      await workspace.write(path, fileBytes(textLike(merged, current.raw), current.format, label));
      this.noteRestored({ entries: [entry], paths: [path] }, label);
      return true;
    } catch {
      // Named among those that were left: nothing of it was written.
      return false;
    }
  }

  /** Where a path of a step is now: in a moved folder that has not gone back, that one's new place. */
  private standsAt(path: string): string {
    return this.back.some((folder) => isInside(path, folder)) ? path : (this.places.get(path) ?? path);
  }

  private async restore([entry, target]: KeptEntry[], from: string | undefined, to?: string): Promise<void> {
    const { workspace, store } = this.deps;
    if (!entry || from === undefined) return;
    if (to !== undefined) {
      await workspace.rename(to, from);
      if (target?.state === 'absent') await this.removeMadeFolders(to, target.firstMade);
      if ((await this.deps.standing.fingerprint(from)) === fingerprintBefore(entry)) return;
    }
    if (entry.state === 'absent') {
      await this.refuseFull(from);
      await workspace.remove(from);
      await this.removeMadeFolders(from, entry.firstMade);
    } else if (entry.state === 'folder') {
      await workspace.makeFolder(from);
    } else {
      const bytes = entry.state === 'file' ? await store.content(entry.blob) : undefined;
      if (entry.state === 'large' || !bytes) throw new Error(t('its former content is not kept'));
      await workspace.write(from, bytes, entry.mode === undefined ? {} : { mode: entry.mode });
    }
  }

  /** No turn makes a folder with files in it: one that is here came from elsewhere, and is not to be lost. */
  private async refuseFull(path: string): Promise<void> {
    const { workspace } = this.deps;
    if ((await workspace.stat(path))?.type !== 'directory') return;
    if ((await workspace.list(path)).length > 0) throw new Error(t('a folder with files in it; move it back by hand'));
  }

  /** Folders that were made for a file go with it, as far as they are empty. */
  private async removeMadeFolders(path: string, firstMade: string | undefined): Promise<void> {
    if (firstMade === undefined) return;
    for (let at = parentOf(path); at.length >= firstMade.length; at = parentOf(at)) {
      if ((await this.deps.workspace.list(at).catch(() => undefined))?.length !== 0) return;
      await this.deps.workspace.remove(at);
    }
  }
}

/** The last first. A rename stands where its new path was first touched: what became of folders since is put back before it. */
function stepsOf(entries: readonly KeptEntry[], renames: readonly Rename[]): Step[] {
  return entries
    .filter((entry) => !renames.some((rename) => rename.entry === entry))
    .map((entry): Step => {
      const rename = renames.find(({ target }) => target === entry);
      return rename
        ? { entries: [rename.entry, entry], paths: [rename.from, entry.path] }
        : { entries: [entry], paths: [entry.path] };
    })
    .reverse();
}
