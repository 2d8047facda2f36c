import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { App } from '../app.js';

/** A report on what works and what to do where something does not, as a Markdown document. No key appears in it. */
export async function diagnose(app: App): Promise<void> {
  const lines = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: t('Nanobot: looking around…') },
    () => app.diagnose(),
  );
  const rows = lines.map(
    ({ what, ok, detail }) =>
      `| ${ok ? '✓' : '✗'} | ${what} | ${detail.replaceAll('|', '\\|').replaceAll('\n', ' ')} |`,
  );
  const content = [
    `# ${t('Nanobot: diagnosis')}`,
    '',
    t(
      'VS Code {0} on {1}, extension host {2}',
      vscode.version,
      `${process.platform}-${process.arch}`,
      vscode.env.remoteName ?? t('local'),
    ),
    '',
    `| | ${t({ message: 'what', comment: 'column of the diagnosis' })} | ${t({ message: 'found', comment: 'column of the diagnosis' })} |`,
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  await vscode.window.showTextDocument(document);
}
