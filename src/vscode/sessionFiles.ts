import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { App } from '../app.js';
import { plain } from '../platform/plainText.js';
import { reasonOf } from '../platform/reason.js';

type Format = 'md' | 'json' | 'jsonl';

/** Problems of a file that are named; of more there is the number. */
const NAMED = 3;

function formats(): (vscode.QuickPickItem & { format: Format })[] {
  return [
    { label: t('Markdown'), description: t('to read: what was said, tool calls folded away'), format: 'md' },
    { label: t('JSON'), description: t('everything that is stored; can be imported again'), format: 'json' },
    { label: t('JSON Lines'), description: t('the file as it is stored'), format: 'jsonl' },
  ];
}

const FILTERS: Record<Format, Record<string, string[]>> = {
  md: { Markdown: ['md'] },
  json: { JSON: ['json'] },
  jsonl: { 'JSON Lines': ['jsonl'] },
};

/** Saves a session where the person says, in the form they choose. What goes wrong is said. */
export async function exportSession(app: App, key: string, format: unknown): Promise<void> {
  const known = formats().find((each) => each.format === format);
  const chosen = known ?? (await vscode.window.showQuickPick(formats(), { placeHolder: t('Export this chat as…') }));
  if (!chosen) return;
  try {
    const { content, fileName } = await app.exportSession(key, chosen.format);
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const target = await vscode.window.showSaveDialog({
      title: t('Export chat'),
      saveLabel: t('Export'),
      filters: FILTERS[chosen.format],
      ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, fileName) } : {}),
    });
    if (!target) return;
    await vscode.workspace.fs.writeFile(target, Buffer.from(content));
    void offerToOpen(target);
  } catch (cause) {
    void vscode.window.showErrorMessage(plain(t('Nanobot: the chat was not exported. {0}', reasonOf(cause))));
  }
}

/** Makes a new session of a file, the one given or one that the person chooses, and resolves with its key. What cannot be read is named, and asked about. */
export async function importSession(app: App, from: unknown): Promise<string | undefined> {
  const uri = from instanceof vscode.Uri ? from : await chooseFile();
  if (!uri) return undefined;
  const fileName = uri.path.split('/').at(-1) ?? uri.path;
  try {
    const read = await app.readImport(await vscode.workspace.fs.readFile(uri), fileName);
    if (read.problems.length > 0 && !(await wantsRest(read.problems, read.messages.length))) return undefined;
    return await app.importSession(read, fileName);
  } catch (cause) {
    void vscode.window.showErrorMessage(plain(t('Nanobot: nothing was imported. {0}', reasonOf(cause))));
    return undefined;
  }
}

async function chooseFile(): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const [uri] =
    (await vscode.window.showOpenDialog({
      title: t('Import chat'),
      openLabel: t('Import'),
      filters: { [t('Chats')]: ['json', 'jsonl'] },
      ...(folder ? { defaultUri: folder } : {}),
    })) ?? [];
  return uri;
}

async function wantsRest(problems: readonly string[], messages: number): Promise<boolean> {
  const named = problems.slice(0, NAMED).join('\n');
  const more = problems.length > NAMED ? `\n${t('… and {0} more.', problems.length - NAMED)}` : '';
  const rest = messages === 1 ? t('Import the Other 1 Message') : t('Import the Other {0} Messages', messages);
  const chosen = await vscode.window.showWarningMessage(
    t('Nanobot: a part of this file cannot be read.'),
    { modal: true, detail: `${named}${more}\n\n${t('The file itself stays as it is.')}` },
    rest,
  );
  return chosen === rest;
}

async function offerToOpen(uri: vscode.Uri): Promise<void> {
  const name = uri.path.split('/').at(-1) ?? uri.path;
  const chosen = await vscode.window.showInformationMessage(
    plain(t('Nanobot: the chat was exported to {0}.', name)),
    t('Open'),
  );
  if (chosen) await vscode.commands.executeCommand('vscode.open', uri);
}
