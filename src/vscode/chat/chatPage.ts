import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { plain } from '../../platform/plainText.js';
import { reasonOf } from '../../platform/reason.js';
import { earlyComposer } from './earlyComposer.js';

/** Milliseconds between the page and loading the agent. */
const PAGE_UNDER_WAY_MS = 5;

/** The page's other end: gets what the page posts, posts to it, knows whether it is seen. */
export interface ChatPage {
  post(message: unknown): void;
  visible(): boolean;
  /** Whether it is visible in a window that has the focus. */
  seen(): boolean;
  /** Loads the page anew; it says `ready` then. */
  rebuild(): void;
  /** Says that loading it anew did not help. */
  giveUp(): void;
  setBadge(count: number): void;
  setTitle(title: string): void;
  /** Set where the page is an editor tab: the session it was opened for, or showed before the window was loaded anew. */
  editor?: { session: string | undefined };
}

/** What takes the page's messages, once it is loaded. */
export interface ChatListener {
  receive(message: unknown): void;
  visibilityChanged(): void;
  closed(): void;
}

export type ConnectPage = (page: ChatPage) => Promise<ChatListener>;

/** What a view and an editor tab have in common. */
interface PageHolder {
  readonly webview: vscode.Webview;
  readonly visible: boolean;
  onDidDispose(closed: () => void): vscode.Disposable;
}

/**
 * Draws the chat page in a view or an editor tab, at once; what it posts while the agent's chunk still loads is kept and handed over in order. `connect` is
 * called once.
 */
export function drawPage(
  holder: PageHolder,
  options: {
    extensionUri: vscode.Uri;
    page: Pick<ChatPage, 'setBadge' | 'setTitle' | 'editor'>;
    /** Calls back when it is shown or hidden. */
    onVisibility(changed: () => void): vscode.Disposable;
    connect: ConnectPage;
  },
): void {
  const { webview } = holder;
  const { extensionUri, page, onVisibility, connect } = options;
  webview.options = {
    enableScripts: true,
    localResourceRoots: [vscode.Uri.joinPath(extensionUri, 'dist'), vscode.Uri.joinPath(extensionUri, 'media')],
  };
  const listener = pageUnderWay().then(() =>
    connect({
      ...page,
      post: (message) => void webview.postMessage(message),
      visible: () => holder.visible,
      seen: () => holder.visible && vscode.window.state.focused,
      // Another nonce makes another document, which VS Code loads.
      rebuild: () => {
        webview.html = documentOf(webview, extensionUri);
      },
      giveUp: showDeadPage,
    }),
  );
  const tell = (act: (target: ChatListener) => void) => void listener.then(act, showFailure);
  const subscriptions = [
    webview.onDidReceiveMessage((message: unknown) => {
      tell((target) => {
        target.receive(message);
      });
    }),
    ...[onVisibility, vscode.window.onDidChangeWindowState].map((follow) =>
      follow(() => {
        tell((target) => {
          target.visibilityChanged();
        });
      }),
    ),
  ];
  holder.onDidDispose(() => {
    for (const subscription of subscriptions) subscription.dispose();
    tell((target) => {
      target.closed();
    });
  });
  webview.html = documentOf(webview, extensionUri);
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
  offerReload(t('Nanobot could not start: {0}', reasonOf(cause)));
}

/** The page was loaded anew and still draws nothing. */
function showDeadPage(): void {
  offerReload(t('Nanobot: the chat page does not respond. Your chats are on disk, and what runs goes on.'));
}

function offerReload(words: string): void {
  const [reload, openLog] = [t('Reload Window'), t('Open Log')];
  void vscode.window.showErrorMessage(plain(words), reload, openLog).then((chosen) => {
    if (chosen === reload) void vscode.commands.executeCommand('workbench.action.reloadWindow');
    if (chosen === openLog) void vscode.commands.executeCommand('nanobot.openLog');
  });
}

/** Nothing but our own script with this nonce runs, nothing is fetched from anywhere else. */
function documentOf(webview: vscode.Webview, extensionUri: vscode.Uri): string {
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
<p class="unloaded">${t('The chat did not load. Run “Developer: Reload Window”; if that does not help, “Nanobot: Open Log”.')}</p>
${vscode.l10n.uri ? `<script nonce="${nonce}" src="${file(`texts.${vscode.env.language}.js`)}"></script>` : ''}
<script nonce="${nonce}" src="${file('webview.js')}"></script>
</body>
</html>`;
}
