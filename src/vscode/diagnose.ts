import * as vscode from 'vscode';
import type { App } from '../app.js';

/** A report on what works and what to do where something does not, as a Markdown document. No key appears in it. */
export async function diagnose(app: App): Promise<void> {
  const lines = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'Nanobot: looking around…' },
    () => app.diagnose(),
  );
  const rows = lines.map(
    ({ what, ok, detail }) =>
      `| ${ok ? '✓' : '✗'} | ${what} | ${detail.replaceAll('|', '\\|').replaceAll('\n', ' ')} |`,
  );
  const content = [
    '# Nanobot: diagnosis',
    '',
    `VS Code ${vscode.version} on ${process.platform}-${process.arch}, extension host ${vscode.env.remoteName ?? 'local'}`,
    '',
    '| | what | found |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  await vscode.window.showTextDocument(document);
}
