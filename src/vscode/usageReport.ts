import * as vscode from 'vscode';
import type { App } from '../app.js';
import { usageMarkdown } from './usageWords.js';

/** Shows what the last seven days used, by day and source, as a page of VS Code's own Markdown preview: a chart of text and a table. */
export async function showUsage(app: App): Promise<void> {
  const content = usageMarkdown(await app.usage.week());
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  await vscode.commands.executeCommand('markdown.showPreview', document.uri);
}
