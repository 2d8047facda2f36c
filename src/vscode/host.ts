import { t } from '@vscode/l10n';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { createApp, type App } from '../app.js';
import { readConfig, type ConfigFile } from '../config/file.js';
import { findHome, type HomePaths } from '../config/home.js';
import { maskKeys } from '../platform/maskSecrets.js';
import { listenForCallback } from '../platform/nodeCallback.js';
import { nodeClock } from '../platform/nodeClock.js';
import { nodeFiles } from '../platform/nodeFiles.js';
import { nodeGitFs } from '../platform/nodeGitFs.js';
import { ignoresCase, nodeIdentity, operatingSystem } from '../platform/nodeIdentity.js';
import { nodePrograms } from '../platform/nodePrograms.js';
import { createNodeSearch, ripgrepInAppRoot } from '../platform/nodeSearch.js';
import { nodeShell } from '../platform/nodeShell.js';
import { nodeWeb } from '../platform/nodeWeb.js';
import { nodeWorkers } from '../platform/nodeWorkers.js';
import { plain } from '../platform/plainText.js';
import { attention } from './attention.js';
import { createChatActions } from './chat/chatActions.js';
import { Chats } from './chat/chats.js';
import { earlyChoicesOf, storageOf } from './chat/chatStorage.js';
import type { ChatListener, ChatPage } from './chat/chatPage.js';
import { createCodeActions } from './code/codeActions.js';
import type { CommandId } from './commandIds.js';
import { createCommands } from './commands.js';
import { editorSources } from './contextSources.js';
import { editorInputs } from './editorInputs.js';
import { editorTools } from './editorTools.js';
import { IntegratedShell } from './integratedShell.js';
import { editorLanguages } from './languages.js';
import { leaveTranscript } from './chat/subagentHandlers.js';
import { lmProvider } from './lmProvider.js';
import { openInBrowser } from './mcpStatus.js';
import { createCronSurfaces, type CronSurfaces } from './cronSurfaces.js';
import type { EarlyCron } from './lazyCron.js';
import { createNativeChat, type NativeChat } from './nativeChat.js';
import { createMemorySurfaces, type EarlySurfaces, type MemorySurfaces } from './memorySurfaces.js';
import { storeModel } from './modelPicker.js';
import { createNativeCommands } from './nativeCommands.js';
import { editorLog, editorNetwork, editorSecrets, editorUi } from './ports.js';
import { readSettings, type EditorSettings } from './settings.js';
import { createSkillSurfaces, type SkillSurfaces } from './skillSurfaces.js';
import type { EarlyReview } from './review/lazyReview.js';
import { createReviewSurfaces, reviewStorage, type ReviewSurfaces } from './review/reviewSurfaces.js';
import { TerminalMirrors } from './terminalMirror.js';
import { toPath } from './uris.js';
import { openUri } from './uriHandler.js';
import { editorWorkspace } from './workspace.js';

/** The agent in this window, behind the surfaces that `extension.ts` registered. */
export interface Host {
  openChat(page: ChatPage): ChatListener;
  run(command: CommandId, args: unknown[]): Promise<void>;
  /** Follows an address that another program opened. */
  openUri(uri: vscode.Uri): Promise<void>;
  memory: Pick<MemorySurfaces, 'tree' | 'documents'>;
  skills: Pick<SkillSurfaces, 'tree'>;
  cron: Pick<CronSurfaces, 'tree'>;
  review: Pick<ReviewSurfaces, 'documents'>;
  native: NativeChat;
  close(): Promise<void>;
}

/** Makes the app with VS Code's ports. Called once a window, at the first use. */
export async function createHost(
  context: vscode.ExtensionContext,
  channel: vscode.LogOutputChannel,
  surfaces: EarlySurfaces & { cron: EarlyCron; review: EarlyReview; openEditor(sessionKey: string): void },
): Promise<Host> {
  const log = editorLog(channel, (text) => maskKeys(text));
  const live = new LiveSettings();
  const paths = findHome({
    setting: live.editor.set.home ?? '',
    env: process.env,
    userHome: homedir(),
  });
  await live.readConfig(paths);
  for (const problem of live.problems()) log.warn(problem);
  const mirrors = new TerminalMirrors(vscode.window);
  const files = nodeFiles();
  const clock = nodeClock(() => live.config.timezone);
  const search = createNodeSearch({ ripgrep: ripgrepInAppRoot(vscode.env.appRoot) });
  const workspace = editorWorkspace(context);
  const shell = nodeShell(process.env);
  const integrated = new IntegratedShell({
    ...{ window: vscode.window, clock, posix: shell.posix(), realPath: (path: string) => workspace.realPath(path) },
    defaultShell: () => vscode.env.shell,
  });
  const languages = editorLanguages();
  const newId = () => randomBytes(8).toString('hex');
  const secrets = editorSecrets(context.secrets);
  const dist = vscode.Uri.joinPath(context.extensionUri, 'dist').fsPath;
  const app = createApp({
    files,
    workspace,
    search,
    shell,
    clock,
    secrets,
    log,
    ui: editorUi((key) => mirrors.mirror(key)),
    processes: nodeIdentity(),
    workers: nodeWorkers(dist),
    web: nodeWeb(editorNetwork()),
    languages,
    terminalShell: integrated,
    programs: nodePrograms(),
    gitFs: nodeGitFs(),
    surroundings: { os: operatingSystem(), shell: shell.name() },
    env: process.env,
    home: paths.home,
    builtInSkills: vscode.Uri.joinPath(context.extensionUri, 'skills').fsPath,
    userHome: homedir(),
    ignoreCase: ignoresCase(),
    configPath: paths.config,
    config: () => live.config,
    settings: () => live.editor.set,
    storeModel,
    grammar: (file) => readFile(join(dist, file)),
    ripgrep: () => search.ripgrep(),
    probeLocal: process.env['NANOBOT_NO_PROBE'] === undefined,
    holder: newId(),
    newId,
    mcpShell: {
      browser: { open: openInBrowser, listen: listenForCallback },
      editorTools: editorTools(),
      inputs: editorInputs(),
    },
    editorSources: editorSources(),
    exportChat: (key, format) => void vscode.commands.executeCommand('nanobot.exportSession', key, format),
    extraProviders: { vscode: lmProvider(context) },
    reviews: reviewStorage(context),
    earlyChoices: earlyChoicesOf(context),
  });
  const review = createReviewSurfaces(surfaces.review, app);
  const code = createCodeActions(workspace);
  const actions = createChatActions({
    ...{ app, files, languages, workspace, search, clock },
    proposals: review.proposals,
    code,
  });
  const chats = new Chats(app, actions, storageOf(context), clock);
  context.subscriptions.push(
    mirrors,
    actions,
    integrated,
    live,
    secrets,
    code,
    attention({ app, show: async (key) => (await chats.show()).open(key) }),
    chats,
    // A key or a setting can change which model answers next, from this window or another.
    context.secrets.onDidChange(() => void chats.modelChanged()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('nanobot')) void chats.modelChanged();
    }),
  );
  const memory = createMemorySurfaces(surfaces, { app, files, showChat: () => chats.show() });
  const skills = createSkillSurfaces({
    ...{ skills: app.skills, home: paths.home, configPath: paths.config, files, workspace, log },
    disabled: () => ({
      bySetting: live.editor.set.disabledSkills ?? [],
      byConfig: live.config.settings.disabledSkills ?? [],
    }),
    showChat: () => chats.show(),
  });
  live.onConfigRead = () => app.skills.changed();
  const cron = createCronSurfaces(surfaces.cron, { app, showChat: () => chats.show() });
  context.subscriptions.push(memory, skills, cron, review);
  const showChat = () => chats.show();
  const showWritable = async () => {
    const chat = await showChat();
    await leaveTranscript(app, chat);
    return chat;
  };
  const own = createCommands({
    app,
    showChat,
    currentChat: () => chats.current(),
    shownChat: () => chats.shownKey(),
    openEditor: surfaces.openEditor,
    proposals: code.proposals,
  });
  const native = createNativeCommands({ app, workspace, showChat: showWritable });
  const commands = { ...own, ...native, ...review.commands, ...memory.commands, ...skills.commands, ...cron.commands };
  app.dream.start();
  const cleaning = clock.after(CLEAN_UP_AFTER_MS, () => void app.cleanUp());
  void offerConfigKeys(app, live, context);
  return {
    openChat: (page) => chats.open(page),
    run: (command, args) => commands[command](args),
    openUri: (uri) => openUri(uri, showWritable),
    memory,
    skills,
    cron,
    review,
    native: createNativeChat(app, { toPath, reveal: async (key) => (await chats.show()).open(key) }),
    close: async () => {
      cleaning.dispose();
      await app.close();
    },
  };
}

const CLEAN_UP_AFTER_MS = 60_000;

/** The settings and config.json of this window, kept current. */
class LiveSettings implements vscode.Disposable {
  editor: EditorSettings = readSettings();
  config: ConfigFile = readConfig('{}');
  /** Called after config.json was read again. */
  onConfigRead: () => void = () => undefined;
  private watcher: { dispose(): void } | undefined;
  private readonly subscription: vscode.Disposable;

  constructor() {
    this.subscription = vscode.workspace.onDidChangeConfiguration((change) => {
      if (!change.affectsConfiguration('nanobot')) return;
      this.editor = readSettings();
      if (change.affectsConfiguration('nanobot.home')) void offerReload();
    });
  }

  async readConfig({ config }: HomePaths): Promise<void> {
    this.config = readConfig(await readFile(config, 'utf8').catch(() => '{}'));
    this.onConfigRead();
    this.watcher ??= nodeFiles().watch(config, () => void this.readConfig({ config, home: '' }));
  }

  problems(): string[] {
    return [...this.editor.problems, ...this.config.problems];
  }

  dispose(): void {
    this.watcher?.dispose();
    this.subscription.dispose();
  }
}

async function offerReload(): Promise<void> {
  const chosen = await vscode.window.showInformationMessage(
    plain(t('Nanobot: the home changed. Reload the window to use it.')),
    t('Reload Window'),
  );
  if (chosen) await vscode.commands.executeCommand('workbench.action.reloadWindow');
}

/** Keys found in config.json are offered to be moved to the key store, once for each file content; never copied silently. */
async function offerConfigKeys(app: App, live: LiveSettings, { globalState }: vscode.ExtensionContext): Promise<void> {
  const names = Object.keys(live.config.keys).sort();
  const asked = globalState.get<string>('nanobot.askedConfigKeys');
  if (names.length === 0 || asked === names.join()) return;
  const question = t(
    "Nanobot: config.json holds keys for {0}. Copy them to the system's key store, so that you can remove them from the file?",
    names.join(', '),
  );
  const copy = t('Copy');
  const chosen = await vscode.window.showInformationMessage(plain(question), copy, t('Leave them'));
  if (chosen === undefined) return;
  await globalState.update('nanobot.askedConfigKeys', names.join());
  if (chosen !== copy) return;
  for (const name of names) await app.setKey(name, live.config.keys[name]);
  void vscode.window.showInformationMessage(
    plain(t('Nanobot: the keys are in the key store. You can now delete them from config.json.')),
  );
}
