import * as vscode from 'vscode';
import { notebookLanguage } from '../platform/notebookLanguage.js';

interface JsonCell {
  cell_type?: unknown;
  source?: unknown;
  id?: unknown;
  metadata?: { vscode?: { languageId?: unknown } };
  execution_count?: unknown;
  attachments?: unknown;
  outputs?: unknown;
}

interface JsonOutput {
  output_type?: unknown;
  name?: unknown;
  text?: unknown;
  data?: Record<string, unknown>;
  metadata?: unknown;
  execution_count?: unknown;
  ename?: unknown;
  evalue?: unknown;
  traceback?: unknown;
}

interface JsonNotebook {
  cells?: unknown;
  metadata?: unknown;
}

/**
 * A Jupyter notebook's JSON in the form in which VS Code's own extension holds it, so that it writes it back as it was. What that form has beside what is
 * in the file comes from `known`, the metadata of the open notebook. Undefined for a text that is no notebook.
 */
export function notebookOfJson(text: string, known: Record<string, unknown>): vscode.NotebookData | undefined {
  let notebook: JsonNotebook;
  try {
    notebook = JSON.parse(text) as JsonNotebook;
  } catch {
    // Not JSON: it is written as the text it is.
    return undefined;
  }
  if (!Array.isArray(notebook.cells)) return undefined;
  const { cells, ...rest } = notebook;
  const language = notebookLanguage(notebook.metadata);
  const data = new vscode.NotebookData((cells as JsonCell[]).map((cell) => cellOf(cell, language)));
  data.metadata = { ...known, ...rest };
  return data;
}

function cellOf(cell: JsonCell, language: string): vscode.NotebookCellData {
  const { cell_type: type, metadata = {}, id, attachments, execution_count: count } = cell;
  const isCode = type === 'code';
  const own = metadata.vscode?.languageId;
  const languageId = type === 'raw' ? 'raw' : !isCode ? 'markdown' : typeof own === 'string' ? own : language;
  const kind = type === 'markdown' ? vscode.NotebookCellKind.Markup : vscode.NotebookCellKind.Code;
  const data = new vscode.NotebookCellData(kind, joined(cell.source), languageId);
  data.metadata = {
    metadata,
    ...(id === undefined ? {} : { id }),
    ...(attachments === undefined ? {} : { attachments }),
    ...(isCode ? { execution_count: count ?? null } : {}),
  };
  data.outputs = isCode && Array.isArray(cell.outputs) ? (cell.outputs as JsonOutput[]).map(outputOf) : [];
  if (typeof count === 'number') data.executionSummary = { executionOrder: count };
  return data;
}

function outputOf(output: JsonOutput): vscode.NotebookCellOutput {
  const { output_type: outputType, metadata, execution_count: executionCount } = output;
  const about = {
    outputType,
    ...(metadata === undefined ? {} : { metadata }),
    ...(executionCount === undefined ? {} : { executionCount }),
  };
  if (outputType === 'stream') {
    const item = output.name === 'stderr' ? 'stderr' : 'stdout';
    return new vscode.NotebookCellOutput([vscode.NotebookCellOutputItem[item](joined(output.text))], about);
  }
  if (outputType === 'error') {
    const error = { name: String(output.ename), message: String(output.evalue), stack: joined(output.traceback, '\n') };
    return new vscode.NotebookCellOutput([vscode.NotebookCellOutputItem.error(error)], {
      ...about,
      originalError: output,
    });
  }
  const items = Object.entries(output.data ?? {}).map(([mime, value]) => itemOf(mime, value));
  return new vscode.NotebookCellOutput(items, about);
}

function itemOf(mime: string, value: unknown): vscode.NotebookCellOutputItem {
  const isText = typeof value === 'string' || Array.isArray(value);
  if (mime.startsWith('image/') && mime !== 'image/svg+xml' && isText)
    return new vscode.NotebookCellOutputItem(Buffer.from(joined(value), 'base64'), mime);
  return isText && !mime.endsWith('json')
    ? vscode.NotebookCellOutputItem.text(joined(value), mime)
    : vscode.NotebookCellOutputItem.json(value, mime);
}

function joined(value: unknown, between = ''): string {
  return Array.isArray(value) ? value.join(between) : typeof value === 'string' ? value : '';
}
