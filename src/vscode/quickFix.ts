import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { isPersonsFile } from './personsFile.js';

/** Problems that each get an action of their own. */
const MAX_SINGLE = 5;
/** Characters of a problem's words in an action's title. */
const MAX_TITLE = 60;

/** What the command is given by a Quick Fix: the file and the problems that are meant. */
export interface ProblemsMeant {
  uri: vscode.Uri;
  diagnostics: readonly vscode.Diagnostic[];
}

/**
 * "Fix with Nanobot" on every problem, in the light bulb and in the hover. It only names the command: nothing of the agent is loaded before one is chosen.
 * In Restricted Mode, where nothing can be edited, it offers to explain.
 */
export const quickFixes: vscode.CodeActionProvider = {
  provideCodeActions({ uri, isUntitled }, _range, { diagnostics }) {
    if (diagnostics.length === 0 || !(isPersonsFile(uri) || isUntitled)) return [];
    const { isTrusted } = vscode.workspace;
    const [only] = diagnostics;
    if (only && diagnostics.length === 1)
      return [action(isTrusted ? t('Fix with Nanobot') : t('Explain with Nanobot'), uri, [only])];
    const titleFor = (message: string) =>
      isTrusted ? t('Fix with Nanobot: {0}', message) : t('Explain with Nanobot: {0}', message);
    const all = isTrusted
      ? t('Fix all {0} problems here with Nanobot', diagnostics.length)
      : t('Explain all {0} problems here with Nanobot', diagnostics.length);
    return [
      ...diagnostics.slice(0, MAX_SINGLE).map((meant) => action(titleFor(shortened(meant.message)), uri, [meant])),
      action(all, uri, diagnostics),
    ];
  },
};

/** Registers it for every language. */
export function registerQuickFixes(): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider('*', quickFixes, {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
  });
}

function action(title: string, uri: vscode.Uri, diagnostics: readonly vscode.Diagnostic[]): vscode.CodeAction {
  const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  const meant: ProblemsMeant = { uri, diagnostics };
  made.diagnostics = [...diagnostics];
  made.command = { command: 'nanobot.fixProblem', title, arguments: [meant] };
  return made;
}

function shortened(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
}
