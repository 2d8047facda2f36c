import type * as vscode from 'vscode';
import type { Workspace } from '../../platform/ports.js';
import { toPath } from '../uris.js';

/** A file as the chat attaches it. */
export function attachmentOf(workspace: Pick<Workspace, 'label'>, uri: vscode.Uri): { path: string; label: string } {
  const path = toPath(uri);
  return { path, label: workspace.label(path) };
}
