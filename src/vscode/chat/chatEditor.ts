import * as vscode from 'vscode';
import { drawPage, type ConnectPage } from './chatPage.js';

/** The type of the editor tabs that hold a chat. */
export const CHAT_EDITOR = 'nanobot.chatEditor';

const OPTIONS = { retainContextWhenHidden: true };

/** Brings back the chats in editor tabs after the window was loaded anew, each with the session its page noted. */
export function registerChatEditors(extensionUri: vscode.Uri, connect: ConnectPage): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(CHAT_EDITOR, {
    deserializeWebviewPanel: (panel, state: unknown) => {
      draw(panel, { extensionUri, connect, session: sessionOf(state) });
      return Promise.resolve();
    },
  });
}

/** Shows a session in an editor tab of its own. */
export function openChatEditor(extensionUri: vscode.Uri, connect: ConnectPage, session: string): void {
  const panel = vscode.window.createWebviewPanel(CHAT_EDITOR, 'Nanobot', vscode.ViewColumn.Active, OPTIONS);
  draw(panel, { extensionUri, connect, session });
}

function draw(
  panel: vscode.WebviewPanel,
  options: { extensionUri: vscode.Uri; connect: ConnectPage; session: string | undefined },
): void {
  const { extensionUri, connect, session } = options;
  const icon = (name: string) => vscode.Uri.joinPath(extensionUri, 'media', name);
  panel.iconPath = { light: icon('nanobot-light.svg'), dark: icon('nanobot.svg') };
  drawPage(panel, {
    extensionUri,
    page: {
      editor: { session },
      // The badge is the view's.
      setBadge: () => undefined,
      setTitle: (title) => {
        panel.title = title;
      },
    },
    onVisibility: (changed) => panel.onDidChangeViewState(changed),
    connect,
  });
}

/** What a page had put down may be an older version's. */
function sessionOf(state: unknown): string | undefined {
  const { session } = (state ?? {}) as { session?: unknown };
  return typeof session === 'string' && session !== '' ? session : undefined;
}
