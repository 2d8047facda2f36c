import * as vscode from 'vscode';
import { readFile } from 'node:fs/promises';
import { fileErrorOf } from '../platform/fileErrors.js';
import type { WriteOutcome } from '../platform/ports.js';
import { isUri } from '../platform/workspacePaths.js';
import { cellsOfJson } from './notebookCells.js';
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

/** The notebook as it would be saved now. Rejects with EIO where the extension that writes notebooks is off. */
export async function notebookBytes(notebook: vscode.NotebookDocument): Promise<Uint8Array> {
  const extension = vscode.extensions.getExtension<NotebookExport>('vscode.ipynb');
  const write = (await extension?.activate())?.exportNotebook;
  if (!write) throw fileErrorOf('EIO', toPath(notebook.uri), 'the notebook has unsaved changes that cannot be read');
  const data = new vscode.NotebookData(notebook.getCells().map(dataOf));
  data.metadata = notebook.metadata;
  return Buffer.from(await write(data), 'utf8');
}

/**
 * Makes an open notebook hold what the bytes of a file would: the cells that differ are changed, so that the person can undo it there, and saved
 * unless the notebook had unsaved changes. Undefined where the bytes are no notebook.
 */
export async function writeNotebook(
  notebook: vscode.NotebookDocument,
  bytes: Uint8Array,
): Promise<WriteOutcome | undefined> {
  const wanted = cellsOfJson(new TextDecoder().decode(bytes));
  if (!wanted) return undefined;
  const wasDirty = notebook.isDirty;
  const edit = editTo(notebook, wanted);
  if (edit && !(await vscode.workspace.applyEdit(edit)))
    throw fileErrorOf('EIO', toPath(notebook.uri), 'the editor refused the change');
  if (wasDirty) return { text: new TextDecoder().decode(await notebookBytes(notebook)), saved: false };
  if (!(await notebook.save()) && notebook.isDirty)
    throw fileErrorOf('EIO', toPath(notebook.uri), 'the editor could not save the file');
  return { text: new TextDecoder().decode(await savedBytes(notebook.uri)), saved: true };
}

/** Undefined where nothing differs. One cell with another source is edited as a text, which keeps its outputs. */
function editTo(
  notebook: vscode.NotebookDocument,
  wanted: vscode.NotebookCellData[],
): vscode.WorkspaceEdit | undefined {
  const cells = notebook.getCells();
  const shorter = Math.min(cells.length, wanted.length);
  let first = 0;
  while (first < shorter && isSame(cells[first], wanted[first])) first++;
  let behind = 0;
  while (behind < shorter - first && isSame(cells.at(-1 - behind), wanted.at(-1 - behind))) behind++;
  const [old, now] = [cells.slice(first, cells.length - behind), wanted.slice(first, wanted.length - behind)];
  if (old.length === 0 && now.length === 0) return undefined;
  const edit = new vscode.WorkspaceEdit();
  const [cell, text] = [old[0], now[0]];
  if (old.length === 1 && now.length === 1 && cell && text && isSameKind(cell, text)) {
    const { document } = cell;
    const whole = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
    edit.replace(document.uri, whole, text.value);
  } else {
    const range = new vscode.NotebookRange(first, first + old.length);
    edit.set(notebook.uri, [vscode.NotebookEdit.replaceCells(range, now)]);
  }
  return edit;
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
