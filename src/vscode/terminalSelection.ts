import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { plain } from '../platform/plainText.js';
import { terminalQuote } from './askTexts.js';
import { borrowedText } from './borrowedClipboard.js';
import type { ChatController } from './chat/chatController.js';

/**
 * Puts what is selected in the active terminal into the composer. VS Code gives a terminal's selection to the clipboard only: the text that was there is
 * put back, a picture cannot be.
 */
export async function addTerminalSelection(showChat: () => Promise<ChatController>): Promise<void> {
  const terminal = vscode.window.activeTerminal;
  const text = terminal === undefined ? '' : await selectedText();
  if (text.trim() === '') {
    void vscode.window.showInformationMessage(plain(t('Nanobot: select text in a terminal first.')));
    return;
  }
  const chat = await showChat();
  chat.insert(terminalQuote(text, terminal?.name ?? ''));
}

function selectedText(): Promise<string> {
  return borrowedText(vscode.env.clipboard, () =>
    vscode.commands.executeCommand('workbench.action.terminal.copySelection'),
  );
}
