import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { plain } from '../platform/plainText.js';
import type { ChatController } from './chat/chatController.js';
import { readPromptUri } from './promptUri.js';

/** Characters of the text that the question shows; all of it is in the composer then, to be read before it is sent. */
const MAX_SHOWN = 1_500;

/**
 * Follows an address that another program opened (`vscode://nanobot.nanobot/prompt?text=…`). It shows the text and asks; at most it puts it into the
 * composer, and it never sends.
 */
export async function openUri(uri: vscode.Uri, showChat: () => Promise<ChatController>): Promise<void> {
  const request = readPromptUri(uri.path, uri.query);
  if ('problem' in request) {
    void vscode.window.showWarningMessage(plain(t('Nanobot: {0}', request.problem)));
    return;
  }
  const { text } = request;
  const rest = text.length - MAX_SHOWN;
  const detail = rest > 0 ? `${text.slice(0, MAX_SHOWN)}\n${t('… and {0} more characters', rest)}` : text;
  const question = t('Put this text, which comes from outside VS Code, into the message to Nanobot? Nothing is sent.');
  const chosen = await vscode.window.showInformationMessage(question, { modal: true, detail }, t('Put into Composer'));
  if (chosen === undefined) return;
  const chat = await showChat();
  chat.insert(text);
}
