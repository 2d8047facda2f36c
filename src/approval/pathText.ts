import { posix, win32 } from 'node:path';

/** True for `C:\…`, `C:/…` and `\\server\…`. */
export function isWindowsPath(path: string): boolean {
  return /^[a-zA-Z]:([\\/]|$)|^\\\\/.test(path);
}

/** A URI such as `vscode-vfs://github/…`. */
export function isUri(path: string): boolean {
  return /^[a-zA-Z][a-zA-Z0-9+.-]+:\/\//.test(path);
}

/** The path rules of the machine that this absolute path belongs to. */
export function styleOf(path: string): typeof posix {
  return isWindowsPath(path) ? win32 : posix;
}

/** Whether `path` is `folder` or lies below it. Both absolute (or URIs) and normalised. */
export function isInside(folder: string, path: string, ignoreCase: boolean): boolean {
  const fold = (text: string) => {
    const slashes = isWindowsPath(text) ? text.replaceAll('\\', '/') : text;
    return (ignoreCase || isWindowsPath(text) ? slashes.toLowerCase() : slashes).replace(/\/+$/, '');
  };
  const parent = fold(folder);
  const child = fold(path);
  return child === parent || child.startsWith(`${parent}/`);
}
