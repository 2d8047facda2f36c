import { join } from 'node:path';
import type { Files, Search, Shell, Workspace } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';
import type { ProviderRegistry } from '../providers/registry.js';
import type { SessionStore } from '../session/store.js';

/** One line of the report: what was looked at, whether it works, what was found or is to be done. */
export interface Finding {
  what: string;
  ok: boolean;
  detail: string;
}

interface DiagnoseDeps {
  ports: {
    files: Files;
    workspace: Workspace;
    search: Search;
    shell: Shell;
    home: string;
    configPath: string;
    ripgrep(): Promise<string | undefined>;
  };
  sessions: SessionStore;
  registry: ProviderRegistry;
  model: string;
  keys(provider: string): Promise<string | undefined>;
  /** Asks the model for a word. */
  testModel(id: string): Promise<{ firstMs: number; ms: number } | { error: { message: string } }>;
  /** What was wrong in settings and config.json. */
  problems: string[];
}

/** Looks at everything a person might have to put right. Never throws, never shows a key. */
export async function diagnoseApp(deps: DiagnoseDeps): Promise<Finding[]> {
  return [
    await modelFinding(deps),
    ...(await connectionFindings(deps)),
    ...(await keyFindings(deps)),
    await homeFinding(deps),
    ...deps.problems.map((problem) => ({ what: 'Settings', ok: false, detail: problem })),
    await ripgrepFinding(deps),
    commandsFinding(deps),
    await sessionsFinding(deps),
  ];
}

async function modelFinding({ registry, model }: DiagnoseDeps): Promise<Finding> {
  const resolved = await registry.resolve(model, { watched: true });
  if ('error' in resolved) return { what: 'Model', ok: false, detail: resolved.error.message };
  const { id, window, practice } = resolved.info;
  const note = practice ? ' – offline practice; set a key for a real model' : '';
  return { what: 'Model', ok: true, detail: `${model} → ${id}, ${String(window)} tokens${note}` };
}

/** One tiny request; none where there is nobody to be asked, or nothing to be reached. */
async function connectionFindings({ registry, model, testModel }: DiagnoseDeps): Promise<Finding[]> {
  const resolved = await registry.resolve(model, { watched: true });
  if ('error' in resolved || resolved.info.practice) return [];
  const tested = await testModel(model);
  if ('error' in tested) return [{ what: 'Connection', ok: false, detail: tested.error.message }];
  return [{ what: 'Connection', ok: true, detail: `first words after ${String(tested.firstMs)} ms` }];
}

async function keyFindings(deps: DiagnoseDeps): Promise<Finding[]> {
  const names = deps.registry.keyProviders();
  const keys = await Promise.all(names.map((name) => deps.keys(name)));
  const providers = names.filter((_, index) => keys[index] !== undefined);
  if (providers.length === 0) return [{ what: 'Keys', ok: true, detail: 'none set; run Nanobot: Set API Key' }];
  return [{ what: 'Keys', ok: true, detail: `set for ${providers.join(', ')}` }];
}

async function homeFinding({ ports }: DiagnoseDeps): Promise<Finding> {
  const probe = join(ports.home, '.nanobot', 'probe');
  try {
    await ports.files.writeAtomic(probe, 'probe');
    await ports.files.remove(probe);
    return { what: 'Home', ok: true, detail: `${ports.home}, config.json at ${ports.configPath}` };
  } catch (cause) {
    const reason = reasonOf(cause);
    return {
      what: 'Home',
      ok: false,
      detail: `${ports.home} cannot be written (${reason}). Choose another in nanobot.home.`,
    };
  }
}

async function ripgrepFinding({ ports }: DiagnoseDeps): Promise<Finding> {
  const path = await ports.ripgrep();
  if (path !== undefined) return { what: 'Search', ok: true, detail: `ripgrep at ${path}` };
  return {
    what: 'Search',
    ok: false,
    detail: 'no ripgrep found; the slower built-in search is used. Install ripgrep or put rg on PATH.',
  };
}

function commandsFinding({ ports }: DiagnoseDeps): Finding {
  const { shell, workspace } = ports;
  if (!workspace.trusted())
    return { what: 'Commands', ok: false, detail: 'Restricted Mode: trust the workspace to run commands.' };
  if (!workspace.onDisk())
    return { what: 'Commands', ok: false, detail: 'the folder is not on a disk, so commands cannot run.' };
  return { what: 'Commands', ok: true, detail: `run in ${shell.name()}, on pipes, without shell integration` };
}

async function sessionsFinding({ sessions }: DiagnoseDeps): Promise<Finding> {
  const list = await sessions.list().catch(() => []);
  const busy = list.filter((row) => row.busy).length;
  return { what: 'Chats', ok: true, detail: `${String(list.length)}, ${String(busy)} open in another window` };
}
