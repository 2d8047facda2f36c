import { t } from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { Workspace } from '../../platform/ports.js';
import { fileBytes, readFileText } from '../../tools/support/text.js';
import { codeOf } from '../../platform/fileErrors.js';
import { editBuffer, openDocument } from '../edits.js';
import { toPath } from '../uris.js';

/** A text that a block can go into. */
export interface TargetText {
  text: string;
  /** Puts another text in its place: saved where nothing was unsaved, else into the editor, where it stays unsaved. */
  write(text: string): Promise<{ saved: boolean }>;
}

/** Whether there is no file but the document: it was never saved, or is a cell of a notebook. */
export function isDocumentOnly({ scheme }: vscode.Uri): boolean {
  return scheme === 'untitled' || scheme === 'vscode-notebook-cell';
}

/** Reads a file, or a document that is none, as the editor has it. A reason in words where that cannot be: gone, a folder, no text. */
export async function targetText(workspace: Workspace, uri: vscode.Uri): Promise<TargetText | { problem: string }> {
  if (isDocumentOnly(uri)) return documentText(uri);
  const path = toPath(uri);
  const label = workspace.label(path);
  const file = await workspace.read(path).catch((error: unknown) => codeOf(error) ?? 'EIO');
  if (file === 'ENOENT') return { problem: t('{0} is not there any more.', label) };
  if (file === 'EISDIR') return { problem: t('{0} is a folder.', label) };
  if (typeof file === 'string') return { problem: t('{0} cannot be read ({1}).', label, file) };
  const found = readFileText(file.bytes);
  if (!found) return { problem: t('{0} is a binary file: there is no text in it to change.', label) };
  return {
    text: found.raw,
    write: async (text) => {
      const { saved } = await workspace.write(path, fileBytes(text, found.format, label));
      return { saved };
    },
  };
}

function documentText(uri: vscode.Uri): TargetText | { problem: string } {
  const document = openDocument(uri);
  if (!document) return { problem: t('{0} is closed.', uri.path) };
  return {
    text: document.getText(),
    write: async (text) => {
      await editBuffer(document, Buffer.from(text));
      return { saved: false };
    },
  };
}
