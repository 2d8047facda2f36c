import * as vscode from 'vscode';
import { decodeText, type DecodedText } from '../platform/encoding.js';
import { fileErrorOf } from '../platform/fileErrors.js';
import type { WriteOutcome } from '../platform/ports.js';
import { minimalEdit } from '../tools/support/edits.js';
import { lineEndsOf } from '../tools/support/text.js';
import { isPersonsFile } from './personsFile.js';
import { toPath } from './uris.js';

/** VS Code opens no larger file as a text, and hands none of this size to extensions. */
const largestDocument = 50 * 1024 * 1024;

/** The document of a file that is open somewhere, shown or not. */
export function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  const key = uri.toString();
  return vscode.workspace.textDocuments.find((document) => !document.isClosed && document.uri.toString() === key);
}

/** Puts a text into the editor of a file with a person's unsaved changes. It stays unsaved. */
export async function editBuffer(document: vscode.TextDocument, bytes: Uint8Array): Promise<WriteOutcome> {
  const after = decodeText(bytes);
  if (!after) throw fileErrorOf('EINVAL', toPath(document.uri), 'binary content cannot go into an open editor');
  await replaceText(document, after.text);
  return { text: document.getText(), saved: false };
}

/**
 * Changes a saved text file through its document, so that the person can undo it, and saves. Undefined where the document cannot stand for
 * the file byte by byte: binary or too large, another encoding than VS Code takes it for, mixed line ends, or the disk has changed and VS Code
 * has not noticed yet. Then the bytes have to be written as they are.
 */
export async function editDocument(
  uri: vscode.Uri,
  saved: Uint8Array,
  bytes: Uint8Array,
): Promise<WriteOutcome | undefined> {
  const [before, after] = [textFor(saved), textFor(bytes)];
  if (!before || !after || before.encoding !== after.encoding || before.bom !== after.bom) return undefined;
  const document = openDocument(uri) ?? (await openQuietly(uri, before));
  if (!document) return undefined;
  if (document.isDirty) return editBuffer(document, bytes);
  if (document.getText() !== before.text) return undefined;
  await replaceText(document, after.text);
  return saveDocument(document);
}

/**
 * Creates a file so that the creation can be undone. A text goes through a document and is saved, for formatters to see it; what VS Code
 * would save with other bytes is created with its content at once.
 */
export async function createThroughEditor(uri: vscode.Uri, bytes: Uint8Array): Promise<WriteOutcome> {
  const edit = new vscode.WorkspaceEdit();
  const text = textFor(bytes);
  const encoding = vscode.workspace.getConfiguration('files', uri).get<string>('encoding');
  const plain = text?.encoding === 'utf-8' && !text.bom && text.text !== '' && encoding === 'utf8';
  if (!plain) {
    edit.createFile(uri, { contents: bytes });
    await apply(edit, uri);
    return { text: text?.text ?? '', saved: true };
  }
  edit.createFile(uri);
  edit.set(uri, [vscode.TextEdit.insert(new vscode.Position(0, 0), text.text), ...lineEndEdit(text.text)]);
  await apply(edit, uri);
  return saveDocument(await vscode.workspace.openTextDocument(uri));
}

/**
 * Renames through the editor, so that language services take part. Files that they changed meanwhile are saved, unless they held a person's
 * unsaved changes, and returned.
 */
export async function renameThroughEditor(from: vscode.Uri, to: vscode.Uri): Promise<string[]> {
  const dirtyBefore = new Set(
    vscode.workspace.textDocuments.filter((one) => one.isDirty).map((one) => one.uri.toString()),
  );
  const changed = new Map<string, vscode.TextDocument>();
  const listener = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
    if (contentChanges.length > 0 && isPersonsFile(document.uri)) changed.set(document.uri.toString(), document);
  });
  try {
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(from, to, { overwrite: false });
    await apply(edit, from);
  } finally {
    listener.dispose();
  }
  changed.delete(from.toString());
  changed.delete(to.toString());
  for (const [key, document] of changed) if (document.isDirty && !dirtyBefore.has(key)) await document.save();
  return [...changed.values()].map((document) => toPath(document.uri));
}

/** Removes to the trash, or for good where there is none, as on a remote machine. */
export async function removeThroughEditor(uri: vscode.Uri): Promise<{ trashed: boolean }> {
  try {
    await vscode.workspace.fs.delete(uri, { useTrash: true });
    return { trashed: true };
  } catch (error) {
    // Whatever went wrong with the trash, it is right to try without; if the file itself is the reason, that fails the same way.
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') throw error;
    await vscode.workspace.fs.delete(uri, { useTrash: false });
    return { trashed: false };
  }
}

async function replaceText(document: vscode.TextDocument, text: string): Promise<void> {
  const change = minimalEdit(document.getText(), text);
  if (!change) return;
  const range = new vscode.Range(document.positionAt(change.start), document.positionAt(change.end));
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, [
    vscode.TextEdit.replace(range, change.text),
    ...(sameLineEnds(document, text) ? [] : lineEndEdit(text)),
  ]);
  await apply(edit, document.uri);
}

async function saveDocument(document: vscode.TextDocument): Promise<WriteOutcome> {
  // With auto save the file can be saved already, which is as good.
  const saved = (await document.save()) || !document.isDirty;
  if (!saved) throw fileErrorOf('EIO', toPath(document.uri), 'the editor could not save the file');
  return { text: document.getText(), saved: true };
}

async function apply(edit: vscode.WorkspaceEdit, uri: vscode.Uri): Promise<void> {
  if (await vscode.workspace.applyEdit(edit)) return;
  throw fileErrorOf('EIO', toPath(uri), 'the editor refused the change');
}

/** A text that a document holds exactly as it is: one kind of line ends. */
function textFor(bytes: Uint8Array): DecodedText | undefined {
  if (bytes.length > largestDocument) return undefined;
  const decoded = decodeText(bytes);
  return decoded && lineEndsOf(decoded.text) !== 'mixed' && !/\r(?!\n)/.test(decoded.text) ? decoded : undefined;
}

async function openQuietly(uri: vscode.Uri, text: DecodedText): Promise<vscode.TextDocument | undefined> {
  try {
    // VS Code tells UTF-16 by its BOM, but takes what has none for its default unless told otherwise.
    const options = text.encoding === 'windows-1252' ? { encoding: 'windows1252' } : undefined;
    return await vscode.workspace.openTextDocument(uri, options);
  } catch {
    // VS Code holds it for binary or too large: its bytes are written instead.
    return undefined;
  }
}

function sameLineEnds(document: vscode.TextDocument, text: string): boolean {
  const ends = lineEndsOf(text);
  return ends === 'none' || (ends === 'crlf') === (document.eol === vscode.EndOfLine.CRLF);
}

/** A document knows one kind of line ends and gives it to whatever is put in, so a text brings its own. */
function lineEndEdit(text: string): vscode.TextEdit[] {
  const ends = lineEndsOf(text);
  if (ends === 'none') return [];
  return [vscode.TextEdit.setEndOfLine(ends === 'crlf' ? vscode.EndOfLine.CRLF : vscode.EndOfLine.LF)];
}
