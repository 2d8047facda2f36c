import * as vscode from 'vscode';
import { gitBranchOf } from '../platform/gitHead.js';

/** The part of the built-in git extension's API that is used. */
interface GitExtension {
  getAPI(version: 1): {
    getRepository(uri: vscode.Uri): { state: { HEAD?: { name?: string; commit?: string } } } | null;
  };
}

/** The branch of the repository that holds a folder: from the git extension if it is active (it is never activated for this), else from `.git/HEAD`. */
export function gitBranch(folder: vscode.Uri): string | undefined {
  return branchFromExtension(folder) ?? (folder.scheme === 'file' ? gitBranchOf(folder.fsPath) : undefined);
}

function branchFromExtension(folder: vscode.Uri): string | undefined {
  const git = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!git?.isActive) return undefined;
  try {
    const head = git.exports.getAPI(1).getRepository(folder)?.state.HEAD;
    return head?.name ?? head?.commit?.slice(0, 8);
  } catch {
    // The extension is there but switched off (`git.enabled`): its API then throws.
    return undefined;
  }
}
