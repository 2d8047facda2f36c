import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { plain } from '../platform/plainText.js';
import type { Workspace } from '../platform/ports.js';
import { fixText, quoted, type Problem } from './askTexts.js';
import { attachmentOf } from './chat/attachmentOf.js';
import type { ChatController } from './chat/chatController.js';
import { labelOf } from './pieces.js';
import type { ProblemsMeant } from './quickFix.js';
import { isPersonsFile } from './personsFile.js';

export interface FixDeps {
  workspace: Workspace;
  showChat(): Promise<ChatController>;
}

/** For the model. */
const SEVERITIES = ['error', 'warning', 'info', 'hint'];

/** Lines around a problem of a document that is no file: all the model will see of it. */
const AROUND = 20;

/**
 * Sends a message that asks to fix problems: those a Quick Fix names, else those at the cursor, else the one a person picks of the file's. Where edits are
 * refused (Restricted Mode) it asks to explain them.
 */
export async function fixProblem({ workspace, showChat }: FixDeps, [given]: unknown[]): Promise<void> {
  const meant = isMeant(given) ? given : await problemsMeant();
  if (!meant || meant.diagnostics.length === 0) return;
  const document = await vscode.workspace.openTextDocument(meant.uri);
  const problems = meant.diagnostics.map((diagnostic) => problemOf(workspace, diagnostic));
  const words = fixText(labelOf(workspace, document), problems, { canEdit: vscode.workspace.isTrusted });
  const first = Math.min(...meant.diagnostics.map(({ range }) => range.start.line));
  const last = Math.max(...meant.diagnostics.map(({ range }) => range.end.line));
  const chat = await showChat();
  if (isPersonsFile(meant.uri)) {
    chat.say(words, [{ ...attachmentOf(workspace, meant.uri), startLine: first + 1, endLine: last + 1 }]);
  } else {
    const text = document.getText(new vscode.Range(Math.max(0, first - AROUND), 0, last + AROUND + 1, 0));
    chat.say(`${words}\n\n${quoted(text, document.languageId)}`, []);
  }
}

function isMeant(given: unknown): given is ProblemsMeant {
  if (typeof given !== 'object' || given === null || !('uri' in given) || !('diagnostics' in given)) return false;
  return given.uri instanceof vscode.Uri && Array.isArray(given.diagnostics);
}

async function problemsMeant(): Promise<ProblemsMeant | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    void vscode.window.showInformationMessage(plain(t('Nanobot: open the file with the problem first.')));
    return undefined;
  }
  const { uri } = editor.document;
  const all = vscode.languages.getDiagnostics(uri);
  if (all.length === 0) {
    void vscode.window.showInformationMessage(plain(t('Nanobot: the editor knows no problems of this file.')));
    return undefined;
  }
  const here = all.filter(({ range }) => range.intersection(editor.selection) !== undefined);
  if (here.length > 0) return { uri, diagnostics: here };
  const picked = await pick(all);
  return picked && { uri, diagnostics: picked };
}

async function pick(all: readonly vscode.Diagnostic[]): Promise<readonly vscode.Diagnostic[] | undefined> {
  const sorted = [...all].sort((a, b) => a.severity - b.severity || a.range.start.line - b.range.start.line);
  const items = sorted.map((one) => ({
    label: one.message.replace(/\s+/g, ' '),
    description: `${t('line {0}', one.range.start.line + 1)} · ${severityWords(one.severity)}`,
    diagnostics: [one] as readonly vscode.Diagnostic[],
  }));
  const every = { label: t('All {0} problems', all.length), description: t('of this file'), diagnostics: sorted };
  const options = { placeHolder: t('Which problem?'), matchOnDescription: true };
  return (await vscode.window.showQuickPick(all.length > 1 ? [...items, every] : items, options))?.diagnostics;
}

function severityWords(severity: vscode.DiagnosticSeverity): string {
  return [t('error'), t('warning'), t('info'), t('hint')][severity] ?? t('error');
}

function problemOf(workspace: Workspace, diagnostic: vscode.Diagnostic): Problem {
  const { range, message, severity, source, code, relatedInformation = [] } = diagnostic;
  const id = typeof code === 'object' ? code.value : code;
  return {
    line: range.start.line + 1,
    message,
    origin: [source, id === undefined ? undefined : `(${String(id)})`].filter((part) => part !== undefined).join(''),
    severity: SEVERITIES[severity] ?? 'error',
    related: relatedInformation.map(({ location, message: words }) => ({
      place: `${attachmentOf(workspace, location.uri).label}:${String(location.range.start.line + 1)}`,
      message: words,
    })),
  };
}
