import * as fs from 'node:fs/promises';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { decodeText } from '../platform/encoding.js';
import { fileErrorOf } from '../platform/fileErrors.js';
import { createNodeWorkspace, requireWritableOnDisk } from '../platform/nodeWorkspace.js';
import type {
  DirEntry,
  EditorContext,
  FileStat,
  Folder,
  Workspace,
  WorkspaceFile,
  WriteOutcome,
} from '../platform/ports.js';
import { isUri, labelInFolders, parentOf, resolveInFolders, type PathBase } from '../platform/workspacePaths.js';
import {
  createThroughEditor,
  editBuffer,
  editDocument,
  openDocument,
  removeThroughEditor,
  renameThroughEditor,
} from './edits.js';
import { gitBranch } from './gitBranch.js';
import { notebookBytes, openNotebook, writeNotebook } from './notebooks.js';
import { Problems } from './problems.js';
import { isPersonsFile } from './personsFile.js';
import { localPath, toNodeError, toPath, toUri } from './uris.js';
import { virtualFiles } from './virtualFiles.js';

/**
 * The person's project as the editor has it: what is not saved wins, changes go through the editor's edits and can be undone there. Files on a
 * disk are read from it, others through VS Code's file systems.
 */
export function editorWorkspace(context: vscode.ExtensionContext): Workspace {
  const userHome = homedir();
  const problems = new Problems();
  context.subscriptions.push(problems);
  const disk = createNodeWorkspace({ folders: [], userHome });
  const label = (path: string): string => labelInFolders(path, pathBase(userHome));
  const stat = (path: string): Promise<FileStat | undefined> =>
    isUri(path) ? virtualFiles.stat(path) : disk.stat(path);
  const list = (path: string): Promise<DirEntry[]> => (isUri(path) ? virtualFiles.list(path) : disk.list(path));
  return {
    folders,
    trusted: () => vscode.workspace.isTrusted,
    onDisk: () => folders().every((folder) => !isUri(folder.path)),
    resolve: (path) => resolveInFolders(localPath(path), pathBase(userHome)),
    label,
    realPath: (path) => (isUri(path) ? Promise.resolve(path) : disk.realPath(path)),
    stat,
    read: (path) => read(path, stat),
    readStart: (path, length) => readRange(path, 0, length),
    readRange,
    list,
    makeFolder: (path) => (isUri(path) ? virtualFiles.makeFolder(path) : disk.makeFolder(path)),
    async write(path, bytes, options) {
      const outcome = await write(path, bytes, options?.mode);
      problems.noteWrite();
      return outcome;
    },
    async remove(path) {
      const entry = await stat(path);
      if (entry?.type === 'directory' && (await list(path)).length > 0)
        throw fileErrorOf('ENOTEMPTY', path, 'it is not empty');
      return inNodeForm(path, () => removeThroughEditor(toUri(path)));
    },
    async rename(from, to) {
      await requireFree(from, to);
      if (!isUri(to)) await disk.makeFolder(parentOf(to));
      const alsoChanged = await renameThroughEditor(toUri(from), toUri(to));
      problems.noteWrite();
      return { alsoChanged };
    },
    async diagnostics(paths, options = {}) {
      if (options.settle) await problems.settle(options.signal);
      return problems.list(paths);
    },
    hasDiagnostics: () => true,
    showsNotebook: () =>
      vscode.workspace.notebookDocuments.some(({ uri, isClosed }) => !isClosed && isPersonsFile(uri)),
    editorContext: () => editorContext(label, problems),
    save,
  };

  function readRange(path: string, offset: number, length: number): Promise<Uint8Array> {
    if (!isUri(path)) return disk.readRange(path, offset, length);
    return virtualFiles.read(path).then((bytes) => bytes.subarray(offset, offset + length));
  }

  async function requireFree(from: string, to: string): Promise<void> {
    if (!(await stat(to))) return;
    const respelled =
      from.toLowerCase() === to.toLowerCase() &&
      !isUri(from) &&
      (await disk.realPath(from)) === (await disk.realPath(to));
    if (!respelled) throw fileErrorOf('EEXIST', to, 'it exists');
  }

  /** The editor's way where it keeps every byte, else the bytes as they are: that cannot be undone in the editor, but by Nanobot's own Undo. */
  async function write(path: string, bytes: Uint8Array, mode: number | undefined): Promise<WriteOutcome> {
    const uri = toUri(path);
    const open = openDocument(uri);
    if (open?.isDirty) return editBuffer(open, bytes);
    const notebook = openNotebook(uri);
    if (notebook?.isDirty) return (await writeNotebook(notebook, bytes)) ?? refuseText(path);
    const existing = await (isUri(path)
      ? virtualFiles.requireWritable(path)
      : requireWritableOnDisk(await disk.realPath(path)));
    if (!existing) {
      if (!isUri(path)) await requireParent(path);
      const outcome = await createThroughEditor(uri, bytes);
      if (mode !== undefined && !isUri(path)) await fs.chmod(path, mode);
      return outcome;
    }
    const cells = notebook && (await writeNotebook(notebook, bytes));
    if (cells) return cells;
    const saved = isUri(path) ? await virtualFiles.read(path) : await fs.readFile(path);
    const outcome = await editDocument(uri, saved, bytes);
    if (outcome) return outcome;
    if (!isUri(path)) return disk.write(path, bytes);
    await virtualFiles.write(path, bytes);
    return { text: decodeText(bytes)?.text ?? '', saved: true };
  }

  /** Asked of the disk and not of the editor, whose refusal has no reason in it. */
  async function requireParent(path: string): Promise<void> {
    const parent = parentOf(path);
    try {
      await disk.makeFolder(parent);
    } catch (error) {
      const there = await disk.stat(parent);
      throw there && there.type !== 'directory' ? fileErrorOf('ENOTDIR', path, 'a part of the path is a file') : error;
    }
  }
}

function refuseText(path: string): never {
  throw fileErrorOf('EIO', path, 'the open notebook has unsaved changes, and this is no notebook');
}

function folders(): Folder[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ name, uri }) => ({ name, path: toPath(uri) }));
}

function pathBase(userHome: string): PathBase {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = active && vscode.workspace.getWorkspaceFolder(active);
  return { folders: folders(), activeFolder: folder && toPath(folder.uri), userHome };
}

async function read(path: string, stat: (path: string) => Promise<FileStat | undefined>): Promise<WorkspaceFile> {
  const open = openDocument(toUri(path));
  if (open?.isDirty) {
    const bytes = Buffer.from(open.getText(), 'utf8');
    // The file may be gone from the disk while its text is still in the editor.
    return { bytes, dirty: true, stat: (await stat(path)) ?? { type: 'file', size: bytes.length, mtime: Date.now() } };
  }
  const notebook = openNotebook(toUri(path));
  if (notebook?.isDirty) {
    const bytes = await notebookBytes(notebook);
    return { bytes, dirty: true, stat: (await stat(path)) ?? { type: 'file', size: bytes.length, mtime: Date.now() } };
  }
  const bytes = isUri(path) ? await virtualFiles.read(path) : await fs.readFile(path);
  return { bytes, dirty: false, stat: (await stat(path)) ?? { type: 'file', size: bytes.length, mtime: Date.now() } };
}

/** Documents that were never saved have no file to be saved to, and are left alone. */
async function save(paths?: string[]): Promise<void> {
  const wanted = paths && new Set(paths.map((path) => toUri(path).toString()));
  for (const document of [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments]) {
    if (!document.isDirty || document.isUntitled || document.uri.scheme === 'vscode-notebook-cell') continue;
    if (wanted && !wanted.has(document.uri.toString())) continue;
    if (!(await document.save()) && document.isDirty) {
      throw fileErrorOf('EIO', toPath(document.uri), 'the editor could not save the file');
    }
  }
}

function editorContext(label: (path: string) => string, problems: Problems): EditorContext {
  const labels = (uris: vscode.Uri[]): string[] => [
    ...new Set(uris.filter(isPersonsFile).map((uri) => label(toPath(uri)))),
  ];
  const active = vscode.window.activeTextEditor;
  const context: EditorContext = {
    visibleFiles: labels(vscode.window.visibleTextEditors.map((editor) => editor.document.uri)),
    dirtyFiles: labels(
      [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments]
        .filter((document) => document.isDirty)
        .map((document) => document.uri),
    ),
    problems: problems.counts(),
  };
  if (active && isPersonsFile(active.document.uri)) {
    const { document, selection } = active;
    const lines = { startLine: selection.start.line + 1, endLine: selection.end.line + 1 };
    context.activeFile = {
      path: label(toPath(document.uri)),
      language: document.languageId,
      ...(selection.isEmpty ? {} : { selection: lines }),
    };
  }
  const folder =
    (active && vscode.workspace.getWorkspaceFolder(active.document.uri)) ?? vscode.workspace.workspaceFolders?.[0];
  const branch = folder && gitBranch(folder.uri);
  if (branch !== undefined) context.gitBranch = branch;
  return context;
}

async function inNodeForm<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toNodeError(error, path);
  }
}
