import * as vscode from 'vscode';
import type { Disposable } from '../platform/ports.js';
import type { SkillsLoader } from '../skills/loader.js';
import { childrenOf, groupsOf, skillTreeItem, type SkillNode } from './skillItems.js';

/** The Skills view: groups, their skills, and below a skill what is wrong with it and what it overrides. The loader keeps it true. */
export class SkillsTree implements vscode.TreeDataProvider<SkillNode> {
  readonly onDidChangeTreeData: vscode.Event<SkillNode | undefined>;
  private readonly changed = new vscode.EventEmitter<SkillNode | undefined>();
  private readonly subscription: Disposable;

  constructor(private readonly skills: Pick<SkillsLoader, 'current' | 'onChange'>) {
    this.onDidChangeTreeData = this.changed.event;
    this.subscription = skills.onChange(() => {
      this.changed.fire(undefined);
    });
  }

  getTreeItem(node: SkillNode): vscode.TreeItem {
    return skillTreeItem(node);
  }

  async getChildren(node?: SkillNode): Promise<SkillNode[]> {
    return node ? childrenOf(node) : groupsOf(await this.skills.current());
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}
