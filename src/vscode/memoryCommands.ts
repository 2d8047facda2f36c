import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { RunningTurns } from '../agent/runningTurns.js';
import { storageFailure } from '../agent/storageFailure.js';
import type { HistoryEntry } from '../memory/historyEntry.js';
import { plain } from '../platform/plainText.js';
import type { Files } from '../platform/ports.js';
import { nextLabel } from '../protocol/nextSteps.js';
import type { ChatController } from './chat/chatController.js';
import type { MemoryCommandId } from './commandIds.js';
import { dreamLog, dreamRestore, runDream, takeStep } from './dreamCommands.js';
import type { HistoryTree } from './historyTree.js';
import type { HistoryNode } from './historyTreeItems.js';
import { chooseHomeFile } from './homeFiles.js';
import type { MemoryApp } from './memoryApp.js';
import type { MemoryDocuments } from './memoryDocuments.js';
import type { MergeFiles } from './mergeFiles.js';
import { HISTORY_VIEW } from './memoryIds.js';
import { openChat } from './chat/openChat.js';
import { restoreCommit, showChanges } from './restore.js';
import { searchHistory } from './searchHistory.js';
import { told, type Run } from './told.js';

/** What the commands of memory work with. */
export interface MemoryDeps {
  app: MemoryApp;
  tree: HistoryTree;
  view: Pick<vscode.TreeView<unknown>, 'selection'>;
  documents: MemoryDocuments;
  merges: MergeFiles;
  turns: Pick<RunningTurns, 'any'>;
  files: Pick<Files, 'stat' | 'readRange'>;
  /** The chat, brought into view. */
  showChat(): Promise<ChatController>;
}

/** What each command of memory does. What goes wrong is said in words, with the log at hand. */
export function createMemoryCommands(deps: MemoryDeps): Record<MemoryCommandId, Run> {
  const { app, tree } = deps;
  const rowOf = ([given]: unknown[]) => (given ?? deps.view.selection[0]) as HistoryNode | undefined;
  const entryOf = (args: unknown[]) => whenKind(rowOf(args), 'entry')?.entry;
  const commitOf = (args: unknown[]) => whenKind(rowOf(args), 'commit')?.commit;
  const commands: Record<MemoryCommandId, Run> = {
    dream: () => runDream(deps),
    dreamLog: ([sha]) => dreamLog(deps, sha),
    dreamRestore: ([sha]) => dreamRestore(deps, sha),
    openMemory: () => chooseHomeFile(app),
    remember: ([text]) => remember(app, text),
    searchHistory: ([query]) => searchHistory(deps, query),
    'history.filter': () => askForFilter(tree),
    'history.clearFilter': () => tree.setFilter(''),
    'history.openEntry': async (args) => openEntry(deps, entryOf(args)),
    'history.copy': async (args) => copyEntry(entryOf(args)),
    'history.openChat': async (args) => openChatOf(deps, entryOf(args)),
    'history.showMore': async (args) => {
      const row = rowOf(args);
      if (row?.kind === 'more' || row?.kind === 'moreDreams') await tree.showMore(row);
    },
    'history.showChanges': async (args) => {
      const commit = commitOf(args);
      if (commit) await showChanges(deps, commit.sha);
    },
    'history.restore': async (args) => {
      const commit = commitOf(args);
      if (commit) await restoreCommit(deps, commit.sha, { ask: true });
    },
  };
  return told(commands, (cause) => tellFailure(app, cause));
}

function whenKind<K extends HistoryNode['kind']>(row: HistoryNode | undefined, kind: K) {
  return row?.kind === kind ? (row as Extract<HistoryNode, { kind: K }>) : undefined;
}

async function tellFailure(app: MemoryApp, cause: unknown): Promise<void> {
  app.log.error('A command of memory failed.', cause);
  const { message, next } = storageFailure(cause, app.home);
  const chosen = await vscode.window.showErrorMessage(
    plain(t('Nanobot: {0}', message)),
    ...next.map((step) => nextLabel(step)),
  );
  const step = next.find((candidate) => nextLabel(candidate) === chosen);
  if (step) await takeStep(step);
}

/** The text given, else what a person types; what is selected in the editor stands in the box already. */
async function remember(app: MemoryApp, given: unknown): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const selected = editor?.document.getText(editor.selection).replace(/\s+/g, ' ').trim() ?? '';
  const text =
    typeof given === 'string' && given.trim() !== ''
      ? given
      : await vscode.window.showInputBox({
          title: t('Nanobot: Remember'),
          prompt: t(
            'What should Nanobot remember? It goes into today’s notes, which every chat of today reads and Search History finds later.',
          ),
          placeHolder: t('We release on Thursdays'),
          value: selected,
        });
  if (text === undefined || text.trim() === '') return;
  const { path } = await app.remember(text);
  const chosen = await vscode.window.showInformationMessage(
    plain(t('Nanobot: noted for later chats.')),
    t('Open note'),
  );
  if (chosen) await vscode.window.showTextDocument(vscode.Uri.file(path));
}

async function askForFilter(tree: HistoryTree): Promise<void> {
  await vscode.commands.executeCommand(`${HISTORY_VIEW}.focus`);
  const filter = await vscode.window.showInputBox({
    title: t('Nanobot: Filter History'),
    prompt: t('Show only entries with all these words: of their text, date, project or chat. Empty shows all.'),
    placeHolder: t('release 2026-04'),
    value: tree.filter,
  });
  if (filter !== undefined) await tree.setFilter(filter);
}

async function openEntry({ documents }: MemoryDeps, entry: HistoryEntry | undefined): Promise<void> {
  if (entry) await vscode.window.showTextDocument(documents.entry(entry), { preview: true });
}

async function copyEntry(entry: HistoryEntry | undefined): Promise<void> {
  if (!entry) return;
  await vscode.env.clipboard.writeText(entry.content);
  vscode.window.setStatusBarMessage(t('Nanobot: copied'), 2_000);
}

async function openChatOf({ app, showChat }: MemoryDeps, entry: HistoryEntry | undefined): Promise<void> {
  if (entry?.session_key === undefined) return;
  await openChat({ app, showChat }, entry.session_key);
}
