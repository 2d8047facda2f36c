import { basename, isAbsolute, join, normalize, posix, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Folder } from './ports.js';

/** What a path as the model wrote it is resolved against. */
export interface PathBase {
  folders: Folder[];
  /** The folder of the active editor, which goes before the first one. */
  activeFolder?: string | undefined;
  /** What `~` stands for. */
  userHome: string;
}

/** Whether a path is a URI as a string. A drive letter is none. */
export function isUri(path: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(path);
}

/**
 * Makes a path absolute: as it is, below `~`, below the folder that its first part names (several folders only; the name wins over a
 * subfolder of the same name, because results are shown that way), else below the active folder or the first. Throws an Error for a
 * relative path where no folder is open.
 */
export function resolveInFolders(path: string, base: PathBase): string {
  if (path.startsWith('file://')) return fileURLToPath(path);
  if (isUri(path)) return path;
  if (path === '~' || path.startsWith('~/') || path.startsWith(`~${sep}`)) return join(base.userHome, path.slice(1));
  const named = base.folders.length > 1 ? folderNamedIn(path, base.folders) : undefined;
  if (named) return below(named.folder.path, named.rest);
  const start = base.activeFolder ?? base.folders[0]?.path;
  if (start !== undefined && isUri(start)) return below(start, path);
  if (isAbsolute(path)) return withoutEndSlash(normalize(path));
  if (start === undefined)
    throw new Error(`No folder is open, so "${path}" cannot be resolved: give an absolute path.`);
  return below(start, path);
}

/**
 * The short form of an absolute path: relative to its folder (`.` for the folder itself), with the folder's name in front where there are
 * several, `~/…` in the user's home, else the path. `resolveInFolders` finds the file again from it.
 */
export function labelInFolders(path: string, base: PathBase): string {
  const folder = folderOf(path, base.folders);
  if (folder) {
    const inside = insideOf(path, folder.path);
    if (base.folders.length < 2) return inside === '' ? '.' : inside;
    return inside === '' ? folder.name : `${folder.name}/${inside}`;
  }
  if (isUri(path) || !isInside(path, base.userHome)) return path;
  const inside = insideOf(path, base.userHome);
  return inside === '' ? '~' : `~/${inside}`;
}

/** The innermost folder that holds a path. */
export function folderOf(path: string, folders: Folder[]): Folder | undefined {
  return folders
    .filter((folder) => isInside(path, folder.path))
    .sort((a, b) => b.path.length - a.path.length)
    .at(0);
}

/** Whether a path is a folder or lies below it, by its text alone: links are the caller's to follow first. */
export function isInside(path: string, folder: string): boolean {
  if (isUri(folder) || isUri(path))
    return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The last part of a path or URI, as people read it. */
export function nameOf(path: string): string {
  return isUri(path) ? decodeURIComponent(posix.basename(path)) : basename(path);
}

/** The folder that a path or URI lies in. */
export function parentOf(path: string): string {
  return isUri(path)
    ? path.slice(0, Math.max(path.lastIndexOf('/'), splitUri(path).origin.length))
    : resolve(path, '..');
}

/** An entry of a folder. */
export function childOf(folder: string, name: string): string {
  return isUri(folder) ? `${folder.replace(/\/$/, '')}/${encodeURIComponent(name)}` : join(folder, name);
}

function folderNamedIn(path: string, folders: Folder[]): { folder: Folder; rest: string } | undefined {
  const clean = path.replace(/^\.\//, '');
  const end = clean.search(/[\\/]/);
  const first = end < 0 ? clean : clean.slice(0, end);
  const folder = folders.find((candidate) => candidate.name === first);
  return folder && { folder, rest: end < 0 ? '' : clean.slice(end + 1) };
}

function below(folder: string, path: string): string {
  if (!isUri(folder)) return withoutEndSlash(join(folder, path));
  const { origin, path: start } = splitUri(folder);
  const whole = path.startsWith('/') ? path : `${decodeURIComponent(start)}/${path}`;
  const encoded = withoutEndSlash(posix.normalize(whole)).split('/').map(encodeURIComponent).join('/');
  return origin + encoded;
}

function insideOf(path: string, folder: string): string {
  if (isUri(folder)) return decodeURIComponent(path.slice(folder.length).replace(/^\//, ''));
  return relative(folder, path).split(sep).join('/');
}

function splitUri(uri: string): { origin: string; path: string } {
  const end = uri.indexOf('/', uri.indexOf('://') + 3);
  return end < 0 ? { origin: uri, path: '' } : { origin: uri.slice(0, end), path: uri.slice(end) };
}

/** `/a/b/` and `/a/b` are one place and must be one key; the root keeps its slash. */
function withoutEndSlash(path: string): string {
  const trimmed = path.replace(/[\\/]+$/, '');
  return trimmed === '' || /^[a-z]:$/i.test(trimmed) ? path : trimmed;
}
