import * as vscode from 'vscode';
import type { App } from '../app.js';
import { EFFORTS, NO_CHOICE, profileChoice, type ModelChoice } from '../agent/modelChoice.js';
import { stepCommand } from '../channels/stepCommands.js';
import { plain } from '../platform/plainText.js';
import type { ModelInfo } from '../protocol/event.js';
import type { NextStep } from '../protocol/message.js';
import { nextLabel } from '../protocol/nextSteps.js';
import { connectionWords, modelWords, profileWords } from './modelWords.js';
import { plainLabel } from './plainLabel.js';
import { writeSetting } from './settings.js';

interface ModelItem extends vscode.QuickPickItem {
  model?: string;
  act?: 'key' | 'type' | 'test' | 'think' | 'none';
  /** A profile by its name. */
  profile?: string;
}

const TEST_BUTTON: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('plug'),
  tooltip: 'Test the connection',
};

/**
 * Chooses the model, for all chats or for the one with this key: what the providers with a key offer, VS Code's own, local ones, practice, or one typed by
 * name; how much it thinks; and tries whether it answers.
 */
export async function selectModel(app: App, chat: string | undefined): Promise<void> {
  const choice = chat === undefined ? {} : (await app.loop.conversation(chat)).choice;
  const now = await app.currentModel(choice);
  const chosen = await pickModel(app, chat, { choice, now });
  if (chosen?.act === 'key') return setApiKey(app);
  if (chosen?.act === 'test') return testConnection(app, now?.id ?? app.settings().model);
  if (chosen?.act === 'think') return selectThinking(app, chat, now);
  if (chosen?.act === 'none' && chat !== undefined) return app.chooseModel(chat, NO_CHOICE);
  const profile = chosen?.profile === undefined ? undefined : app.settings().profiles[chosen.profile];
  if (profile && chosen?.profile !== undefined && chat !== undefined)
    return app.chooseModel(chat, profileChoice(chosen.profile, profile));
  const model = chosen?.act === 'type' ? await typeModel() : chosen?.model;
  if (model === undefined) return;
  const scope = await pickScope(chat, `Use ${model}`);
  if (scope === 'chat' && chat !== undefined) await app.chooseModel(chat, { model, profile: undefined });
  if (scope !== 'all') return;
  await app.setModel(model);
  if (chat !== undefined && choice.model !== undefined) await app.chooseModel(chat, { model: undefined });
}

async function pickModel(
  app: App,
  chat: string | undefined,
  { choice, now }: { choice: ModelChoice; now: ModelInfo | undefined },
): Promise<ModelItem | undefined> {
  const pick = vscode.window.createQuickPick<ModelItem>();
  pick.title = now ? `Model now: ${now.id}${choice.model === undefined ? '' : ' (this chat only)'}` : 'Choose a model';
  pick.placeholder = 'Choose a model';
  pick.matchOnDescription = true;
  pick.busy = true;
  const profiles = chat === undefined ? [] : profileItems(app, choice);
  pick.items = [...profiles, ...fixedItems(app, now)];
  pick.show();
  void app.listModels().then((models) => {
    pick.items = [...profiles, ...listedItems(app, models, now), ...fixedItems(app, now)];
    pick.busy = false;
  });
  pick.onDidTriggerItemButton(({ item: { model } }) => {
    if (model !== undefined) void testConnection(app, model);
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
  return chosen;
}

/** The profiles that a person wrote down; they are for the chat that is shown. */
function profileItems(app: App, choice: ModelChoice): ModelItem[] {
  const named = Object.entries(app.settings().profiles);
  const hasChoice = Object.keys(choice).length > 0;
  if (named.length === 0 && !hasChoice) return [];
  return [
    separator('this chat'),
    ...named.map(([profile, set]) => ({
      label: `${choice.profile === profile ? '$(check) ' : ''}${plainLabel(profile)}`,
      description: profileWords(set),
      profile,
    })),
    ...(hasChoice ? [{ label: '$(discard) Follow the settings again', act: 'none' as const }] : []),
  ];
}

/** Those of each provider under its name. */
function listedItems(app: App, models: readonly ModelInfo[], now: ModelInfo | undefined): ModelItem[] {
  let provider = '';
  return models.flatMap(({ id, label }): ModelItem[] => {
    const own = id.split('/')[0] ?? '';
    const isFirst = own !== provider;
    provider = own;
    const item: ModelItem = {
      label: `${id === now?.id ? '$(check) ' : ''}${plainLabel(label)}`,
      description: modelWords(app.modelFacts(id)),
      detail: id,
      model: id,
      buttons: [TEST_BUTTON],
    };
    return isFirst ? [separator(own), item] : [item];
  });
}

function fixedItems(app: App, now: ModelInfo | undefined): ModelItem[] {
  const { model, thinking } = app.settings();
  const canThink = now !== undefined && app.modelFacts(now.id).thinking;
  return [
    separator('more'),
    { label: 'Auto', description: `auto · now ${model}`, model: 'auto' },
    {
      label: 'Practice model',
      description: 'practice/practice · offline, for trying things out',
      model: 'practice/practice',
    },
    { label: '$(edit) Type a model…', description: 'provider/model', act: 'type' },
    ...(canThink
      ? [{ label: '$(lightbulb) Thinking…', description: `now ${now.thinking ?? thinking}`, act: 'think' as const }]
      : []),
    { label: '$(plug) Test the connection', description: now?.id ?? model, act: 'test' },
    { label: '$(key) Set an API key…', act: 'key' },
  ];
}

function separator(label: string): ModelItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** For whom a choice is; without a chat it can only be for all. Undefined where the person went away. */
async function pickScope(chat: string | undefined, what: string): Promise<'all' | 'chat' | undefined> {
  if (chat === undefined) return 'all';
  const scopes: (vscode.QuickPickItem & { scope: 'all' | 'chat' })[] = [
    { label: 'For all chats', description: 'those with a choice of their own keep it', scope: 'all' },
    { label: 'For this chat only', scope: 'chat' },
  ];
  return (await vscode.window.showQuickPick(scopes, { placeHolder: `${what}…` }))?.scope;
}

async function selectThinking(app: App, chat: string | undefined, now: ModelInfo | undefined): Promise<void> {
  const efforts = ['auto', ...EFFORTS] as const;
  const items = efforts.map((effort) => ({
    label: effort,
    description: effort === 'auto' ? 'as the model does by itself' : '',
    effort,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: `How much ${now?.label ?? 'the model'} thinks before it answers`,
  });
  if (!picked) return;
  const scope = await pickScope(chat, `Thinking: ${picked.effort}`);
  if (scope === undefined) return;
  if (scope === 'all') await writeSetting('thinking', picked.effort);
  if (chat === undefined) return;
  const own = scope === 'chat' && picked.effort !== 'auto' ? picked.effort : undefined;
  await app.chooseModel(chat, { thinking: own });
}

/** Asks a model for a word, and says how long that took, or what went wrong with the steps that lead on. */
async function testConnection(app: App, model: string): Promise<void> {
  const tested = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: plain(`Asking ${model} for a word…`) },
    () => app.testModel(model),
  );
  if (!('error' in tested)) {
    void vscode.window.showInformationMessage(plain(`Nanobot: ${connectionWords(tested)}`));
    return;
  }
  const steps = tested.error.next.filter((step) => STEPS.includes(step));
  const labels = steps.map((step) => nextLabel(step));
  const chosen = await vscode.window.showErrorMessage(plain(`Nanobot: ${tested.error.message}`), ...labels);
  const step = steps[labels.indexOf(chosen as (typeof labels)[number])];
  if (step === 'retry') return testConnection(app, model);
  const command = step && stepCommand(step);
  if (command) await vscode.commands.executeCommand(...command);
}

/** What leads on after a test; `retry` tests again. */
const STEPS: readonly NextStep[] = ['retry', 'setKey', 'switchModel', 'openLog', 'openSettings'];

async function typeModel(): Promise<string | undefined> {
  const model = await vscode.window.showInputBox({
    prompt: 'The model, as provider/model',
    placeHolder: 'openrouter/qwen/qwen3-coder',
    validateInput: (text) =>
      /^[\w.-]+\/\S+$/.test(text.trim()) ? undefined : 'Write provider/model, such as anthropic/claude-opus-4-5',
  });
  return model?.trim();
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
    void vscode.window.showInformationMessage(plain(`Nanobot: the key for ${provider} was removed.`));
    return;
  }
  const check = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Trying the key at ${provider}…` },
    () => app.checkKey(provider, key.trim()),
  );
  if (check.ok) {
    await app.setKey(provider, key.trim());
    void vscode.window.showInformationMessage(plain(`Nanobot: the key for ${provider} works and is saved.`));
    return;
  }
  const chosen = await vscode.window.showErrorMessage(
    plain(`Nanobot: ${check.error.message}`),
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
