import { t } from '@vscode/l10n';
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
  // Who has only practised so far chooses for all chats; a chat of its own is asked for later.
  const isFirst = now?.practice === true && choice.model === undefined;
  const scope = isFirst ? 'all' : await pickScope(chat, t('Use {0}…', model));
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
  pick.title = titleOf(now, choice);
  pick.placeholder = t('Choose a model');
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

function titleOf(now: ModelInfo | undefined, choice: ModelChoice): string {
  if (!now) return t('Choose a model');
  return choice.model === undefined ? t('Model now: {0}', now.id) : t('Model now: {0} (this chat only)', now.id);
}

/** The profiles that a person wrote down; they are for the chat that is shown. */
function profileItems(app: App, choice: ModelChoice): ModelItem[] {
  const named = Object.entries(app.settings().profiles);
  const hasChoice = Object.keys(choice).length > 0;
  if (named.length === 0 && !hasChoice) return [];
  return [
    separator(t('this chat')),
    ...named.map(([profile, set]) => ({
      label: `${choice.profile === profile ? '$(check) ' : ''}${plainLabel(profile)}`,
      description: profileWords(set),
      profile,
    })),
    ...(hasChoice ? [{ label: `$(discard) ${t('Follow the settings again')}`, act: 'none' as const }] : []),
  ];
}

/** Those of each provider under its name. */
function listedItems(app: App, models: readonly ModelInfo[], now: ModelInfo | undefined): ModelItem[] {
  let provider = '';
  const testButton = { iconPath: new vscode.ThemeIcon('plug'), tooltip: t('Test the connection') };
  return models.flatMap(({ id, label }): ModelItem[] => {
    const own = id.split('/')[0] ?? '';
    const isFirst = own !== provider;
    provider = own;
    const item: ModelItem = {
      label: `${id === now?.id ? '$(check) ' : ''}${plainLabel(label)}`,
      description: modelWords(app.modelFacts(id)),
      detail: id,
      model: id,
      buttons: [testButton],
    };
    return isFirst ? [separator(own), item] : [item];
  });
}

function fixedItems(app: App, now: ModelInfo | undefined): ModelItem[] {
  const { model, thinking } = app.settings();
  const canThink = now !== undefined && app.modelFacts(now.id).thinking;
  return [
    separator(t({ message: 'more', comment: 'heading of further choices' })),
    { label: t('Auto'), description: model === 'auto' && now ? t('auto · now {0}', now.id) : 'auto', model: 'auto' },
    {
      label: t('Practice model'),
      description: t('{0} · offline, for trying things out', 'practice/practice'),
      model: 'practice/practice',
    },
    { label: `$(edit) ${t('Type a model…')}`, description: t('provider/model'), act: 'type' },
    ...(canThink
      ? [
          {
            label: `$(lightbulb) ${t({ message: 'Thinking…', comment: 'to choose how much' })}`,
            description: t('now {0}', now.thinking ?? thinking),
            act: 'think' as const,
          },
        ]
      : []),
    { label: `$(plug) ${t('Test the connection')}`, description: now?.id ?? model, act: 'test' },
    { label: `$(key) ${t('Set an API key…')}`, act: 'key' },
  ];
}

function separator(label: string): ModelItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** For whom a choice is; without a chat it can only be for all. Undefined where the person went away. */
async function pickScope(chat: string | undefined, placeHolder: string): Promise<'all' | 'chat' | undefined> {
  if (chat === undefined) return 'all';
  const scopes: (vscode.QuickPickItem & { scope: 'all' | 'chat' })[] = [
    { label: t('For all chats'), description: t('those with a choice of their own keep it'), scope: 'all' },
    { label: t('For this chat only'), scope: 'chat' },
  ];
  return (await vscode.window.showQuickPick(scopes, { placeHolder }))?.scope;
}

async function selectThinking(app: App, chat: string | undefined, now: ModelInfo | undefined): Promise<void> {
  const efforts = ['auto', ...EFFORTS] as const;
  const items = efforts.map((effort) => ({
    label: effort,
    description: effort === 'auto' ? t('as the model does by itself') : '',
    effort,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: now
      ? t('How much {0} thinks before it answers', now.label)
      : t('How much the model thinks before it answers'),
  });
  if (!picked) return;
  const scope = await pickScope(chat, t('Thinking: {0}…', picked.effort));
  if (scope === undefined) return;
  if (scope === 'all') await writeSetting('thinking', picked.effort);
  if (chat === undefined) return;
  const own = scope === 'chat' && picked.effort !== 'auto' ? picked.effort : undefined;
  await app.chooseModel(chat, { thinking: own });
}

/** Asks a model for a word, and says how long that took, or what went wrong with the steps that lead on. */
async function testConnection(app: App, model: string): Promise<void> {
  const tested = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: plain(t('Asking {0} for a word…', model)) },
    () => app.testModel(model),
  );
  if (!('error' in tested)) {
    void vscode.window.showInformationMessage(plain(t('Nanobot: {0}', connectionWords(tested))));
    return;
  }
  const steps = tested.error.next.filter((step) => STEPS.includes(step));
  const labels = steps.map((step) => nextLabel(step));
  const chosen = await vscode.window.showErrorMessage(plain(t('Nanobot: {0}', tested.error.message)), ...labels);
  const step = steps[labels.indexOf(chosen as (typeof labels)[number])];
  if (step === 'retry') return testConnection(app, model);
  const command = step && stepCommand(step);
  if (command) await vscode.commands.executeCommand(...command);
}

/** What leads on after a test; `retry` tests again. */
const STEPS: readonly NextStep[] = ['retry', 'setKey', 'switchModel', 'openLog', 'openSettings'];

/** A model as one writes it. */
const SUCH_AS = 'openrouter/qwen/qwen3-coder';

async function typeModel(): Promise<string | undefined> {
  const model = await vscode.window.showInputBox({
    prompt: t('The model, as provider/model'),
    placeHolder: SUCH_AS,
    validateInput: (text) =>
      /^[\w.-]+\/\S+$/.test(text.trim())
        ? undefined
        : t('Write provider/model, such as {0}', 'anthropic/claude-opus-4-5'),
  });
  return model?.trim();
}

/** Asks for a provider's key, tries it there, and keeps it in the system's key store. */
export async function setApiKey(app: App): Promise<void> {
  const provider = await vscode.window.showQuickPick(app.keyProviders(), { placeHolder: t('Whose key?') });
  if (!provider) return;
  const key = await vscode.window.showInputBox({
    prompt: t("API key for {0}. It is kept in the system's key store. Empty removes it.", provider),
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined) return;
  if (key.trim() === '') {
    await app.setKey(provider, undefined);
    void vscode.window.showInformationMessage(plain(t('Nanobot: the key for {0} was removed.', provider)));
    return;
  }
  const check = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: t('Trying the key at {0}…', provider) },
    () => app.checkKey(provider, key.trim()),
  );
  if (check.ok) {
    await app.setKey(provider, key.trim());
    void vscode.window.showInformationMessage(plain(t('Nanobot: the key for {0} works and is saved.', provider)));
    return;
  }
  const [again, anyway] = [t('Try another key'), t('Save anyway')];
  const chosen = await vscode.window.showErrorMessage(plain(t('Nanobot: {0}', check.error.message)), again, anyway);
  if (chosen === anyway) await app.setKey(provider, key.trim());
  if (chosen === again) await setApiKey(app);
}

/** Writes the model setting for all windows. */
export async function storeModel(id: string): Promise<void> {
  await writeSetting('model', id);
}
