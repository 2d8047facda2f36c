import * as vscode from 'vscode';
import type { Disposable } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';
import type { Present } from './dates.js';
import { DreamList } from './dreamsTree.js';
import { HistoryPages } from './historyPages.js';
import { tooltipOf, treeItem, type HistoryNode } from './historyTreeItems.js';
import type { MemoryApp } from './memoryApp.js';

/** Set while the view shows only what fits a filter. */
const FILTERED = 'nanobot.history.filtered';

/**
 * The History view: days with their entries, where Dream has read to, and the memory's commits. What it shows is read when it is looked at, and
 * again after the files changed.
 */
export class HistoryTree implements vscode.TreeDataProvider<HistoryNode> {
  readonly onDidChangeTreeData: vscode.Event<HistoryNode | undefined>;
  private readonly changed = new vscode.EventEmitter<HistoryNode | undefined>();
  private readonly pages: HistoryPages;
  private readonly dreams: DreamList;
  private readonly subscriptions: Disposable[];

  constructor(
    private readonly app: Pick<MemoryApp, 'history' | 'git' | 'dream' | 'clock' | 'log'>,
    private readonly view: Pick<vscode.TreeView<unknown>, 'description' | 'onDidChangeVisibility'>,
  ) {
    this.onDidChangeTreeData = this.changed.event;
    this.pages = new HistoryPages(app.history, () => this.present());
    this.dreams = new DreamList(app.git);
    const refresh = () => this.refresh();
    this.subscriptions = [
      this.changed,
      app.history.onChange(refresh),
      app.dream.onChange(refresh),
      // Another window may have undone a Dream, and a new day may have begun.
      view.onDidChangeVisibility(({ visible }) => {
        if (visible) refresh();
      }),
    ];
  }

  get filter(): string {
    return this.pages.filter;
  }

  /** Shows only entries with all these words; nothing shows all. */
  async setFilter(filter: string): Promise<void> {
    this.pages.setFilter(filter);
    const words = this.pages.filter;
    this.view.description = words === '' ? '' : `“${words}”`;
    this.changed.fire(undefined);
    await vscode.commands.executeCommand('setContext', FILTERED, words !== '');
  }

  /** Shows more of what the row stands for. */
  async showMore(node: Extract<HistoryNode, { kind: 'more' | 'moreDreams' }>): Promise<void> {
    if (node.kind === 'more') await this.pages.more(node.date);
    else this.dreams.more();
    this.changed.fire(undefined);
  }

  /** What is shown may not be true any more. */
  refresh(): void {
    this.pages.invalidate();
    this.dreams.invalidate();
    this.changed.fire(undefined);
  }

  getTreeItem(node: HistoryNode): vscode.TreeItem {
    return treeItem(node, this.present());
  }

  resolveTreeItem(item: vscode.TreeItem, node: HistoryNode): vscode.TreeItem {
    const tooltip = tooltipOf(node, this.present());
    if (tooltip !== undefined) item.tooltip = tooltip;
    return item;
  }

  /** What cannot be read is a row that says why. */
  async getChildren(node?: HistoryNode): Promise<HistoryNode[]> {
    try {
      if (!node) return await this.roots();
      if (node.kind === 'day') return node.children;
      return node.kind === 'dreams' ? await this.dreams.rows() : [];
    } catch (cause) {
      this.app.log.error('The History view could not be filled.', cause);
      return [{ kind: 'problem', id: 'problem', reason: reasonOf(cause) }];
    }
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** Nothing at all leaves the view to its welcome. With a filter the commits stay away: it is not for them. */
  private async roots(): Promise<HistoryNode[]> {
    const rows = await this.pages.rows();
    if (this.filter !== '') return rows;
    const dreams: HistoryNode = { kind: 'dreams', id: 'dreams' };
    if (rows.length > 0) return [...rows, dreams];
    return (await this.app.git.log(1)).length > 0 ? [dreams] : [];
  }

  private present(): Present {
    return { now: this.app.clock.now(), zone: this.app.clock.zone() };
  }
}
