import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppPorts } from '../../src/appPorts.js';
import { readConfig } from '../../src/config/file.js';
import type { Settings } from '../../src/config/schema.js';
import { nodeClock } from '../../src/platform/nodeClock.js';
import { nodeFiles } from '../../src/platform/nodeFiles.js';
import { nodeGitFs } from '../../src/platform/nodeGitFs.js';
import { nodeIdentity } from '../../src/platform/nodeIdentity.js';
import { nodePrograms } from '../../src/platform/nodePrograms.js';
import { createNodeSearch } from '../../src/platform/nodeSearch.js';
import { nodeShell } from '../../src/platform/nodeShell.js';
import { nodeWeb } from '../../src/platform/nodeWeb.js';
import { nodeWorkers } from '../../src/platform/nodeWorkers.js';
import { createNodeWorkspace } from '../../src/platform/nodeWorkspace.js';
import { ripgrepForTests } from './ripgrep.js';
import { workersFolder } from './workers.js';

/** What of the world a test of the whole app chooses. */
export interface PortChoices {
  settings?: Partial<Settings>;
  env?: Record<string, string>;
  ports?: Partial<AppPorts>;
}

/** The app's ports over real files, processes and ripgrep. Knows nothing of the test runner, so that a process of its own can use it too. */
export function portsFor(options: PortChoices, { home, project }: { home: string; project: string }): AppPorts {
  const files = nodeFiles();
  const ripgrep = ripgrepForTests();
  const search = createNodeSearch({ ripgrep: ripgrep ? [ripgrep] : [] });
  const env = { PATH: process.env['PATH'] ?? '', HOME: join(home, '..', 'userhome'), ...options.env };
  const shell = nodeShell(env);
  let ids = 0;
  const config = readConfig('{}');
  const settings: Partial<Settings> = { model: 'practice/practice', sessionTitles: false, ...options.settings };
  return {
    files,
    workspace: createNodeWorkspace({ folders: [{ name: 'project', path: project }], userHome: env.HOME }),
    search,
    shell,
    clock: nodeClock(),
    secrets: { get: async () => undefined, set: async () => undefined, delete: async () => undefined },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    ui: { channel: 'cli', notify: async () => undefined, mirror: () => undefined },
    processes: nodeIdentity(),
    workers: nodeWorkers(workersFolder()),
    // No name leads anywhere: a test that fetches brings a network of its own.
    web: nodeWeb({ resolve: () => Promise.resolve([]) }),
    programs: nodePrograms(),
    gitFs: nodeGitFs(),
    surroundings: { os: 'Linux', shell: 'bash' },
    env,
    home,
    builtInSkills: join(import.meta.dirname, '../../skills'),
    userHome: env.HOME,
    ignoreCase: false,
    configPath: join(home, '..', 'config.json'),
    config: () => config,
    settings: () => settings,
    storeModel: async (id) => void (settings.model = id),
    grammar: async (file) => readFileSync(grammarPath(file)),
    ripgrep: () => search.ripgrep(),
    probeLocal: false,
    holder: `holder-${String(Math.random())}`,
    newId: () => `id${String(++ids)}-${Math.random().toString(36).slice(2, 8)}`,
    practicePieceMs: 0,
    ...options.ports,
  };
}

function grammarPath(file: string): string {
  const packageName = file === 'web-tree-sitter.wasm' ? 'web-tree-sitter' : 'tree-sitter-bash';
  return join(import.meta.dirname, '../../node_modules', packageName, file);
}
