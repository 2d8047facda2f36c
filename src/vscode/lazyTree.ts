import * as vscode from 'vscode';

/** Rows of a tree of the agent's, which is loaded when its view is first seen. */
export class LazyTree implements vscode.TreeDataProvider<unknown> {
  readonly onDidChangeTreeData: vscode.Event<unknown>;
  private readonly changed = new vscode.EventEmitter<unknown>();
  private readonly tree: () => Promise<vscode.TreeDataProvider<unknown>>;
  private subscription: vscode.Disposable | undefined;

  constructor(load: () => Promise<vscode.TreeDataProvider<unknown>>) {
    this.onDidChangeTreeData = this.changed.event;
    this.tree = async () => {
      const tree = await load();
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

/** VS Code lays out the rows of a view that was folded before only two seconds later, unless something of the view changes. */
export function laidOutAtOnce(view: vscode.TreeView<unknown>): vscode.Disposable {
  return view.onDidChangeVisibility(({ visible }) => {
    if (visible) view.message = '';
  });
}
