import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { plain } from '../platform/plainText.js';
import type { App } from '../app.js';
import type { ChatController } from './chat/chatController.js';
import type { Proposals } from './code/proposals.js';
import { chooseTools } from './chooseTools.js';
import type {
  CommandId,
  CronCommandId,
  MemoryCommandId,
  NativeCommandId,
  ReviewCommandId,
  SkillCommandId,
} from './commandIds.js';
import { diagnose } from './diagnose.js';
import { mcpStatus } from './mcpStatus.js';
import { showUsage } from './usageReport.js';
import { selectModel, setApiKey } from './modelPicker.js';
import { exportSession, importSession } from './sessionFiles.js';
import { plainLabel } from './plainLabel.js';
import { openChat } from './chat/openChat.js';

export interface CommandDeps {
  app: App;
  /** The chat, brought into view. */
  showChat(): Promise<ChatController>;
  /** Changes of code blocks that wait in a diff. */
  proposals: Pick<Proposals, 'apply' | 'discard'>;
  /** The chat that had the focus last, in the view or an editor tab. */
  currentChat(): Promise<ChatController>;
  /** The session of that chat, where one is shown. */
  shownChat(): string | undefined;
  /** Shows a session in an editor tab of its own. */
  openEditor(sessionKey: string): void;
}

type Run = (args: unknown[]) => Promise<void>;

type OwnCommandId = Exclude<
  CommandId,
  NativeCommandId | ReviewCommandId | MemoryCommandId | SkillCommandId | CronCommandId
>;

/** What each command does but those of VS Code's own surfaces, memory, skills and schedules. A command without an entry does not compile. */
export function createCommands(deps: CommandDeps): Record<OwnCommandId, Run> {
  const { app, showChat, currentChat } = deps;
  const openInEditor = async ([key]: unknown[]) => {
    deps.openEditor(typeof key === 'string' ? key : (await currentChat()).sessionKey);
  };
  return {
    openChat: async () => {
      (await showChat()).focus();
    },
    newChat: async () => {
      const chat = await showChat();
      await chat.newChat();
      chat.focus();
    },
    stop: async () => {
      app.loop.stop((await currentChat()).sessionKey);
    },
    openSession: ([key]) => (typeof key === 'string' ? openChat(deps, key) : openSession(deps)),
    openInEditor,
    openInNewWindow: async (args) => {
      await openInEditor(args);
      await vscode.commands.executeCommand('workbench.action.moveEditorToNewWindow');
    },
    exportSession: async ([key, format]) =>
      exportSession(app, typeof key === 'string' ? key : (await currentChat()).sessionKey, format),
    importSession: async ([uri]) => {
      const key = await importSession(app, uri);
      if (key !== undefined) await (await showChat()).open(key);
    },
    selectModel: ([key]) => selectModel(app, typeof key === 'string' ? key : deps.shownChat()),
    setApiKey: () => setApiKey(app),
    usage: () => showUsage(app),
    undoTurn: async ([key, turnId]) => {
      if (typeof key === 'string' && typeof turnId === 'string') await app.changes.undo(key, turnId);
      else await app.changes.undo((await currentChat()).sessionKey);
    },
    diagnose: () => diagnose(app),
    'mcp.status': () => mcpStatus(app),
    keyboardShortcuts: async () => {
      (await showChat()).showKeys();
    },
    'codeBlock.apply': () => deps.proposals.apply(),
    'codeBlock.discard': () => deps.proposals.discard(),
    chooseLanguageModelTools: () => chooseTools(app.settings().languageModelTools),
  };
}

async function openSession({ app, showChat }: CommandDeps): Promise<void> {
  const rows = await app.listSessions('');
  if (rows.length === 0) {
    void vscode.window.showInformationMessage(plain(t('Nanobot: there are no chats yet.')));
    return;
  }
  const items = rows.map((row) => ({
    label: plainLabel(row.title),
    description: new Date(row.updatedAt).toLocaleString(),
    detail: `${t('{0} messages', row.messages)}${row.busy ? ` · ${t('open in another window')}` : ''}`,
    key: row.key,
  }));
  const picked = await vscode.window.showQuickPick(items, { placeHolder: t('Open a chat'), matchOnDetail: true });
  if (picked) await (await showChat()).open(picked.key);
}
