import * as vscode from 'vscode';
import { laidOutAtOnce, LazyTree } from './lazyTree.js';
import type { SkillsTree } from './skillsTree.js';

/** The view of what skills there are. */
export const SKILLS_VIEW = 'nanobot.skills';

/** Registers the Skills view. Its rows come from the agent, which `load` fetches when the view is first looked at; nothing is read before. */
export function registerSkillsView(
  context: vscode.ExtensionContext,
  load: () => Promise<{ tree: SkillsTree }>,
): vscode.TreeView<unknown> {
  const tree = new LazyTree(async () => (await load()).tree);
  const view = vscode.window.createTreeView(SKILLS_VIEW, { treeDataProvider: tree, showCollapseAll: true });
  context.subscriptions.push(tree, view, laidOutAtOnce(view));
  return view;
}
