import type * as vscode from 'vscode';
import { RunningTurns } from '../agent/runningTurns.js';
import type { Disposable, Files } from '../platform/ports.js';
import type { ChatController } from './chat/chatController.js';
import type { MemoryCommandId } from './commandIds.js';
import { HistoryTree } from './historyTree.js';
import type { MemoryApp } from './memoryApp.js';
import { createMemoryCommands } from './memoryCommands.js';
import { MemoryDocuments } from './memoryDocuments.js';
import { MergeFiles } from './mergeFiles.js';
import type { DreamStatus } from './statusBar.js';

/** The surfaces of memory that stand before the agent is loaded. */
export interface EarlySurfaces {
  historyView: vscode.TreeView<unknown>;
  status: DreamStatus;
}

/** What fills them. */
export interface MemorySurfaces extends Disposable {
  tree: HistoryTree;
  documents: MemoryDocuments;
  commands: Record<MemoryCommandId, (args: unknown[]) => Promise<void>>;
}

/** Fills the surfaces of memory. */
export function createMemorySurfaces(
  { historyView, status }: EarlySurfaces,
  { app, files, showChat }: { app: MemoryApp; files: Files; showChat(): Promise<ChatController> },
): MemorySurfaces {
  const tree = new HistoryTree(app, historyView);
  const documents = new MemoryDocuments(app);
  const merges = new MergeFiles(files);
  const turns = new RunningTurns(app.bus);
  status.follow(app);
  return {
    tree,
    documents,
    commands: createMemoryCommands({ app, tree, view: historyView, documents, merges, turns, files, showChat }),
    dispose: () => {
      tree.dispose();
      merges.dispose();
      turns.dispose();
    },
  };
}
