import * as vscode from 'vscode';
import type { SkillsLoader } from '../skills/loader.js';
import type { Skill } from '../skills/skill.js';

/** Shows what is wrong with skills among VS Code's problems, from the first time that skills are asked for. */
export class SkillDiagnostics implements vscode.Disposable {
  private readonly collection = vscode.languages.createDiagnosticCollection('nanobot-skills');
  private readonly subscription: { dispose(): void };

  constructor(private readonly skills: Pick<SkillsLoader, 'list' | 'onChange'>) {
    this.subscription = skills.onChange(() => this.show());
    this.show();
  }

  dispose(): void {
    this.subscription.dispose();
    this.collection.dispose();
  }

  private show(): void {
    const shown = this.skills.list().filter((skill) => !skill.disabled && skill.problems.length > 0);
    this.collection.clear();
    for (const skill of shown) this.collection.set(vscode.Uri.file(skill.path), diagnosticsOf(skill));
  }
}

function diagnosticsOf(skill: Skill): vscode.Diagnostic[] {
  return skill.problems.map(({ line, message, severity }) => {
    const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
    const range = new vscode.Range(line - 1, 0, line - 1, 1_000);
    const diagnostic = new vscode.Diagnostic(range, message, severity === 'error' ? error : warning);
    diagnostic.source = 'Nanobot skill';
    return diagnostic;
  });
}
