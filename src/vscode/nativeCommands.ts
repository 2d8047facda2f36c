import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { App } from '../app.js';
import { plain } from '../platform/plainText.js';
import type { Workspace } from '../platform/ports.js';
import { explainText, placeWords, quoted } from './askTexts.js';
import { attachmentOf } from './chat/attachmentOf.js';
import type { ChatController } from './chat/chatController.js';
import type { NativeCommandId } from './commandIds.js';
import { commitMessageCommand } from './commitMessage.js';
import { fixProblem } from './fixProblem.js';
import { pieceAtCursor, selectedPiece, wholeDocument } from './pieces.js';
import { addTerminalSelection } from './terminalSelection.js';
import { tellReason, told, type Run } from './told.js';

export interface NativeDeps {
  app: Pick<App, 'complete' | 'skills' | 'log'>;
  workspace: Workspace;
  /** The chat, brought into view. */
  showChat(): Promise<ChatController>;
}

/** What each command does that begins in VS Code's own surfaces: editors, the explorer, terminals, source control. */
export function createNativeCommands(deps: NativeDeps): Record<NativeCommandId, Run> {
  const commands: Record<NativeCommandId, Run> = {
    addSelectionToChat: () => addSelection(deps),
    addFileToChat: (args) => addFiles(deps, args),
    addTerminalSelectionToChat: () => addTerminalSelection(deps.showChat),
    explainSelection: () => explain(deps),
    fixProblem: (args) => fixProblem(deps, args),
    writeCommitMessage: commitMessageCommand(deps.app),
  };
  return told(commands, (cause) => tellReason(deps.app.log, 'the editor', cause));
}

/** Sends a message that asks to explain what is selected, else the function around the cursor, else the file. */
async function explain({ workspace, showChat }: NativeDeps): Promise<void> {
  const editor = openEditor(t('Nanobot: open a file to have it explained.'));
  if (!editor) return;
  const found = selectedPiece(workspace, editor) ?? (await pieceAtCursor(workspace, editor));
  if (found.text.trim() === '') {
    void vscode.window.showInformationMessage(plain(t('Nanobot: there is nothing to explain, the text is empty.')));
    return;
  }
  const chat = await showChat();
  if (found.attachment) chat.say(explainText(found.piece), [found.attachment]);
  else chat.say(explainText(found.piece, found), []);
}

/** Attaches what is selected, else the file. What is no file stands in the composer as text. */
async function addSelection({ workspace, showChat }: NativeDeps): Promise<void> {
  const editor = openEditor(t('Nanobot: open a file and select what you want to talk about.'));
  if (!editor) return;
  const found = selectedPiece(workspace, editor) ?? wholeDocument(workspace, editor.document);
  const chat = await showChat();
  if (found.attachment) chat.attach([found.attachment]);
  else {
    const from = t('From {0}:', placeWords(found.piece));
    chat.insert(`${from}\n\n${quoted(found.text, found.language)}\n`);
  }
  chat.focus();
}

async function addFiles({ workspace, showChat }: NativeDeps, [one, several]: unknown[]): Promise<void> {
  const uris = Array.isArray(several) && several.length > 0 ? several : one ? [one] : [];
  const files = uris.filter((uri): uri is vscode.Uri => uri instanceof vscode.Uri);
  const active = vscode.window.activeTextEditor?.document.uri;
  if (files.length === 0 && active) files.push(active);
  const saved = files.filter(({ scheme }) => scheme !== 'untitled');
  if (saved.length === 0) {
    const said =
      files.length === 0
        ? t('Nanobot: open a file, or choose one in the explorer.')
        : t('Nanobot: save the file first.');
    void vscode.window.showInformationMessage(plain(said));
    return;
  }
  const chat = await showChat();
  chat.attach(saved.map((uri) => attachmentOf(workspace, uri)));
  chat.focus();
}

function openEditor(otherwise: string): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) void vscode.window.showInformationMessage(plain(otherwise));
  return editor;
}
