import { t } from '@vscode/l10n';
import { plain } from '../platform/plainText.js';
import { reasonOf } from '../platform/reason.js';
import * as vscode from 'vscode';
import type { App } from '../app.js';
import type { McpStatus } from '../mcp/manager.js';

interface Row extends vscode.QuickPickItem {
  server?: McpStatus;
  settings?: true;
}

/** Minutes a person has to sign in. */
const SIGN_IN_MINUTES = 5;

/** Opens an address in the person's browser. */
export async function openInBrowser(url: string): Promise<void> {
  await vscode.env.openExternal(vscode.Uri.parse(url, true));
}

/** Lists the MCP servers with how they are; a chosen one can be restarted and its log read. */
export async function mcpStatus(app: App): Promise<void> {
  await app.mcp.refresh();
  const servers = app.mcp.status();
  const settings: Row = { label: `$(gear) ${t('Open the setting {0}', 'nanobot.mcpServers')}`, settings: true };
  const placeHolder =
    servers.length === 0
      ? t('There are no MCP servers yet')
      : t('MCP servers: choose one to restart it or read its log');
  const picked = await vscode.window.showQuickPick<Row>([...servers.map(rowOf), settings], {
    placeHolder,
    matchOnDetail: true,
  });
  if (picked?.settings) await vscode.commands.executeCommand('workbench.action.openSettings', 'nanobot.mcpServers');
  if (picked?.server) await actOn(app, picked.server);
}

function rowOf(server: McpStatus): Row {
  const [icon, words] = stateOf(server);
  const names = { settings: t('your settings'), workspace: '.vscode/mcp.json', 'config.json': 'config.json' };
  const source = names[server.source];
  const target = server.target ? `${server.target}  ·  ` : '';
  const withheld = server.withheld ? `  ·  ${t('not given from its envFile: {0}', server.withheld.join(', '))}` : '';
  return {
    label: `$(${icon}) ${server.name}`,
    description: words,
    detail: `${target}${t('from {0}', source)}${withheld}`,
    server,
  };
}

function stateOf({ state, tools }: McpStatus): [icon: string, words: string] {
  switch (state.kind) {
    case 'idle':
      return ['circle-outline', t('starts with the next message')];
    case 'connecting':
      return ['sync', t('connecting…')];
    case 'ready':
      return ['check', tools === 1 ? t('ready, 1 tool') : t('ready, {0} tools', tools)];
    case 'waiting':
      return ['history', t('lost, tried again soon: {0}', state.reason)];
    case 'failed':
      return [state.signIn ? 'key' : 'error', state.reason];
    case 'editor':
      return ['vscode', tools === 1 ? t('run by VS Code, 1 tool') : t('run by VS Code, {0} tools', tools)];
    case 'off':
      return ['circle-slash', state.reason];
  }
}

async function actOn(app: App, server: McpStatus): Promise<void> {
  const restart = { label: `$(debug-restart) ${t('Restart')}`, run: () => restarted(app, server.name) };
  const log = { label: `$(output) ${t('Show its log')}`, run: () => showLog(app, server.name) };
  const signIn = { label: `$(key) ${t('Sign in')}`, run: () => signedIn(app, server.name) };
  const wantsSignIn = server.state.kind === 'failed' && server.state.signIn;
  if (server.state.kind === 'editor') {
    await vscode.commands.executeCommand('workbench.mcp.listServer');
    return;
  }
  const askAgain = { label: `$(question) ${t('Ask for its inputs again')}`, run: () => app.mcp.askAgain(server.name) };
  const asks = server.asks ? [askAgain] : [];
  const actions =
    server.state.kind === 'off' ? [...asks, log] : [...(wantsSignIn ? [signIn] : []), restart, ...asks, log];
  const [, words] = stateOf(server);
  const chosen = await vscode.window.showQuickPick(actions, { placeHolder: `${server.name}: ${words}` });
  await chosen?.run();
}

async function signedIn(app: App, name: string): Promise<void> {
  const title = plain(t('Nanobot: sign in to {0} in your browser…', name));
  try {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (_progress, cancelled) => app.mcp.signIn(name, signalOf(cancelled)),
    );
    await tellState(app, name);
  } catch (cause) {
    const why = reasonOf(cause);
    void vscode.window.showErrorMessage(plain(t('Nanobot: the sign-in to {0} did not work: {1}', name, why)));
  }
}

function signalOf(cancelled: vscode.CancellationToken): AbortSignal {
  const controller = new AbortController();
  cancelled.onCancellationRequested(() => {
    controller.abort(new Error(t('It was cancelled.')));
  });
  return AbortSignal.any([controller.signal, AbortSignal.timeout(SIGN_IN_MINUTES * 60_000)]);
}

async function restarted(app: App, name: string): Promise<void> {
  const title = plain(t('Nanobot: restarting the MCP server {0}…', name));
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
    app.mcp.restart(name),
  );
  await tellState(app, name);
}

async function tellState(app: App, name: string): Promise<void> {
  const server = app.mcp.status().find((row) => row.name === name);
  if (!server) return;
  const [, words] = stateOf(server);
  const text = t('Nanobot: MCP server {0}: {1}', name, words);
  if (server.state.kind === 'ready') void vscode.window.showInformationMessage(plain(text));
  else if ((await vscode.window.showErrorMessage(plain(text), t('Show its log'))) !== undefined)
    await showLog(app, name);
}

async function showLog(app: App, name: string): Promise<void> {
  const log = app.mcp.status().find((row) => row.name === name)?.log ?? '';
  const content = log === '' ? t('The MCP server {0} has said nothing yet.', name) : log;
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'log', content }));
}
