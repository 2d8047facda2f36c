import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { plain } from '../../platform/plainText.js';
import type { Workspace } from '../../platform/ports.js';
import { toUri } from '../uris.js';
import { languageIdOf } from './languageIds.js';
import { isOutside } from './placesInWorkspace.js';

/** Opens a new document with a text in it, which is saved nowhere yet, in the language that stood behind a fence. */
export async function openUntitled(text: string, language: string): Promise<void> {
  const id = languageIdOf(language, await vscode.languages.getLanguages());
  const document = await vscode.workspace.openTextDocument({ language: id, content: text });
  await vscode.window.showTextDocument(document, { preview: false });
}

/** Creates a file with a text in it and opens it. One that is there meanwhile is left as it is, which is said. */
export async function createFile(workspace: Workspace, path: string, text: string): Promise<void> {
  if (!(await mayGoOutside(workspace, path, t('Create')))) return;
  if (await workspace.stat(path)) {
    void vscode.window.showWarningMessage(
      plain(t('Nanobot: {0} is there already; nothing was changed.', workspace.label(path))),
    );
    return;
  }
  await workspace.write(path, Buffer.from(text === '' || text.endsWith('\n') ? text : `${text}\n`));
  await vscode.window.showTextDocument(toUri(path), { preview: false });
}

/** Asks about a path outside of the workspace, which a block and not the person named; true for one inside. */
export async function mayGoOutside(workspace: Workspace, path: string, action: string): Promise<boolean> {
  if (!(await isOutside(workspace, path))) return true;
  const detail = `${t('The block names a file outside of the workspace:')}\n${path}`;
  const chosen = await vscode.window.showWarningMessage(
    t('Is this the file you mean?'),
    { modal: true, detail },
    action,
  );
  return chosen === action;
}
