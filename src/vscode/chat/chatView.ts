import { t } from '@vscode/l10n';
import type * as vscode from 'vscode';
import { drawPage, type ConnectPage } from './chatPage.js';

export const CHAT_VIEW = 'nanobot.chat';

/** The chat view in the side bar. A view that is closed and opened again is a new page. */
export class ChatView implements vscode.WebviewViewProvider {
  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly connect: ConnectPage,
  ) {}

  resolveWebviewView(view: vscode.WebviewView): void {
    drawPage(view, {
      extensionUri: this.extensionUri,
      page: {
        setBadge: (count) => {
          view.badge = count > 0 ? { value: count, tooltip: t('{0} waiting for you', count) } : undefined;
        },
        // The page's own header says it.
        setTitle: () => undefined,
      },
      onVisibility: (changed) => view.onDidChangeVisibility(changed),
      connect: this.connect,
    });
  }
}
