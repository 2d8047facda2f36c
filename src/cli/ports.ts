import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApp, type App } from '../app.js';
import { readConfig } from '../config/file.js';
import { findHome } from '../config/home.js';
import { nodeClock } from '../platform/nodeClock.js';
import { nodeFiles } from '../platform/nodeFiles.js';
import { nodeGitFs } from '../platform/nodeGitFs.js';
import { ignoresCase, nodeIdentity, operatingSystem } from '../platform/nodeIdentity.js';
import { nodePrograms } from '../platform/nodePrograms.js';
import { createNodeSearch } from '../platform/nodeSearch.js';
import { nodeShell } from '../platform/nodeShell.js';
import { nodeWeb } from '../platform/nodeWeb.js';
import { nodeWorkers } from '../platform/nodeWorkers.js';
import { createNodeWorkspace } from '../platform/nodeWorkspace.js';
import type { Log } from '../platform/ports.js';
import { maskKeys } from '../platform/maskSecrets.js';
import { networkOf } from './network.js';
import type { AgentOptions } from './options.js';

/** The app with Node's ports alone: no editor, keys from the environment and config.json. */
export async function createCliApp(options: AgentOptions & { workspace: string }): Promise<App> {
  const paths = findHome({ flagHome: options.home, flagConfig: options.config, env: process.env, userHome: homedir() });
  const log = stderrLog();
  const config = readConfig(await configText(paths.config, log));
  for (const problem of config.problems) log.warn(problem);
  const search = createNodeSearch({ ripgrep: [] });
  const shell = nodeShell(process.env);
  const newId = () => randomBytes(8).toString('hex');
  const network = await networkOf(process.env, log);
  let model = options.model;
  return createApp({
    files: nodeFiles(),
    workspace: createNodeWorkspace({
      folders: [{ name: basename(options.workspace), path: options.workspace }],
      userHome: homedir(),
    }),
    search,
    shell,
    clock: nodeClock(() => config.timezone),
    secrets: {
      get: () => Promise.resolve(undefined),
      set: () =>
        Promise.reject(new Error('There is no key store here: set the key in the environment or in config.json.')),
      delete: () => Promise.resolve(),
    },
    log,
    ui: {
      channel: 'cli',
      notify: (level, text) => {
        if (level === 'info') process.stderr.write(`${maskKeys(text)}\n`);
        else log.warn(text);
        return Promise.resolve(undefined);
      },
      mirror: () => undefined,
    },
    processes: nodeIdentity(),
    workers: nodeWorkers(distFolder()),
    web: nodeWeb(network),
    programs: nodePrograms(),
    gitFs: nodeGitFs(),
    surroundings: { os: operatingSystem(), shell: shell.name() },
    env: process.env,
    home: paths.home,
    builtInSkills: join(distFolder(), '..', 'skills'),
    userHome: homedir(),
    ignoreCase: ignoresCase(),
    configPath: paths.config,
    config: () => config,
    settings: () => (model === undefined ? {} : { model }),
    storeModel: (id) => {
      model = id;
      return Promise.resolve();
    },
    ...(options.approval ? { approval: options.approval } : {}),
    grammar: (file) => readFile(join(distFolder(), file)),
    ripgrep: () => search.ripgrep(),
    probeLocal: process.env['NANOBOT_NO_PROBE'] === undefined,
    holder: newId(),
    newId,
  });
}

/** Where the bundles and what they read lie: this code may have become part of one of their chunks. */
export function distFolder(): string {
  const own = dirname(fileURLToPath(import.meta.url));
  return basename(own) === 'chunks' ? dirname(own) : own;
}

async function configText(path: string, log: Log): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== 'ENOENT') log.warn(`${path} could not be read (${message}); defaults are used.`);
    return '{}';
  }
}

/** Warnings and errors on standard error; nothing else, so that a script reads the answer alone. */
function stderrLog(): Log {
  const write = (text: string) => void process.stderr.write(`${maskKeys(text)}\n`);
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: write,
    error: (text, cause) => {
      write(cause instanceof Error ? `${text} ${cause.message}` : text);
    },
  };
}
