import * as vscode from 'vscode';
import type { App } from '../app.js';
import type { Workspace } from '../platform/ports.js';
import type { Attachment } from '../protocol/message.js';
import { attachmentOf } from './chatActions.js';
import type { ChatController } from './chatController.js';
import { chooseTools } from './chooseTools.js';
import type { CommandId, CronCommandId, MemoryCommandId, SkillCommandId } from './commandIds.js';
import { diagnose } from './diagnose.js';
import { mcpStatus } from './mcpStatus.js';
import { selectModel, setApiKey } from './modelPicker.js';
import { openChat } from './openChat.js';

export interface CommandDeps {
  app: App;
  workspace: Workspace;
  /** The chat, brought into view. */
  showChat(): Promise<ChatController>;
}

type Run = (args: unknown[]) => Promise<void>;

type OwnCommandId = Exclude<CommandId, MemoryCommandId | SkillCommandId | CronCommandId>;

/** What each command does but those of memory, skills and schedules. A command without an entry does not compile. */
export function createCommands(deps: CommandDeps): Record<OwnCommandId, Run> {
  const { app, showChat } = deps;
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
      app.loop.stop((await showChat()).sessionKey);
    },
    openSession: ([key]) => (typeof key === 'string' ? openChat(deps, key) : openSession(deps)),
    selectModel: () => selectModel(app),
    setApiKey: () => setApiKey(app),
    addSelectionToChat: () => addSelection(deps),
    addFileToChat: (args) => addFiles(deps, args),
    undoTurn: async ([key, turnId]) =>
      typeof key === 'string' && typeof turnId === 'string'
        ? app.loop.undo(key, turnId)
        : app.loop.undo((await showChat()).sessionKey),
    diagnose: () => diagnose(app),
    'mcp.status': () => mcpStatus(app),
    chooseLanguageModelTools: () => chooseTools(app.settings().languageModelTools),
  };
}

async function openSession({ app, showChat }: CommandDeps): Promise<void> {
  const rows = await app.listSessions('');
  if (rows.length === 0) {
    void vscode.window.showInformationMessage('Nanobot: there are no chats yet.');
    return;
  }
  const items = rows.map((row) => ({
    label: row.title,
    description: new Date(row.updatedAt).toLocaleString(),
    detail: `${String(row.messages)} messages${row.busy ? ' · open in another window' : ''}`,
    key: row.key,
  }));
  const picked = await vscode.window.showQuickPick(items, { placeHolder: 'Open a chat', matchOnDetail: true });
  if (picked) await (await showChat()).open(picked.key);
}

async function addSelection({ workspace, showChat }: CommandDeps): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    void vscode.window.showInformationMessage('Nanobot: open a file and select what you want to talk about.');
    return;
  }
  const { selection, document } = editor;
  const attachment: Attachment = attachmentOf(workspace, document.uri);
  // A selection that ends before the first character of a line does not mean that line.
  const last = selection.end.character === 0 && !selection.isSingleLine ? selection.end.line - 1 : selection.end.line;
  const lines = selection.isEmpty ? {} : { startLine: selection.start.line + 1, endLine: last + 1 };
  const chat = await showChat();
  chat.attach([{ ...attachment, ...lines }]);
  chat.focus();
}

async function addFiles({ workspace, showChat }: CommandDeps, args: unknown[]): Promise<void> {
  const [one, several] = args;
  const uris = Array.isArray(several) ? several : one ? [one] : [];
  const files = uris.filter((uri): uri is vscode.Uri => uri instanceof vscode.Uri);
  const active = vscode.window.activeTextEditor?.document.uri;
  if (files.length === 0 && active) files.push(active);
  if (files.length === 0) {
    void vscode.window.showInformationMessage('Nanobot: open a file, or choose one in the explorer.');
    return;
  }
  const chat = await showChat();
  chat.attach(files.map((uri) => attachmentOf(workspace, uri)));
  chat.focus();
}
