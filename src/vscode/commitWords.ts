import { t } from '@vscode/l10n';
import { basename } from 'node:path';
import { changedLines } from '../platform/textLines.js';
import type { RestoreConflict, RestoreOutcome } from '../memory/gitRestore.js';
import type { FileVersion, MemoryCommit } from '../memory/memoryCommit.js';
import { momentWords, type Present } from './dates.js';
import { numberWords } from './dreamWords.js';

/** Changed lines that a question shows, and characters of one. */
const MAX_LINES = 8;
const MAX_LETTERS = 90;

/** What a commit did, as seen in a list. */
export interface CommitView {
  /** A codicon's name. */
  icon: string;
  /** `Dream`, `Edited by hand`. */
  name: string;
  /** `3 changes`, and what is special about it. */
  description: string;
  /** Whether there is something to take back. */
  canRestore: boolean;
}

/** What people see of a commit of the memory. `undone`: what it changed has been taken back. */
export function commitView(commit: MemoryCommit, undone: boolean): CommitView {
  const { icon, name, words } = kindOf(commit);
  const changes = commit.changes === 1 ? t('1 change') : t('{0} changes', numberWords(commit.changes));
  const marks = [...(commit.practice ? [t('practice')] : []), ...(undone ? [t('undone')] : [])];
  return {
    icon,
    name,
    description: [...words, ...(isFirst(commit) ? [] : [changes]), ...marks].join(' · '),
    canRestore: !undone && !isFirst(commit),
  };
}

function kindOf(commit: MemoryCommit): Pick<CommitView, 'icon' | 'name'> & { words: string[] } {
  if (commit.kind === 'dream') return { icon: 'sparkle', name: 'Dream', words: [] };
  if (commit.kind === 'hand') return { icon: 'edit', name: t('Edited by hand'), words: [t('edited by hand')] };
  if (commit.kind === 'restore') {
    return isRedo(commit)
      ? { icon: 'redo', name: t('Brought back'), words: [t('brought back')] }
      : { icon: 'discard', name: t('Taken back'), words: [t('taken back')] };
  }
  if (isFirst(commit)) return { icon: 'git-commit', name: t('The beginning'), words: [t('the beginning')] };
  return { icon: 'git-commit', name: commit.message, words: [commit.message] };
}

/** The commits of a log, newest first, whose changes were taken back and not brought back since. */
export function undoneIn(commits: readonly MemoryCommit[]): Set<string> {
  const undone = new Set<string>();
  for (const { sha, restores } of commits) if (restores !== undefined && !undone.has(sha)) undone.add(restores);
  return undone;
}

/** Over a diff: what is seen, and of when. */
export function changesTitle(commit: MemoryCommit, present: Present, path?: string): string {
  const title = t('{0}, {1}', commitView(commit, false).name, momentWords(commit.time, present));
  return path === undefined ? title : t('{0} ({1})', basename(path), title);
}

/** What a person is asked before a commit's changes are taken back. */
export function restoreQuestion(
  { commit, files }: { commit: MemoryCommit; files: readonly FileVersion[] },
  { unsaved, present }: { unsaved: readonly string[]; present: Present },
): { message: string; detail: string } {
  const when = momentWords(commit.time, present);
  const saved =
    unsaved.length === 1
      ? t('{0} has unsaved changes, which are saved first and kept as yours.', listed(unsaved))
      : t('{0} have unsaved changes, which are saved first and kept as yours.', listed(unsaved));
  return {
    message:
      commit.kind === 'dream'
        ? t('Undo the Dream of {0}?', when)
        : t('Undo “{0}” of {1}?', commitView(commit, false).name, when),
    detail: [
      changedWords(files),
      t('What was changed later stays as it is. This can be undone in turn.'),
      ...(commit.kind === 'dream' ? [t('Dream does not learn these things again unless newer entries say so.')] : []),
      ...(unsaved.length > 0 ? [saved] : []),
    ].join('\n\n'),
  };
}

/** What a person is told after a restore. `cursor`: where Dream reads on, if that moved. */
export function restoredWords({ commit, cursor }: Pick<RestoreOutcome, 'commit' | 'cursor'>): string {
  if (!commit) return t('There is nothing to take back: what was changed then is not there any more.');
  const files = listed(commit.files);
  const changes =
    commit.changes === 1 ? t('1 change in {0}', files) : t('{0} changes in {1}', numberWords(commit.changes), files);
  if (isRedo(commit)) return t('Brought back {0}.', changes);
  return cursor === undefined
    ? t('Took back {0}.', changes)
    : t('Took back {0}. The entries it had read count as new.', changes);
}

/** What a person is told where later edits touch the same lines. */
export function conflictWords(conflicts: readonly RestoreConflict[], how: 'merge' | 'diff'): string {
  const files = listed(conflicts.map(({ path }) => path));
  return how === 'merge'
    ? t(
        '{0} changed in the same lines since, so nothing was written there yet. Choose in the merge editor what to keep, then save.',
        files,
      )
    : t(
        '{0} changed in the same lines since, so nothing was written there yet. On the left is what was there before, on the right the file as it is: copy over what you want back, then save.',
        files,
      );
}

function isRedo({ message }: MemoryCommit): boolean {
  return /^restore: redo /.test(message);
}

/** The first commit holds what was there before anything was learned. */
function isFirst({ kind, message }: MemoryCommit): boolean {
  return kind === 'other' && message.startsWith('init: ');
}

/** The lines that go and those that come back. */
function changedWords(files: readonly FileVersion[]): string {
  const lines: string[] = [];
  for (const { path, before, after, binary } of files) {
    lines.push(`${path}:`);
    if (before === undefined) lines.push(t('the file goes'));
    else if (after === undefined) lines.push(t('the file comes back'));
    else if (!binary) {
      const { added, removed } = changedLines(before, after);
      lines.push(...added.map((line) => `− ${short(line)}`), ...removed.map((line) => `+ ${short(line)}`));
    }
  }
  const more = lines.length - MAX_LINES;
  if (more <= 1) return lines.join('\n');
  return [...lines.slice(0, MAX_LINES), t('… and {0} more lines', numberWords(more))].join('\n');
}

function short(line: string): string {
  const text = line.replace(/^\s*[-*+]\s+/, '').trim();
  return text.length > MAX_LETTERS ? `${text.slice(0, MAX_LETTERS)}…` : text;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  if (names.length < 2) return last;
  const comma = t({ message: ', ', comment: 'between the parts of a list' });
  const args = [names.slice(0, -1).join(comma), last];
  return t({ message: '{0} and {1}', args, comment: 'names of files' });
}
