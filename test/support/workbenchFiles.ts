import { constants, cpSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { extensionFolderName } from '../../scripts/lib/extension.mjs';

/** Files of a folder: path below it with slashes → content. */
export type Files = Record<string, string>;

/** What a workbench is opened with; everything has a default. */
export interface WorkbenchOptions {
  /** The files of a fresh folder, or the path of an existing folder or `.code-workspace` file. Neither: an empty window. */
  workspace?: Files | string;
  /** Several folders in one workspace: name → files. Takes the place of `workspace`. */
  folders?: Record<string, Files>;
  /** User settings, over those that keep the workbench calm. */
  settings?: Record<string, unknown>;
  /** More environment variables for the server and so for the extension host. */
  env?: Record<string, string>;
  theme?: 'dark' | 'light' | 'hc';
  size?: { width: number; height: number };
  /** The agent's home (NANOBOT_HOME), by default a fresh one. A home that is given is not removed by `close()`. */
  home?: string;
  /** False: Restricted Mode is possible, as on a folder that nobody has trusted yet. */
  trust?: boolean;
  /** The language VS Code is set to. Its own words stay English: the language pack is one without a translation. */
  locale?: string;
  /** More extensions beside ours: folder name (`publisher.name-version`) → files. */
  extensions?: Record<string, Files>;
}

/** The folders and files of one workbench, all below `temp` except what the options brought. */
export interface WorkbenchFiles {
  temp: string;
  userDataDir: string;
  extensionsDir: string;
  config: string;
  home: string;
  workspacePath: string | undefined;
  env: Record<string, string>;
}

const themes = { dark: 'Dark Modern', light: 'Light Modern', hc: 'Default High Contrast' };

/** What passes from this process to the server. Nothing else does: a test must not depend on a person's keys. */
const inheritedVariables = ['PATH', 'LANG', 'LC_ALL', 'SHELL', 'USER', 'LOGNAME', 'TZ', 'SystemRoot'];

/** Makes the folders of one workbench: user data, extensions, home and workspace, with nothing of the person's own. */
export function makeWorkbenchFiles(options: WorkbenchOptions, extension: string): WorkbenchFiles {
  // The real path, since VS Code shows and compares real paths and the temporary folder can be a link.
  const temp = realpathSync(mkdtempSync(join(temporaryFolder(), 'nanobot-workbench-')));
  const home = options.home ?? join(temp, 'nanobot', 'workspace');
  const config = join(temp, 'code-server.yaml');
  writeFileSync(config, 'auth: none\n');
  const userDataDir = join(temp, 'user');
  writeSettings(userDataDir, settingsOf(options));
  if (options.locale) writeLanguagePack(userDataDir, options.locale);
  const extensionsDir = join(temp, 'extensions');
  cpSync(extension, join(extensionsDir, extensionFolderName(extension)), {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
  });
  for (const [name, more] of Object.entries(options.extensions ?? {})) writeFiles(join(extensionsDir, name), more);
  const own = { HOME: join(temp, 'person'), TMPDIR: join(temp, 'tmp') };
  for (const folder of Object.values(own)) mkdirSync(folder);
  const nanobot = { NANOBOT_HOME: home, NANOBOT_CONFIG: configOf(home), NANOBOT_NO_PROBE: '1' };
  const env = { ...inherited(), ...own, ...nanobot, ...options.env };
  return { temp, userDataDir, extensionsDir, config, home, workspacePath: makeWorkspace(options, temp), env };
}

/** Writes files below a folder and makes the folders they need. */
export function writeFiles(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/**
 * `nanobot.home` belongs to a machine: of such settings VS Code takes only what stands in those of the machine that the extension host runs on, and
 * code-server's is always another one than the window's. All others are the person's own.
 */
function writeSettings(userDataDir: string, settings: Record<string, unknown>): void {
  const isOfMachine = ([name]: [string, unknown]) => name === 'nanobot.home';
  const all = Object.entries(settings);
  writeFiles(userDataDir, {
    'User/settings.json': JSON.stringify(Object.fromEntries(all.filter((entry) => !isOfMachine(entry)))),
    'Machine/settings.json': JSON.stringify(Object.fromEntries(all.filter(isOfMachine))),
  });
}

/** What VS Code notes of a language pack when one is installed; it reads the words of the workbench from the file that is named there. */
function writeLanguagePack(userDataDir: string, locale: string): void {
  const words = join(userDataDir, 'words.json');
  const extensions = [{ extensionIdentifier: { id: 'test.language-pack' }, version: '1.0.0' }];
  const pack = { hash: 'none', extensions, translations: { vscode: words }, label: locale };
  writeFiles(userDataDir, {
    'words.json': JSON.stringify({ contents: {} }),
    'languagepacks.json': JSON.stringify({ [locale]: pack }),
  });
}

/** VS Code's sockets lie below it, and the name of a socket may have 104 characters. macOS spends half of them. */
function temporaryFolder(): string {
  return process.platform === 'darwin' ? '/tmp' : tmpdir();
}

function configOf(home: string): string {
  return join(dirname(home), 'config.json');
}

function makeWorkspace(options: WorkbenchOptions, temp: string): string | undefined {
  const { workspace, folders } = options;
  if (folders) {
    const file = join(temp, 'several.code-workspace');
    for (const [name, files] of Object.entries(folders)) writeFiles(join(temp, 'folders', name), files);
    const list = Object.keys(folders).map((name) => ({ path: join(temp, 'folders', name) }));
    writeFileSync(file, JSON.stringify({ folders: list }));
    return file;
  }
  if (workspace === undefined || typeof workspace === 'string') return workspace;
  const folder = join(temp, 'project');
  writeFiles(folder, workspace);
  return folder;
}

function inherited(): Record<string, string> {
  const entries = inheritedVariables.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Settings under which the workbench shows nothing but what a test asked for. */
function settingsOf({ theme = 'dark', settings = {} }: WorkbenchOptions): Record<string, unknown> {
  return {
    'workbench.colorTheme': themes[theme],
    'window.autoDetectColorScheme': false,
    'window.autoDetectHighContrast': false,
    'workbench.startupEditor': 'none',
    'workbench.tips.enabled': false,
    'workbench.welcomePage.walkthroughs.openOnInstall': false,
    'workbench.enableExperiments': false,
    'workbench.secondarySideBar.defaultVisibility': 'hidden',
    'workbench.reduceMotion': 'on',
    'telemetry.telemetryLevel': 'off',
    'chat.disableAIFeatures': true,
    'extensions.autoUpdate': false,
    'extensions.autoCheckUpdates': false,
    'extensions.ignoreRecommendations': true,
    'update.showReleaseNotes': false,
    'window.restoreWindows': 'none',
    'window.confirmBeforeClose': 'never',
    'git.openRepositoryInParentFolders': 'never',
    'files.hotExit': 'off',
    'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.banner': 'never',
    'terminal.integrated.enablePersistentSessions': false,
    'terminal.integrated.initialHint': false,
    ...settings,
  };
}
