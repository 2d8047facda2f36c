import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { App } from '../../app.js';
import { plain } from '../../platform/plainText.js';
import type { FileChange } from '../../protocol/message.js';
import type { WayBack } from '../../tools/support/snapshots.js';
import { toUri } from '../uris.js';
import { emptyUri, originalUri, pendingUri } from './reviewDocuments.js';

type ShowApp = Pick<App, 'reviews' | 'snapshots' | 'workspace'>;

/** Resource, left and right side of one file in VS Code's multi-diff editor. */
type Sides = [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];

/** Shows what a turn changed: all of it side by side in one editor, or one file. What is no file any more is told. */
export async function showTurn(app: ShowApp, turnId: string, path?: string): Promise<void> {
  const { changes } = await app.snapshots.changes(turnId);
  const wanted = changes.filter((change) => path === undefined || change.path === path);
  const [only] = wanted;
  if (!only) {
    void vscode.window.showInformationMessage(
      plain(t('Nanobot: these changes are not kept any more. What turns changed is kept for seven days.')),
    );
    return;
  }
  const sides = await Promise.all(wanted.map((change) => sidesOf(app, turnId, change)));
  if (wanted.length > 1) return showSides(t('Nanobot: {0} changed files', wanted.length), sides);
  const [resource, left, right] = sides[0] ?? [toUri(only.path), undefined, undefined];
  await showPair(only.label, resource, left, right);
}

/** Shows everything that is still to be decided on. */
export async function showPending({ reviews, workspace }: ShowApp): Promise<void> {
  const paths = reviews.paths();
  if (paths.length === 0) {
    void vscode.window.showInformationMessage(plain(t('Nanobot: there are no changes to review.')));
    return;
  }
  const sides = paths.map((path): Sides => [toUri(path), pendingUri(path), toUri(path)]);
  if (paths.length > 1) return showSides(t('Nanobot: {0} files to review', paths.length), sides);
  await showPendingFile(workspace, paths[0] ?? '');
}

/** Shows what is still to be decided on of one file, at a line counted from 0 if one is given. */
export async function showPendingFile(
  workspace: Pick<App['workspace'], 'label'>,
  path: string,
  line?: number,
): Promise<void> {
  const selection = line === undefined ? undefined : new vscode.Range(line, 0, line, 0);
  await showPair(workspace.label(path), toUri(path), pendingUri(path), toUri(path), selection);
}

/** Shows what going back would do: on the left each file as it stands, on the right as it would be. */
export async function showWayBack({ workspace }: Pick<ShowApp, 'workspace'>, files: readonly WayBack[]): Promise<void> {
  if (files.length === 0) {
    void vscode.window.showInformationMessage(plain(t('Nanobot: no file would change.')));
    return;
  }
  const sides = files.map(({ path, turnId, kind }): Sides => {
    const file = toUri(path);
    return [
      file,
      kind === 'brought back' ? undefined : file,
      kind === 'removed' ? undefined : originalUri(turnId, { path }),
    ];
  });
  if (sides.length > 1) return showSides(t('Nanobot: {0} files as restored', sides.length), sides);
  const [resource, left, right] = sides[0] ?? [toUri(''), undefined, undefined];
  const [only] = files;
  await showPair(
    workspace.label(only?.path ?? ''),
    resource,
    left ?? emptyUri(resource.fsPath),
    right ?? emptyUri(resource.fsPath),
  );
}

async function sidesOf({ snapshots, workspace }: ShowApp, turnId: string, change: FileChange): Promise<Sides> {
  const file = toUri(change.path);
  const isThere = (await workspace.stat(change.path).catch(() => undefined)) !== undefined;
  // A folder that was moved has no content of its own.
  const isSame = change.kind === 'renamed' && !(await snapshots.original(turnId, change.path));
  const left = change.kind === 'created' ? undefined : isSame ? file : originalUri(turnId, change);
  return [file, left, isThere ? file : undefined];
}

async function showSides(title: string, sides: Sides[]): Promise<void> {
  // A file that neither was nor is there has nothing to show.
  const shown = sides.filter(([, left, right]) => left ?? right);
  await vscode.commands.executeCommand('vscode.changes', title, shown);
}

async function showPair(
  label: string,
  resource: vscode.Uri,
  left: vscode.Uri | undefined,
  right: vscode.Uri | undefined,
  selection?: vscode.Range,
): Promise<void> {
  const options = selection ? { selection } : {};
  if (left && right) await vscode.commands.executeCommand('vscode.diff', left, right, `${label} (Nanobot)`, options);
  else if (left ?? right) await vscode.commands.executeCommand('vscode.open', left ?? right, options);
  else
    void vscode.window.showInformationMessage(
      plain(t('Nanobot: {0} is not there any more ({1}).', label, resource.fsPath)),
    );
}
