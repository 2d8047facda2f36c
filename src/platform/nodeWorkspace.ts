import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { decodeText } from './encoding.js';
import { fileErrorOf, codeOf, isMissing } from './fileErrors.js';
import { gitBranchOf } from './gitHead.js';
import type { DirEntry, FileStat, Folder, Workspace, WriteOutcome } from './ports.js';
import { labelInFolders, resolveInFolders } from './workspacePaths.js';

/** What the workspace of a headless run is made of. */
export interface NodeWorkspaceOptions {
  /** The first one is where relative paths start. */
  folders: Folder[];
  /** What `~` stands for. */
  userHome: string;
}

const linksFollowed = 40;

/**
 * The person's project straight from the disk: no editor, so nothing is dirty, nothing knows problems, and writes are a temporary file and a
 * rename. A person who starts a headless run in a folder has chosen it, so it is trusted.
 */
export function createNodeWorkspace({ folders, userHome }: NodeWorkspaceOptions): Workspace {
  const base = { folders, userHome };
  return {
    folders: () => folders,
    trusted: () => true,
    onDisk: () => true,
    resolve: (path) => resolveInFolders(path, base),
    label: (path) => labelInFolders(path, base),
    realPath: realPathOnDisk,
    stat: statOnDisk,
    read: async (path) => {
      const bytes = await fs.readFile(path);
      return { bytes, dirty: false, stat: toFileStat(await fs.stat(path)) };
    },
    readStart: (path, length) => readRangeOnDisk(path, 0, length),
    readRange: readRangeOnDisk,
    list: listOnDisk,
    write: writeOnDisk,
    makeFolder: async (path) => void (await fs.mkdir(path, { recursive: true })),
    remove: async (path) => {
      await removeOnDisk(path);
      return { trashed: false };
    },
    rename: async (from, to) => {
      await renameOnDisk(from, to);
      return { alsoChanged: [] };
    },
    diagnostics: () => Promise.resolve([]),
    hasDiagnostics: () => false,
    showsNotebook: () => false,
    editorContext: () => {
      const branch = folders[0] && gitBranchOf(folders[0].path);
      return { visibleFiles: [], dirtyFiles: [], ...(branch === undefined ? {} : { gitBranch: branch }) };
    },
    save: () => Promise.resolve(),
  };
}

/** The path with its links followed, those too that point to nothing yet: writing there would create the target. Throws `ELOOP`. */
export async function realPathOnDisk(path: string, links = linksFollowed): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  if (links === 0) throw fileErrorOf('ELOOP', path, 'too many symbolic links');
  const target = await readLink(path);
  if (target !== undefined) return realPathOnDisk(resolve(dirname(path), target), links - 1);
  if (dirname(path) === path) return path;
  return join(await realPathOnDisk(dirname(path), links), basename(path));
}

/** Undefined where there is nothing. Follows links. */
export async function statOnDisk(path: string): Promise<FileStat | undefined> {
  try {
    return toFileStat(await fs.stat(path));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** At most `length` bytes from `offset`. */
export async function readRangeOnDisk(path: string, offset: number, length: number): Promise<Uint8Array> {
  const handle = await fs.open(path, 'r');
  try {
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await handle.read(buffer, 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Throws `EACCES` where nobody may write the file, which a rename over it would not notice. */
export async function requireWritableOnDisk(path: string): Promise<FileStat | undefined> {
  const stat = await statOnDisk(path);
  if (stat?.type === 'directory') throw fileErrorOf('EISDIR', path, 'it is a folder');
  if (stat?.mode !== undefined && (stat.mode & 0o222) === 0) throw fileErrorOf('EACCES', path, 'it is read-only');
  return stat;
}

async function listOnDisk(path: string): Promise<DirEntry[]> {
  const entries = await fs.readdir(path, { withFileTypes: true });
  return entries
    .map((entry): DirEntry => {
      if (entry.isSymbolicLink()) return { name: entry.name, type: 'symlink' };
      if (entry.isDirectory()) return { name: entry.name, type: 'directory' };
      return { name: entry.name, type: entry.isFile() ? 'file' : 'other' };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function writeOnDisk(path: string, bytes: Uint8Array, options?: { mode?: number }): Promise<WriteOutcome> {
  const target = await realPathOnDisk(path);
  const existing = await requireWritableOnDisk(target);
  await makeParents(target);
  const temporary = join(dirname(target), `.nanobot-${randomUUID()}.tmp`);
  const mode = existing?.mode ?? options?.mode;
  try {
    const handle = await fs.open(temporary, 'wx');
    try {
      await handle.writeFile(bytes);
      if (mode !== undefined) await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.rename(temporary, target);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
  return { text: decodeText(bytes)?.text ?? '', saved: true };
}

async function makeParents(path: string): Promise<void> {
  try {
    await fs.mkdir(dirname(path), { recursive: true });
  } catch (error) {
    // Node says EEXIST where the parent itself is a file and ENOTDIR where one further up is; both are the same mistake.
    if (codeOf(error) === 'EEXIST') throw fileErrorOf('ENOTDIR', path, 'a part of the path is a file');
    throw error;
  }
}

async function removeOnDisk(path: string): Promise<void> {
  const stat = await fs.lstat(path);
  if (stat.isDirectory()) await fs.rmdir(path);
  else await fs.unlink(path);
}

async function renameOnDisk(from: string, to: string): Promise<void> {
  const source = await fs.lstat(from);
  const target = await lstatOrNothing(to);
  // The same inode is the same file under another spelling, on a disk that ignores case.
  if (target && (target.ino !== source.ino || target.dev !== source.dev)) throw fileErrorOf('EEXIST', to, 'it exists');
  await makeParents(to);
  try {
    await fs.rename(from, to);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    await fs.cp(from, to, {
      recursive: true,
      errorOnExist: true,
      force: false,
      verbatimSymlinks: true,
      preserveTimestamps: true,
    });
    await fs.rm(from, { recursive: true });
  }
}

async function lstatOrNothing(path: string): Promise<Stats | undefined> {
  try {
    return await fs.lstat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function readLink(path: string): Promise<string | undefined> {
  try {
    return await fs.readlink(path);
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'EINVAL') return undefined;
    throw error;
  }
}

function toFileStat(stat: Stats): FileStat {
  const type = stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other';
  return { type, size: stat.size, mtime: stat.mtimeMs, mode: stat.mode & 0o7777 };
}
