import * as vscode from 'vscode';
import type { SkillCommandId } from './commandIds.js';
import { createSkillCommands, type SkillDeps } from './skillCommands.js';
import { SkillDiagnostics } from './skillDiagnostics.js';
import { SkillsTree } from './skillsTree.js';

/** What fills the Skills view, and its commands. */
export interface SkillSurfaces extends vscode.Disposable {
  tree: SkillsTree;
  commands: Record<SkillCommandId, (args: unknown[]) => Promise<void>>;
}

/** The surfaces of skills. They follow the settings, the folders of the workspace and its trust; files are the loader's to watch. */
export function createSkillSurfaces(deps: SkillDeps): SkillSurfaces {
  const { skills } = deps;
  const tree = new SkillsTree(skills);
  const sourcesChanged = () => void skills.refresh();
  const subscriptions = [
    tree,
    new SkillDiagnostics(skills),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('nanobot.disabledSkills')) skills.changed();
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(sourcesChanged),
    vscode.workspace.onDidGrantWorkspaceTrust(sourcesChanged),
  ];
  return {
    tree,
    commands: createSkillCommands(deps),
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}
