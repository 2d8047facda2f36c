import * as vscode from 'vscode';
import { codeOf, fileErrorOf } from '../platform/fileErrors.js';
import type { DirEntry, FileStat } from '../platform/ports.js';
import { toNodeError, toUri } from './uris.js';

/** Files that are not on a disk, by URIs as strings. Errors are put into Node's form. */
export const virtualFiles = {
  /** Undefined where there is nothing. */
  async stat(path: string): Promise<FileStat | undefined> {
    try {
      const { type, size, mtime, permissions } = await vscode.workspace.fs.stat(toUri(path));
      const mode = permissions === vscode.FilePermission.Readonly ? { mode: 0o444 } : {};
      return { type: kindOf(type), size, mtime, ...mode };
    } catch (error) {
      if (codeOf(error) === 'FileNotFound') return undefined;
      throw toNodeError(error, path);
    }
  },

  /** Such file systems give whole files only. */
  async read(path: string): Promise<Uint8Array> {
    return inNodeForm(path, () => vscode.workspace.fs.readFile(toUri(path)));
  },

  /** Sorted by name. */
  async list(path: string): Promise<DirEntry[]> {
    const entries = await inNodeForm(path, () => vscode.workspace.fs.readDirectory(toUri(path)));
    return entries
      .map(([name, type]): DirEntry => ({ name, type: type & vscode.FileType.SymbolicLink ? 'symlink' : kindOf(type) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  },

  /** Creates missing folders. Throws `EACCES` for a read-only file. */
  async write(path: string, bytes: Uint8Array): Promise<void> {
    await inNodeForm(path, () => vscode.workspace.fs.writeFile(toUri(path), bytes));
  },

  /** Throws as `requireWritableOnDisk` does. */
  async requireWritable(path: string): Promise<FileStat | undefined> {
    const stat = await virtualFiles.stat(path);
    if (stat?.type === 'directory') throw fileErrorOf('EISDIR', path, 'it is a folder');
    if (stat?.mode !== undefined) throw fileErrorOf('EACCES', path, 'it is read-only');
    return stat;
  },

  async makeFolder(path: string): Promise<void> {
    await inNodeForm(path, () => vscode.workspace.fs.createDirectory(toUri(path)));
  },
};

async function inNodeForm<T>(path: string, run: () => Thenable<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toNodeError(error, path);
  }
}

function kindOf(type: vscode.FileType): FileStat['type'] {
  if (type & vscode.FileType.Directory) return 'directory';
  return type & vscode.FileType.File ? 'file' : 'other';
}
