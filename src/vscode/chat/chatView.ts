import * as vscode from 'vscode';
import { reasonOf } from '../../platform/reason.js';
import { earlyComposer } from './earlyComposer.js';

export const CHAT_VIEW = 'nanobot.chat';

/** Milliseconds between the page and loading the agent. */
const PAGE_UNDER_WAY_MS = 5;

/** The page's other end: gets what the page posts, posts to it, knows whether it is seen. */
export interface ChatPage {
  post(message: unknown): void;
  visible(): boolean;
  setBadge(count: number): void;
}

/** What takes the page's messages, once it is loaded. */
export interface ChatListener {
  receive(message: unknown): void;
  visibilityChanged(): void;
  closed(): void;
}

/**
 * The chat view. The page is drawn at once; what it posts while the agent's chunk still loads is kept and handed over in order. `connect` is called
 * once for each page: a view that is closed and opened again is a new page.
 */
export class ChatView implements vscode.WebviewViewProvider {
  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly connect: (page: ChatPage) => Promise<ChatListener>,
  ) {}

  resolveWebviewView(view: vscode.WebviewView): void {
    const { webview } = view;
    webview.options = {
      enableScripts: true,
      localResourceRoots: [
        vscode.Uri.joinPath(this.extensionUri, 'dist'),
        vscode.Uri.joinPath(this.extensionUri, 'media'),
      ],
    };
    const listener = pageUnderWay().then(() =>
      this.connect({
        post: (message) => void webview.postMessage(message),
        visible: () => view.visible,
        setBadge: (count) => {
          view.badge = count > 0 ? { value: count, tooltip: `${String(count)} waiting for you` } : undefined;
        },
      }),
    );
    const tell = (act: (target: ChatListener) => void) => void listener.then(act, showFailure);
    const subscriptions = [
      webview.onDidReceiveMessage((message: unknown) => {
        tell((target) => {
          target.receive(message);
        });
      }),
      view.onDidChangeVisibility(() => {
        tell((target) => {
          target.visibilityChanged();
        });
      }),
    ];
    view.onDidDispose(() => {
      for (const subscription of subscriptions) subscription.dispose();
      tell((target) => {
        target.closed();
      });
    });
    webview.html = page(webview, this.extensionUri);
  }
}

/**
 * Resolves when VS Code has written what was just set to its connection, which it does a turn of the event loop later: loading the agent keeps the
 * thread busy, and the page would wait for it.
 */
function pageUnderWay(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAGE_UNDER_WAY_MS));
}

/** The agent itself could not be loaded or started: said once, where it is seen. */
function showFailure(cause: unknown): void {
  const reason = reasonOf(cause);
  void vscode.window
    .showErrorMessage(`Nanobot could not start: ${reason}`, 'Reload Window', 'Open Log')
    .then((chosen) => {
      if (chosen === 'Reload Window') void vscode.commands.executeCommand('workbench.action.reloadWindow');
      if (chosen === 'Open Log') void vscode.commands.executeCommand('nanobot.openLog');
    });
}

/** Nothing but our own script with this nonce runs, nothing is fetched from anywhere else. */
function page(webview: vscode.Webview, extensionUri: vscode.Uri): string {
  const nonce = crypto.randomUUID().replaceAll('-', '');
  const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'dist', name)).toString();
  const source = webview.cspSource;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' ${source}`,
    `style-src ${source}`,
    `font-src ${source}`,
    `img-src ${source} data:`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<link rel="stylesheet" href="${file('webview.css')}">
<title>Nanobot</title>
</head>
<body>
${earlyComposer(nonce)}
<script nonce="${nonce}" src="${file('webview.js')}"></script>
</body>
</html>`;
}
