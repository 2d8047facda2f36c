import * as vscode from 'vscode';
import type { Workspace } from '../platform/ports.js';
import type { Attachment } from '../protocol/message.js';
import type { Piece } from './askTexts.js';
import { attachmentOf } from './chat/attachmentOf.js';
import { linesOfRange } from './lineRange.js';
import { enclosingFunction } from './symbols.js';
import { isPersonsFile } from './personsFile.js';

/** A piece of an open document: as an attachment where it is a file, else as text. */
export interface FoundPiece {
  piece: Piece;
  attachment: Attachment | undefined;
  text: string;
  language: string;
}

/** What is selected in the editor; undefined where nothing is. */
export function selectedPiece(
  workspace: Workspace,
  { document, selection }: vscode.TextEditor,
): FoundPiece | undefined {
  if (selection.isEmpty) return undefined;
  return found(workspace, document, selection, { ...linesOfRange(selection), selected: true });
}

/** The function around the cursor as far as the language service knows one, else the whole document. */
export async function pieceAtCursor(
  workspace: Workspace,
  { document, selection }: vscode.TextEditor,
): Promise<FoundPiece> {
  const symbols = await vscode.commands
    .executeCommand<vscode.DocumentSymbol[] | undefined>('vscode.executeDocumentSymbolProvider', document.uri)
    // A language service that fails knows no function.
    .then(undefined, () => undefined);
  const around = enclosingFunction(symbols ?? [], selection.active.line);
  if (!around) return wholeDocument(workspace, document);
  const { range, name } = around;
  const lines = new vscode.Range(range.start.line, 0, range.end.line, range.end.character);
  return found(workspace, document, lines, {
    startLine: range.start.line + 1,
    endLine: range.end.line + 1,
    name,
    selected: false,
  });
}

export function wholeDocument(workspace: Workspace, document: vscode.TextDocument): FoundPiece {
  return found(workspace, document, undefined, { selected: false });
}

/** What a document is called: a file by its path, another by its name. */
export function labelOf(workspace: Workspace, { uri }: vscode.TextDocument): string {
  return isPersonsFile(uri) ? attachmentOf(workspace, uri).label : (uri.path.split('/').at(-1) ?? uri.path);
}

function found(
  workspace: Workspace,
  document: vscode.TextDocument,
  range: vscode.Range | undefined,
  piece: Omit<Piece, 'label'>,
): FoundPiece {
  const { startLine, endLine } = piece;
  const lines = startLine === undefined || endLine === undefined ? {} : { startLine, endLine };
  const isFile = isPersonsFile(document.uri);
  return {
    piece: { ...piece, label: labelOf(workspace, document) },
    attachment: isFile ? { ...attachmentOf(workspace, document.uri), ...lines } : undefined,
    text: document.getText(range),
    language: document.languageId,
  };
}
