import * as vscode from 'vscode';
import type { App } from '../app.js';
import { writeSetting } from './settings.js';

interface ModelItem extends vscode.QuickPickItem {
  model?: string;
  act?: 'key' | 'type';
}

/** Chooses the model for all chats: what the providers with a key offer, VS Code's own, local ones, practice, or one typed by name. */
export async function selectModel(app: App): Promise<void> {
  const pick = vscode.window.createQuickPick<ModelItem>();
  pick.placeholder = 'Choose a model';
  pick.matchOnDescription = true;
  pick.busy = true;
  pick.items = fixedItems(app);
  pick.show();
  void app.listModels().then((models) => {
    const listed = models.map(({ id, label, window }): ModelItem => ({
      label,
      description: `${id} · ${String(Math.round(window / 1000))}k`,
      model: id,
    }));
    pick.items = [...listed, ...fixedItems(app)];
    pick.busy = false;
  });
  const chosen = await new Promise<ModelItem | undefined>((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]);
    });
    pick.onDidHide(() => {
      resolve(undefined);
    });
  });
  pick.dispose();
  if (chosen?.act === 'key') await setApiKey(app);
  else if (chosen?.act === 'type') await typeModel(app);
  else if (chosen?.model) await app.setModel(chosen.model);
}

function fixedItems(app: App): ModelItem[] {
  return [
    { label: 'Auto', description: `auto · now ${app.settings().model}`, model: 'auto' },
    {
      label: 'Practice model',
      description: 'practice/practice · offline, for trying things out',
      model: 'practice/practice',
    },
    { label: '$(edit) Type a model…', description: 'provider/model', act: 'type' },
    { label: '$(key) Set an API key…', act: 'key' },
  ];
}

async function typeModel(app: App): Promise<void> {
  const model = await vscode.window.showInputBox({
    prompt: 'The model, as provider/model',
    placeHolder: 'openrouter/qwen/qwen3-coder',
    validateInput: (text) =>
      /^[\w.-]+\/\S+$/.test(text.trim()) ? undefined : 'Write provider/model, such as anthropic/claude-opus-4-5',
  });
  if (model) await app.setModel(model.trim());
}

/** Asks for a provider's key, tries it there, and keeps it in the system's key store. */
export async function setApiKey(app: App): Promise<void> {
  const provider = await vscode.window.showQuickPick(app.keyProviders(), { placeHolder: 'Whose key?' });
  if (!provider) return;
  const key = await vscode.window.showInputBox({
    prompt: `API key for ${provider}. It is kept in the system's key store. Empty removes it.`,
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined) return;
  if (key.trim() === '') {
    await app.setKey(provider, undefined);
    void vscode.window.showInformationMessage(`Nanobot: the key for ${provider} was removed.`);
    return;
  }
  const check = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Trying the key at ${provider}…` },
    () => app.checkKey(provider, key.trim()),
  );
  if (check.ok) {
    await app.setKey(provider, key.trim());
    void vscode.window.showInformationMessage(`Nanobot: the key for ${provider} works and is saved.`);
    return;
  }
  const chosen = await vscode.window.showErrorMessage(
    `Nanobot: ${check.error.message}`,
    'Try another key',
    'Save anyway',
  );
  if (chosen === 'Save anyway') await app.setKey(provider, key.trim());
  if (chosen === 'Try another key') await setApiKey(app);
}

/** Writes the model setting for all windows. */
export async function storeModel(id: string): Promise<void> {
  await writeSetting('model', id);
}
