import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { findHome } from '../config/home.js';
import { laidOutAtOnce, LazyTree } from './lazyTree.js';
import { HISTORY_SCHEME, HISTORY_VIEW, MEMORY_SCHEME } from './memoryIds.js';
import type { EarlySurfaces, MemorySurfaces } from './memorySurfaces.js';
import { DreamStatus } from './statusBar.js';

/**
 * Registers the surfaces of memory. What they show comes from the agent, which `load` fetches when one of them is looked at; until then the status bar
 * shows what the files of the home say. Nothing is read before this returns.
 */
export function registerMemorySurfaces(
  context: vscode.ExtensionContext,
  load: () => Promise<Pick<MemorySurfaces, 'tree' | 'documents'>>,
): EarlySurfaces {
  const tree = new LazyTree(async () => (await load()).tree);
  const historyView = vscode.window.createTreeView(HISTORY_VIEW, { treeDataProvider: tree, showCollapseAll: true });
  const status = new DreamStatus(load);
  const documents: vscode.TextDocumentContentProvider = {
    provideTextDocumentContent: async (uri) => (await load()).documents.provideTextDocumentContent(uri),
  };
  context.subscriptions.push(
    tree,
    historyView,
    laidOutAtOnce(historyView),
    status,
    vscode.workspace.registerTextDocumentContentProvider(HISTORY_SCHEME, documents),
    vscode.workspace.registerTextDocumentContentProvider(MEMORY_SCHEME, documents),
  );
  void status.glance(homeOf());
  return { historyView, status };
}

/** The same home as the agent's; a setting of a repository does not count. */
export function homeOf(): string {
  const setting = vscode.workspace.getConfiguration('nanobot').inspect<string>('home')?.globalValue;
  return findHome({ setting, env: process.env, userHome: homedir() }).home;
}
