import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { plain } from '../../platform/plainText.js';
import type { SessionRow } from '../../protocol/wire.js';
import type { ChatController } from './chatController.js';

interface OpenChatDeps {
  app: { listSessions(query: string): Promise<SessionRow[]> };
  showChat(): Promise<ChatController>;
}

/** Opens the chat in which something was said; one that was deleted is said. */
export async function openChat({ app, showChat }: OpenChatDeps, key: string): Promise<void> {
  if (!(await app.listSessions('')).some((row) => row.key === key)) {
    void vscode.window.showInformationMessage(
      plain(t('This chat is not there any more. What was noted of it stays in the history.')),
    );
    return;
  }
  await (await showChat()).open(key);
}
