import * as vscode from 'vscode';
import { readDiff, withUnread, type FileDiff, type ListedChange } from './commitDiff.js';
import type { GitChange, GitRepository } from './gitApi.js';

/** New files that are read, and bytes of each: git's diff does not hold them. */
const MAX_NEW_FILES = 50;
const MAX_NEW_BYTES = 20_000;

/** What is staged, as git's diff tells it. The repository's state must be current. */
export async function stagedFiles(repository: GitRepository): Promise<FileDiff[]> {
  const { indexChanges } = repository.state;
  return withUnread(readDiff(await repository.diff(true)), listed(repository, indexChanges));
}

/** What is changed and not staged, with the files that git does not know yet. The repository's state must be current. */
export async function workingFiles(repository: GitRepository): Promise<FileDiff[]> {
  const changes = repository.state.workingTreeChanges.filter((one) => !isNew(one));
  return [
    ...withUnread(readDiff(await repository.diff()), listed(repository, changes)),
    ...(await newFiles(repository)),
  ];
}

function listed(repository: GitRepository, changes: readonly GitChange[]): ListedChange[] {
  return changes.map(({ uri, status }) => ({ path: pathIn(repository, uri), status }));
}

/** Files that git does not know yet, as the diff that adding them would make. */
async function newFiles(repository: GitRepository): Promise<FileDiff[]> {
  const { workingTreeChanges, untrackedChanges = [] } = repository.state;
  const uris = [...untrackedChanges, ...workingTreeChanges.filter(isNew)].map(({ uri }) => uri);
  const unique = [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
  return Promise.all(unique.map((uri, at) => newFile(repository, uri, at < MAX_NEW_FILES)));
}

/** `Status.UNTRACKED` of git's extension. */
const UNTRACKED = 7;

function isNew({ status }: GitChange): boolean {
  return status === UNTRACKED;
}

/** A file's path below its repository. */
function pathIn({ rootUri }: GitRepository, uri: vscode.Uri): string {
  return uri.path.startsWith(`${rootUri.path}/`) ? uri.path.slice(rootUri.path.length + 1) : uri.path;
}

async function newFile(repository: GitRepository, uri: vscode.Uri, isRead: boolean): Promise<FileDiff> {
  const file: FileDiff = {
    path: pathIn(repository, uri),
    kind: 'added',
    added: 0,
    removed: 0,
    hunks: '',
    binary: false,
  };
  if (!isRead) return file;
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    // A new recording of a gigabyte must not be read for its first lines.
    if (size > MAX_NEW_BYTES * 50) return { ...file, binary: true };
    const bytes = await vscode.workspace.fs.readFile(uri);
    if (bytes.subarray(0, 8_000).includes(0)) return { ...file, binary: true };
    const lines = new TextDecoder().decode(bytes.subarray(0, MAX_NEW_BYTES)).split('\n');
    const hunks = lines.map((line) => `+${line}`).join('\n');
    return { ...file, added: lines.length, hunks: bytes.length > MAX_NEW_BYTES ? `${hunks}\n… cut here` : hunks };
  } catch {
    // It went away, or may not be read: its name is in the list all the same.
    return file;
  }
}
