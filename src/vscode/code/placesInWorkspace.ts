import * as vscode from 'vscode';
import type { Workspace } from '../../platform/ports.js';
import { isInside } from '../../platform/workspacePaths.js';
import { toPath, toUri } from '../uris.js';

/** Files of the same name that are offered at most. */
const MAX_FOUND = 20;

/** Where a written path leads. */
export interface Places {
  /** Files that are there: at the path itself, else those in the workspace whose paths end with it. */
  files: vscode.Uri[];
  /** Where a new file would be; undefined where the path leads nowhere (no folder is open). */
  fresh: string | undefined;
}

/** Looks where the written paths lead. */
export async function placesOf(workspace: Workspace, paths: readonly string[]): Promise<Places> {
  const files = new Map<string, vscode.Uri>();
  let fresh: string | undefined;
  for (const path of paths) {
    const whole = resolved(workspace, path);
    const isThere = whole !== undefined && (await workspace.stat(whole).catch(() => undefined))?.type === 'file';
    const found = isThere ? [toUri(whole)] : await named(path);
    for (const uri of found) files.set(uri.toString(), uri);
    if (!isThere) fresh ??= whole;
  }
  return { files: [...files.values()], fresh };
}

/** Whether a file lies outside of the open folders, links followed. */
export async function isOutside(workspace: Workspace, path: string): Promise<boolean> {
  const real = (at: string): Promise<string> => workspace.realPath(at).catch(() => at);
  const at = await real(path);
  const folders = await Promise.all(workspace.folders().map((folder) => real(folder.path)));
  return !folders.some((folder) => isInside(at, folder));
}

/** The file or document in words. */
export function labelOf(workspace: Workspace, uri: vscode.Uri): string {
  if (uri.scheme === 'untitled') return uri.path;
  return workspace.label(uri.scheme === 'vscode-notebook-cell' ? uri.fsPath : toPath(uri));
}

function resolved(workspace: Workspace, path: string): string | undefined {
  try {
    return workspace.resolve(path);
  } catch {
    // A relative path where no folder is open leads nowhere.
    return undefined;
  }
}

async function named(path: string): Promise<vscode.Uri[]> {
  if (/^(?:[A-Za-z]:)?[\\/]|^~/.test(path)) return [];
  const tail = path.replaceAll('\\', '/').replace(/^(?:\.{1,2}\/)+/, '');
  // A question mark stands for any character, so that none of a pattern's own is taken for one.
  return vscode.workspace.findFiles(`**/${tail.replaceAll(/[[\]{}*!,]/g, '?')}`, undefined, MAX_FOUND);
}
