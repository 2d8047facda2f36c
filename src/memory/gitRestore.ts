import { t } from '@vscode/l10n';
import { dirname, join } from 'node:path';
import type { Clock, Files, GitFs } from '../platform/ports.js';
import { sameBytes } from '../platform/sameBytes.js';
import { changesOf, historyFrom, readable } from './git/commits.js';
import { isAbsent } from './git/damage.js';
import { textOf } from './git/disk.js';
import { changedLines, linesOf, mergeLines, textLike, tooLong } from '../platform/textLines.js';
import { maskedText } from './git/masked.js';
import type { GitObjects, StoredCommit } from './git/objects.js';
import { DREAM_CURSOR, SKILLS, type TreeChange } from './git/trees.js';
import { parseMessage, restoreMessage, type MemoryCommit } from './memoryCommit.js';
import type { Rejection, UndoneFile } from './undone.js';

/** A file that later edits changed in the same lines: for a merge editor. Nothing of it was written. */
export interface RestoreConflict {
  /** Path below the home. */
  path: string;
  /** What the commit had made of it. */
  base: string;
  /** The file as it is. */
  current: string;
  /** What it was before the commit. */
  wanted: string;
}

export interface RestoreOutcome {
  /** Undefined where nothing was left to take back, or everything is in conflict. */
  commit: MemoryCommit | undefined;
  conflicts: RestoreConflict[];
  /** Where the Dream cursor stands now, if the restore moved it. The file is written and committed already. */
  cursor?: number;
}

/** What undoing a commit needs of the store it belongs to. */
export interface RestoreContext {
  files: Files;
  fs: GitFs;
  clock: Clock;
  home: string;
  objects: GitObjects;
  undone: UndoneFile;
  /** The newest commit. */
  head: string | undefined;
  notice(text: string): void;
  /** Commits what was written. */
  record(text: string): Promise<MemoryCommit | undefined>;
}

interface Step {
  path: string;
  /** Undefined deletes the file. */
  bytes: Uint8Array | undefined;
  runs: boolean;
}

/** See `GitStore.restore`. Everything on the disk is committed already. */
export async function restoreCommit(
  context: RestoreContext,
  { stored, described }: { stored: StoredCommit; described: MemoryCommit },
): Promise<RestoreOutcome> {
  if (stored.parents.length === 0) {
    throw new Error(t('"{0}" is the first commit: there is nothing before it to go back to.', described.message));
  }
  const changes = await changesOf(context.objects, stored);
  const steps: Step[] = [];
  const conflicts: RestoreConflict[] = [];
  for (const change of changes.filter(({ path }) => path !== DREAM_CURSOR)) {
    const outcome = await takeBack(context, change);
    if (outcome && 'current' in outcome) conflicts.push(outcome);
    else if (outcome) steps.push(outcome);
  }
  // First of all: a kill after this leaves a rejection too many and never one too few, so what was undone stays undone.
  await noteRejection(context, stored, changes);
  const cursor = steps.length === 0 ? undefined : await cursorAfter(context, stored, changes);
  for (const step of steps) await write(context, step);
  // Also where the files were gone already: a kill may have left their folders.
  for (const { path, before } of changes) if (!before) await removeEmptyFolders(context, path);
  if (steps.length === 0) return { commit: undefined, conflicts };
  if (cursor !== undefined) await context.files.writeAtomic(join(context.home, DREAM_CURSOR), String(cursor));
  const commit = await context.record(restoreMessage(described));
  return { commit, conflicts, ...(cursor === undefined ? {} : { cursor }) };
}

/** What undoing one file means; undefined where there is nothing to do. */
async function takeBack(context: RestoreContext, change: TreeChange): Promise<Step | RestoreConflict | undefined> {
  const { path, before, after } = change;
  const current = await onDisk(context, path);
  const base = after && (await context.objects.blob(after.oid));
  const wanted = before && (await context.objects.blob(before.oid));
  const committed = current && (await asCommitted(context, current));
  if (sameBytes(committed, wanted) || (base && !current)) return undefined;
  if (!(await reachable(context, path))) {
    context.notice(t('{0} was left as it is: its folder is a link, and Nanobot does not write through links.', path));
    return undefined;
  }
  const step = { path, bytes: wanted, runs: before?.mode === '100755' };
  if (sameBytes(current, base) || (!wanted && sameBytes(committed, base))) return step;
  const texts = [base, current, wanted].map((bytes) => (bytes ? textOf(bytes) : ''));
  const [baseText, currentText, wantedText] = texts;
  if (baseText === undefined || currentText === undefined || wantedText === undefined) {
    context.notice(t('{0} was left as it is: it was changed since, and only texts can be merged.', path));
    return undefined;
  }
  const merged = base && wanted ? await mergeTexts(context, baseText, currentText, wantedText) : undefined;
  if (merged === undefined) return { path, base: baseText, current: currentText, wanted: wantedText };
  return merged === currentText ? undefined : { ...step, bytes: Buffer.from(merged, 'utf8') };
}

/** What was masked in the commits is compared as masked and kept as it is. Undefined for a conflict. */
async function mergeTexts(
  { clock }: RestoreContext,
  base: string,
  current: string,
  wanted: string,
): Promise<string | undefined> {
  if (tooLong(base, current, wanted)) return undefined;
  const ours = linesOf(current);
  const masked = linesOf(await maskedText(current, clock));
  const merged = mergeLines(linesOf(base), ours, linesOf(wanted), masked.length === ours.length ? masked : ours);
  return merged && textLike(merged, current === '' ? wanted : current);
}

async function asCommitted({ clock }: RestoreContext, bytes: Uint8Array): Promise<Uint8Array> {
  const text = textOf(bytes);
  return text === undefined ? bytes : Buffer.from(await maskedText(text, clock), 'utf8');
}

async function onDisk({ fs, home }: RestoreContext, path: string): Promise<Uint8Array | undefined> {
  try {
    return (await fs.promises.readFile(join(home, path))) as Uint8Array;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Whether every folder above a skill's file is a folder or missing. */
async function reachable({ fs, home }: RestoreContext, path: string): Promise<boolean> {
  if (!path.startsWith(`${SKILLS}/`)) return true;
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    try {
      if (!(await fs.promises.lstat(join(home, folder))).isDirectory()) return false;
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }
  return true;
}

async function write({ files, fs, home }: RestoreContext, { path, bytes, runs }: Step): Promise<void> {
  const full = join(home, path);
  if (!bytes) return files.remove(full);
  await files.writeAtomic(full, bytes);
  if (runs) await fs.promises.chmod(full, 0o755);
}

/** Takes away the folders of a skill's file that are empty, up to the folder of all skills. */
async function removeEmptyFolders({ fs, home }: RestoreContext, path: string): Promise<void> {
  for (let folder = dirname(path); folder.startsWith(`${SKILLS}/`); folder = dirname(folder)) {
    try {
      await fs.promises.rmdir(join(home, folder));
    } catch (error) {
      // Something else is in it, or it is a link: it stays. One that is gone has a folder above it.
      if (!isAbsent(error)) return;
    }
  }
}

/** Writes down what a person rejects by undoing a Dream, or takes it back where they bring one back. */
async function noteRejection(
  context: RestoreContext,
  stored: StoredCommit,
  changes: readonly TreeChange[],
): Promise<void> {
  const { root, undoes } = await rootOf(context.objects, stored);
  if (parseMessage(root.text).kind !== 'dream') return;
  if (!undoes) return context.undone.withdraw(root.sha);
  const rootChanges = root.sha === stored.sha ? changes : await changesOf(context.objects, root);
  const { cursors = [] } = parseMessage(root.text);
  const rejections: Omit<Rejection, 'time'>[] = [];
  for (const { path, before, after } of rootChanges) {
    if (path === DREAM_CURSOR) continue;
    const texts = [before, after].map(async (entry) =>
      textOf((entry && (await context.objects.blob(entry.oid))) ?? new Uint8Array()),
    );
    const [old = '', now = ''] = await Promise.all(texts);
    const { added, removed } = changedLines(old, now);
    rejections.push({ file: path, lines: added, removed, cursors, commit: root.sha });
  }
  await context.undone.reject(rejections);
}

/** The commit that is undone or brought back in the end, through any number of restores. */
async function rootOf(objects: GitObjects, stored: StoredCommit): Promise<{ root: StoredCommit; undoes: boolean }> {
  let root = stored;
  let undoes = true;
  for (;;) {
    const { kind, restores } = parseMessage(root.text);
    const next = kind === 'restore' && restores !== undefined ? await readable(objects.commit(restores)) : undefined;
    if (!next) return { root, undoes };
    root = next;
    undoes = !undoes;
  }
}

/** Where the Dream cursor goes; undefined where it stays. */
async function cursorAfter(
  context: RestoreContext,
  stored: StoredCommit,
  changes: readonly TreeChange[],
): Promise<number | undefined> {
  const change = changes.find(({ path }) => path === DREAM_CURSOR);
  const read = async (entry: TreeChange['before']) => numberIn(entry && textOf(await context.objects.blob(entry.oid)));
  const now = numberIn(textOf((await onDisk(context, DREAM_CURSOR)) ?? new Uint8Array())) ?? 0;
  const before = await read(change?.before);
  const { kind, cursors } = parseMessage(stored.text);
  if (kind === 'restore') return before !== undefined && now === (await read(change?.after)) ? before : undefined;
  if (kind !== 'dream' || !(await isNewestDream(context, stored.sha))) return undefined;
  // Entries that an earlier Dream read without learning anything stay read, though no commit says so.
  const first = cursors?.[0] === undefined ? undefined : cursors[0] - 1;
  const wanted = Math.max(before ?? -1, first ?? -1);
  return wanted >= 0 && wanted < now ? wanted : undefined;
}

/** Whether no later Dream is in force: one that was undone does not count, unless it was brought back. */
async function isNewestDream({ objects, head }: RestoreContext, sha: string): Promise<boolean> {
  const undone = new Set<string>();
  for await (const commit of historyFrom(objects, head)) {
    if (commit.sha === sha) return true;
    if (undone.has(commit.sha)) continue;
    const { kind, restores } = parseMessage(commit.text);
    if (kind === 'restore' && restores !== undefined) undone.add(restores);
    if (kind === 'dream') return false;
  }
  return false;
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
}
