import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { terminalQuote } from './askTexts.js';
import type { ChatController } from './chat/chatController.js';

/**
 * Puts what is selected in the active terminal into the composer. VS Code gives a terminal's selection to the clipboard only: the text that was there is
 * put back, a picture cannot be.
 */
export async function addTerminalSelection(showChat: () => Promise<ChatController>): Promise<void> {
  const terminal = vscode.window.activeTerminal;
  const text = terminal === undefined ? '' : await selectedText();
  if (text.trim() === '') {
    void vscode.window.showInformationMessage('Nanobot: select text in a terminal first.');
    return;
  }
  const chat = await showChat();
  chat.insert(terminalQuote(text, terminal?.name ?? ''));
}

async function selectedText(): Promise<string> {
  const { clipboard } = vscode.env;
  const kept = await clipboard.readText();
  // Where nothing is selected the clipboard stays as it is, which can only be seen by something that nobody copies.
  const mark = `nanobot-${randomUUID()}`;
  try {
    await clipboard.writeText(mark);
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    const copied = await clipboard.readText();
    return copied === mark ? '' : copied;
  } finally {
    await clipboard.writeText(kept);
  }
}
