import { config } from '@vscode/l10n';
import * as vscode from 'vscode';
import { openChatEditor, registerChatEditors } from './vscode/chat/chatEditor.js';
import type { ChatPage } from './vscode/chat/chatPage.js';
import { CHAT_VIEW, ChatView } from './vscode/chat/chatView.js';
import { COMMAND_IDS } from './vscode/commandIds.js';
import type { Host } from './vscode/host.js';
import { registerCronSurfaces } from './vscode/lazyCron.js';
import { registerMemorySurfaces } from './vscode/lazyMemory.js';
import { registerMemoryTools } from './vscode/lmTools.js';
import { registerParticipant } from './vscode/participant.js';
import { registerQuickFixes } from './vscode/quickFix.js';
import { registerReview } from './vscode/review/lazyReview.js';
import { registerSkillsView } from './vscode/skillsView.js';

let host: Promise<Host> | undefined;

/**
 * Registers the surfaces and hands them a lazy host. Nothing of the agent is loaded here: its chunk comes when a view is opened, a command needs
 * it, there is something for Dream to read, or a schedule is due.
 */
export function activate(context: vscode.ExtensionContext): void {
  if (vscode.l10n.bundle) config({ contents: vscode.l10n.bundle });
  const log = vscode.window.createOutputChannel('Nanobot', { log: true });
  const load = (): Promise<Host> =>
    (host ??= import('./vscode/host.js').then((chunk) => chunk.createHost(context, log, surfaces)));
  const { extensionUri } = context;
  const connect = async (page: ChatPage) => (await load()).openChat(page);
  const view = new ChatView(extensionUri, connect);
  const surfaces = {
    ...registerMemorySurfaces(context, async () => (await load()).memory),
    openEditor: (sessionKey: string) => {
      openChatEditor(extensionUri, connect, sessionKey);
    },
    cron: registerCronSurfaces(context, async () => (await load()).cron),
    review: registerReview(context, async () => (await load()).review),
  };
  registerSkillsView(context, async () => (await load()).skills);
  registerParticipant(context, async () => (await load()).native.answer);
  registerMemoryTools(context, async () => (await load()).native.otherAgents);
  context.subscriptions.push(
    log,
    vscode.window.registerWebviewViewProvider(CHAT_VIEW, view, { webviewOptions: { retainContextWhenHidden: true } }),
    registerChatEditors(extensionUri, connect),
    ...COMMAND_IDS.map((id) =>
      vscode.commands.registerCommand(`nanobot.${id}`, async (...args: unknown[]) => (await load()).run(id, args)),
    ),
    registerQuickFixes(),
    vscode.window.registerUriHandler({ handleUri: async (uri) => (await load()).openUri(uri) }),
    vscode.commands.registerCommand('nanobot.openLog', () => {
      log.show();
    }),
  );
}

/** Ends running turns and stores what they have; VS Code waits a few seconds for it. */
export async function deactivate(): Promise<void> {
  await (await host)?.close();
}
