import * as vscode from 'vscode';
import { readFile } from 'node:fs/promises';
import { fileErrorOf } from '../platform/fileErrors.js';
import type { WriteOutcome } from '../platform/ports.js';
import { isUri } from '../platform/workspacePaths.js';
import { notebookOfJson } from './notebookCells.js';
import { toPath } from './uris.js';

/** What VS Code's own extension for Jupyter notebooks hands to others. */
interface NotebookExport {
  exportNotebook?: (notebook: vscode.NotebookData) => Promise<string>;
}

/** The open notebook of a file. Only Jupyter's: of other kinds nobody but their extensions knows the form. */
export function openNotebook(uri: vscode.Uri): vscode.NotebookDocument | undefined {
  if (!uri.path.endsWith('.ipynb')) return undefined;
  const key = uri.toString();
  return vscode.workspace.notebookDocuments.find(
    (one) => !one.isClosed && one.notebookType === 'jupyter-notebook' && one.uri.toString() === key,
  );
}

async function exporter(): Promise<NotebookExport['exportNotebook']> {
  const extension = vscode.extensions.getExtension<NotebookExport>('vscode.ipynb');
  return (await extension?.activate())?.exportNotebook;
}

/** The notebook as it would be saved now. Rejects with EIO where the extension that writes notebooks is off. */
export async function notebookBytes(notebook: vscode.NotebookDocument): Promise<Uint8Array> {
  const write = await exporter();
  if (!write) throw fileErrorOf('EIO', toPath(notebook.uri), 'the notebook has unsaved changes that cannot be read');
  return Buffer.from(await write(dataOfNotebook(notebook)), 'utf8');
}

/**
 * Makes an open notebook hold what the bytes of a file would: the cells that differ are changed, so that the person can undo it there, and saved
 * unless the notebook had unsaved changes. Undefined where the bytes are no notebook.
 */
export async function writeNotebook(
  notebook: vscode.NotebookDocument,
  bytes: Uint8Array,
): Promise<WriteOutcome | undefined> {
  const wanted = notebookOfJson(new TextDecoder().decode(bytes), notebook.metadata);
  if (!wanted) return undefined;
  const wasDirty = notebook.isDirty;
  const edit = editTo(notebook, wanted, await savedForms(notebook, wanted));
  if (edit && !(await vscode.workspace.applyEdit(edit)))
    throw fileErrorOf('EIO', toPath(notebook.uri), 'the editor refused the change');
  if (wasDirty) return { text: new TextDecoder().decode(await notebookBytes(notebook)), saved: false };
  if (!(await notebook.save()) && notebook.isDirty)
    throw fileErrorOf('EIO', toPath(notebook.uri), 'the editor could not save the file');
  return { text: new TextDecoder().decode(await savedBytes(notebook.uri)), saved: true };
}

/** A notebook as it would be saved, in parts that can be compared. */
interface SavedForm {
  /** Everything but the cells. */
  rest: string;
  /** Each cell without its id and its source, which are compared in the editor. */
  cells: string[];
}

interface SavedForms {
  now: SavedForm;
  wanted: SavedForm;
}

/** Undefined where the extension that writes notebooks is off: texts alone are compared then. */
async function savedForms(
  notebook: vscode.NotebookDocument,
  wanted: vscode.NotebookData,
): Promise<SavedForms | undefined> {
  const write = await exporter();
  if (!write) return undefined;
  const formOf = async (data: vscode.NotebookData): Promise<SavedForm> => {
    const { cells, ...rest } = JSON.parse(await write(data)) as { cells: Record<string, unknown>[] };
    const parts = cells.map(({ source: _source, id: _id, ...others }) => JSON.stringify(others));
    return { rest: JSON.stringify(rest), cells: parts };
  };
  return { now: await formOf(dataOfNotebook(notebook)), wanted: await formOf(wanted) };
}

/** Undefined where nothing differs. One cell where only the source differs is edited as a text. */
function editTo(
  notebook: vscode.NotebookDocument,
  { cells: wanted, metadata = {} }: vscode.NotebookData,
  forms: SavedForms | undefined,
): vscode.WorkspaceEdit | undefined {
  const cells = notebook.getCells();
  const edits: vscode.NotebookEdit[] = [];
  const edit = new vscode.WorkspaceEdit();
  const sameParts = (at: number): boolean => !forms || forms.now.cells.at(at) === forms.wanted.cells.at(at);
  const same = (at: number): boolean => isSame(cells.at(at), wanted.at(at)) && sameParts(at);
  const shorter = Math.min(cells.length, wanted.length);
  let first = 0;
  while (first < shorter && same(first)) first++;
  let behind = 0;
  while (behind < shorter - first && same(-1 - behind)) behind++;
  const [old, now] = [cells.slice(first, cells.length - behind), wanted.slice(first, wanted.length - behind)];
  const [cell, data] = [old[0], now[0]];
  if (old.length === 1 && now.length === 1 && cell && data && isSameKind(cell, data) && sameParts(first)) {
    const { document } = cell;
    const whole = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
    edit.replace(document.uri, whole, data.value);
  } else if (old.length > 0 || now.length > 0) {
    edits.push(vscode.NotebookEdit.replaceCells(new vscode.NotebookRange(first, first + old.length), now));
  }
  if (forms && forms.now.rest !== forms.wanted.rest) edits.push(vscode.NotebookEdit.updateNotebookMetadata(metadata));
  if (edits.length > 0) edit.set(notebook.uri, edits);
  return edit.size > 0 || edits.length > 0 ? edit : undefined;
}

function isSame(cell: vscode.NotebookCell | undefined, data: vscode.NotebookCellData | undefined): boolean {
  return cell !== undefined && data !== undefined && isSameKind(cell, data) && lfOf(cell) === data.value;
}

function isSameKind(cell: vscode.NotebookCell, data: vscode.NotebookCellData): boolean {
  const [id, other] = [cell.metadata['id'] as unknown, data.metadata?.['id'] as unknown];
  const sameId = id === undefined || other === undefined || id === other;
  return sameId && cell.kind === data.kind && cell.document.languageId === data.languageId;
}

function lfOf(cell: vscode.NotebookCell): string {
  return cell.document.getText().replaceAll('\r\n', '\n');
}

function dataOfNotebook(notebook: vscode.NotebookDocument): vscode.NotebookData {
  const data = new vscode.NotebookData(notebook.getCells().map(dataOf));
  data.metadata = notebook.metadata;
  return data;
}

function dataOf(cell: vscode.NotebookCell): vscode.NotebookCellData {
  const data = new vscode.NotebookCellData(cell.kind, cell.document.getText(), cell.document.languageId);
  data.metadata = cell.metadata;
  data.outputs = [...cell.outputs];
  if (cell.executionSummary) data.executionSummary = cell.executionSummary;
  return data;
}

async function savedBytes(uri: vscode.Uri): Promise<Uint8Array> {
  return isUri(toPath(uri)) ? vscode.workspace.fs.readFile(uri) : readFile(uri.fsPath);
}
