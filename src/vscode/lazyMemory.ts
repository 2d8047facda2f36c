import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { findHome } from '../config/home.js';
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
  const tree = new LazyTree(load);
  const historyView = vscode.window.createTreeView(HISTORY_VIEW, { treeDataProvider: tree, showCollapseAll: true });
  const status = new DreamStatus(load);
  const documents: vscode.TextDocumentContentProvider = {
    provideTextDocumentContent: async (uri) => (await load()).documents.provideTextDocumentContent(uri),
  };
  context.subscriptions.push(
    tree,
    historyView,
    historyView.onDidChangeVisibility(({ visible }) => {
      // VS Code lays out the rows of a view that was folded before only two seconds later, unless something of the view changes.
      if (visible) historyView.message = '';
    }),
    status,
    vscode.workspace.registerTextDocumentContentProvider(HISTORY_SCHEME, documents),
    vscode.workspace.registerTextDocumentContentProvider(MEMORY_SCHEME, documents),
  );
  void status.glance(homeOf());
  return { historyView, status };
}

/** The same home as the agent's; a setting of a repository does not count. */
function homeOf(): string {
  const setting = vscode.workspace.getConfiguration('nanobot').inspect<string>('home')?.globalValue;
  return findHome({ setting, env: process.env, userHome: homedir() }).home;
}

/** Rows of a tree of the agent's, which is loaded when the view is first seen. */
export class LazyTree implements vscode.TreeDataProvider<unknown> {
  readonly onDidChangeTreeData: vscode.Event<unknown>;
  private readonly changed = new vscode.EventEmitter<unknown>();
  private readonly tree: () => Promise<vscode.TreeDataProvider<unknown>>;
  private subscription: vscode.Disposable | undefined;

  constructor(load: () => Promise<{ tree: unknown }>) {
    this.onDidChangeTreeData = this.changed.event;
    this.tree = async () => {
      const tree = (await load()).tree as vscode.TreeDataProvider<unknown>;
      this.subscription ??= tree.onDidChangeTreeData?.((node) => {
        this.changed.fire(node);
      });
      return tree;
    };
  }

  async getChildren(node?: unknown): Promise<unknown[]> {
    return (await (await this.tree()).getChildren(node)) ?? [];
  }

  async getTreeItem(node: unknown): Promise<vscode.TreeItem> {
    return (await this.tree()).getTreeItem(node);
  }

  async resolveTreeItem(
    item: vscode.TreeItem,
    node: unknown,
    token: vscode.CancellationToken,
  ): Promise<vscode.TreeItem> {
    return (await (await this.tree()).resolveTreeItem?.(item, node, token)) ?? item;
  }

  dispose(): void {
    this.subscription?.dispose();
    this.changed.dispose();
  }
}
