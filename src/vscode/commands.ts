import * as vscode from 'vscode';
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
import { selectModel, setApiKey } from './modelPicker.js';
import { openChat } from './chat/openChat.js';

export interface CommandDeps {
  app: App;
  /** The chat, brought into view. */
  showChat(): Promise<ChatController>;
  /** Changes of code blocks that wait in a diff. */
  proposals: Pick<Proposals, 'apply' | 'discard'>;
}

type Run = (args: unknown[]) => Promise<void>;

type OwnCommandId = Exclude<
  CommandId,
  NativeCommandId | ReviewCommandId | MemoryCommandId | SkillCommandId | CronCommandId
>;

/** What each command does but those of VS Code's own surfaces, memory, skills and schedules. A command without an entry does not compile. */
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
    undoTurn: async ([key, turnId]) => {
      if (typeof key === 'string' && typeof turnId === 'string') await app.changes.undo(key, turnId);
      else await app.changes.undo((await showChat()).sessionKey);
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
