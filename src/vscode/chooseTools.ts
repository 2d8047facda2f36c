import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { plain } from '../platform/plainText.js';
import { writeSetting } from './settings.js';

/** Lets a person check which tools of other extensions the agent may use. What was chosen and is not there now stays chosen unless it is unchecked. */
export async function chooseTools(chosen: readonly string[]): Promise<void> {
  const tools = vscode.lm.tools.filter(({ name }) => !name.startsWith('nanobot_'));
  const missing = chosen.filter((name) => !tools.some((tool) => tool.name === name));
  const items: vscode.QuickPickItem[] = [
    ...tools.map(({ name, description }) => ({
      label: name,
      detail: description.replaceAll(/\s+/g, ' ').slice(0, 200),
      picked: chosen.includes(name),
    })),
    ...missing.map((name) => ({ label: name, detail: `$(warning) ${t('Not there now')}`, picked: true })),
  ];
  if (items.length === 0) {
    void vscode.window.showInformationMessage(plain(t('Nanobot: no other extension offers a tool at present.')));
    return;
  }
  const picked = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    title: t('Nanobot: Choose Tools of Other Extensions'),
    placeHolder: t('Checked tools can be used by Nanobot; each use is asked'),
    matchOnDetail: true,
  });
  if (picked)
    await writeSetting(
      'languageModelTools',
      picked.map(({ label }) => label),
    );
}
