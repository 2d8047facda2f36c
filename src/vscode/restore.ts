import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { RestoreConflict } from '../memory/gitRestore.js';
import { plain } from '../platform/plainText.js';
import type { Present } from './dates.js';
import { changesTitle, conflictWords, listed, restoredWords, restoreQuestion } from './commitWords.js';
import type { MemoryDeps } from './memoryCommands.js';
import { toPath } from './uris.js';

type RestoreDeps = Pick<MemoryDeps, 'app' | 'tree' | 'documents' | 'merges'>;

/** Shows what a commit changed: a diff, or with several files VS Code's multi-diff editor. Rejects where there is no such commit. */
export async function showChanges({ app, documents }: RestoreDeps, sha: string): Promise<void> {
  const { commit, files } = await app.git.show(sha);
  const sides = (path: string) =>
    [documents.version(commit, path, 'before'), documents.version(commit, path, 'after')] as const;
  const [only] = files;
  if (only && files.length === 1) {
    const [before, after] = sides(only.path);
    await vscode.commands.executeCommand('vscode.diff', before, after, changesTitle(commit, presentOf(app), only.path));
    return;
  }
  const resources = files.map((file) => {
    const [before, after] = sides(file.path);
    return [after, file.before === undefined ? undefined : before, file.after === undefined ? undefined : after];
  });
  await vscode.commands.executeCommand('vscode.changes', changesTitle(commit, presentOf(app)), resources);
}

/**
 * Takes back what one commit changed, after a question if wanted, and says what came of it. Unsaved changes of its files are saved first. Where later
 * edits touch the same lines, VS Code's merge editor opens.
 */
export async function restoreCommit(deps: RestoreDeps, sha: string, { ask }: { ask: boolean }): Promise<void> {
  const { app, tree } = deps;
  const shown = await app.git.show(sha);
  const unsaved = unsavedOf(shown.files.map(({ path }) => app.memory.path(path)));
  if (ask) {
    const names = unsaved.map((document) => nameOf(app.home, document));
    const { message, detail } = restoreQuestion(shown, { unsaved: names, present: presentOf(app) });
    if (!(await vscode.window.showWarningMessage(message, { modal: true, detail }, t('Restore')))) return;
  }
  await saveAll(app.home, unsaved);
  const title = { location: vscode.ProgressLocation.Window, title: t('Nanobot: taking back…') };
  const outcome = await vscode.window.withProgress(title, () => app.dream.restore(sha));
  const { commit, conflicts } = outcome;
  tree.refresh();
  if (conflicts.length > 0) await openConflicts(deps, conflicts);
  if (!commit) {
    if (conflicts.length > 0) return;
    void vscode.window.showInformationMessage(plain(restoredWords(outcome)));
    return;
  }
  const [show, undo] = [t('Show changes'), t('Undo')];
  const chosen = await vscode.window.showInformationMessage(plain(restoredWords(outcome)), show, undo);
  if (chosen === show) await showChanges(deps, commit.sha);
  if (chosen === undo) await restoreCommit(deps, commit.sha, { ask: false });
}

function presentOf({ clock }: MemoryDeps['app']): Present {
  return { now: clock.now(), zone: clock.zone() };
}

function unsavedOf(paths: readonly string[]): vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(({ isDirty, uri }) => isDirty && paths.includes(toPath(uri)));
}

function nameOf(home: string, { uri }: vscode.TextDocument): string {
  return toPath(uri).slice(home.length + 1);
}

async function saveAll(home: string, documents: readonly vscode.TextDocument[]): Promise<void> {
  const unsaved: string[] = [];
  for (const document of documents) if (!(await document.save())) unsaved.push(nameOf(home, document));
  if (unsaved.length > 0) {
    throw new Error(
      t(
        '{0} could not be saved, so nothing was restored. Save or discard the changes there, then restore again.',
        listed(unsaved),
      ),
    );
  }
}

/** Nothing of these files was written: what to keep is for the person to choose. */
async function openConflicts(deps: RestoreDeps, conflicts: readonly RestoreConflict[]): Promise<void> {
  let how: 'merge' | 'diff' = 'merge';
  for (const conflict of conflicts) if (!(await openMerge(deps, conflict))) how = 'diff';
  void vscode.window.showWarningMessage(plain(conflictWords(conflicts, how)));
}

/** VS Code's own way into its merge editor has no public command; without it a diff does. Resolves with whether the merge editor came. */
async function openMerge({ app, documents, merges }: RestoreDeps, conflict: RestoreConflict): Promise<boolean> {
  const { path, base, current, wanted } = conflict;
  const real = app.memory.path(path);
  const before = documents.hold(path, 'before', wanted);
  try {
    await vscode.commands.executeCommand('_open.mergeEditor', {
      base: documents.hold(path, 'base', base),
      input1: { uri: documents.hold(path, 'now', current), title: t('Now'), description: t('The file as it is') },
      input2: { uri: before, title: t('Before'), description: t('What you restore') },
      output: merges.begin(real, conflict),
    });
    return true;
  } catch (cause) {
    app.log.warn(`The merge editor did not open: ${String(cause)}`);
    await vscode.commands.executeCommand('vscode.diff', before, vscode.Uri.file(real), t('{0} (before ↔ now)', path), {
      preview: false,
    });
    return false;
  }
}
