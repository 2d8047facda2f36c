import { t } from '@vscode/l10n';
import * as vscode from 'vscode';

/** A changed file as git's extension lists it. */
export interface GitChange {
  uri: vscode.Uri;
  /** `Status` of git's extension; not told by every version. */
  status?: number;
}

/** A repository of the built-in git extension, as far as it is used. */
export interface GitRepository {
  rootUri: vscode.Uri;
  inputBox: { value: string };
  state: {
    HEAD?: { name?: string; commit?: string };
    indexChanges: readonly GitChange[];
    workingTreeChanges: readonly GitChange[];
    /** Not in every version: then new files stand among those of the working tree. */
    untrackedChanges?: readonly GitChange[];
    mergeChanges: readonly GitChange[];
  };
  /** Reads the state anew. */
  status(): Promise<void>;
  /** `git diff`, or `git diff --cached`. */
  diff(cached?: boolean): Promise<string>;
  log(options: { maxEntries: number }): Promise<{ message: string }[]>;
}

interface GitExtension {
  getAPI(version: 1): { repositories: GitRepository[] };
}

/**
 * The repositories that are open, with the git extension started if it is not yet. Throws an Error with the reason and a next step where that extension
 * is off or not there, as in Restricted Mode.
 */
export async function gitRepositories(): Promise<GitRepository[]> {
  if (!vscode.workspace.isTrusted)
    throw new Error(t('VS Code switches Git off in Restricted Mode. Trust this folder to work with its repository.'));
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!extension) throw new Error(t('VS Code’s Git extension is disabled. Enable it in the Extensions view.'));
  const git = extension.isActive ? extension.exports : await extension.activate();
  try {
    return git.getAPI(1).repositories;
  } catch (cause) {
    throw new Error(t('Git is switched off: see the settings git.enabled and git.path.'), { cause });
  }
}

export function noRepository(): string {
  return t('No Git repository is open here. Open a folder that has one.');
}

/**
 * The repository of a source control that was clicked, else the only one, else the one a person picks. Undefined where they pick none; throws an Error
 * where there is none to pick.
 */
export async function chooseRepository(clicked: unknown): Promise<GitRepository | undefined> {
  const repositories = await gitRepositories();
  const root = rootOf(clicked);
  const named = root && repositories.find((one) => one.rootUri.toString() === root.toString());
  if (named) return named;
  if (repositories.length === 0) throw new Error(noRepository());
  if (repositories.length === 1) return repositories[0];
  const items = repositories.map((repository) => ({
    label: repository.rootUri.path.split('/').at(-1) ?? '',
    description: repository.rootUri.fsPath,
    repository,
  }));
  return (await vscode.window.showQuickPick(items, { placeHolder: t('Which repository is the commit in?') }))
    ?.repository;
}

function rootOf(clicked: unknown): vscode.Uri | undefined {
  if (typeof clicked !== 'object' || clicked === null || !('rootUri' in clicked)) return undefined;
  return clicked.rootUri instanceof vscode.Uri ? clicked.rootUri : undefined;
}
