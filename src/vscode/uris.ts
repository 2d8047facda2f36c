import * as vscode from 'vscode';
import { codeOf, fileErrorOf } from '../platform/fileErrors.js';
import { isUri } from '../platform/workspacePaths.js';

/** The URI of a path in the core's form: an absolute path, or a URI as a string. */
export function toUri(path: string): vscode.Uri {
  return isUri(path) ? vscode.Uri.parse(path, true) : vscode.Uri.file(path);
}

/** The core's form of a URI. VS Code writes one without an authority as `memfs:/a`, and the core knows addresses by their `://`. */
export function toPath(uri: vscode.Uri): string {
  if (uri.scheme === 'file') return uri.fsPath;
  return uri.authority === '' ? uri.toString().replace(':/', ':///') : uri.toString();
}

/** What a window drags from a remote machine lies on the machine that this runs on: its path there. Every other path as it is. */
export function localPath(path: string): string {
  return path.startsWith('vscode-remote://') ? vscode.Uri.parse(path, true).fsPath : path;
}

/** An error of VS Code's file systems in Node's form; any other is returned as it is. */
export function toNodeError(error: unknown, path: string): unknown {
  const code = nodeCodes[codeOf(error) ?? ''];
  return code && error instanceof Error ? fileErrorOf(code, path, error.message) : error;
}

const nodeCodes: Record<string, string> = {
  FileNotFound: 'ENOENT',
  FileExists: 'EEXIST',
  FileNotADirectory: 'ENOTDIR',
  FileIsADirectory: 'EISDIR',
  NoPermissions: 'EACCES',
};
