import { join } from 'node:path';
import { t } from '@vscode/l10n';
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
    ...deps.problems.map((problem) => ({ what: t('Settings'), ok: false, detail: problem })),
    await ripgrepFinding(deps),
    commandsFinding(deps),
    await sessionsFinding(deps),
  ];
}

async function modelFinding({ registry, model }: DiagnoseDeps): Promise<Finding> {
  const resolved = await registry.resolve(model, { watched: true, toShow: true });
  if ('error' in resolved) return { what: t('Model'), ok: false, detail: resolved.error.message };
  const { id, window, practice } = resolved.info;
  const note = practice ? t(' – offline practice; set a key for a real model') : '';
  return { what: t('Model'), ok: true, detail: t('{0} → {1}, {2} tokens', model, id, window) + note };
}

/** One tiny request; none where there is nobody to be asked, or nothing to be reached. */
async function connectionFindings({ registry, model, testModel }: DiagnoseDeps): Promise<Finding[]> {
  const resolved = await registry.resolve(model, { watched: true, toShow: true });
  if ('error' in resolved || resolved.info.practice) return [];
  const tested = await testModel(model);
  if ('error' in tested) return [{ what: t('Connection'), ok: false, detail: tested.error.message }];
  return [{ what: t('Connection'), ok: true, detail: t('first words after {0} ms', tested.firstMs) }];
}

async function keyFindings(deps: DiagnoseDeps): Promise<Finding[]> {
  const names = deps.registry.keyProviders();
  const keys = await Promise.all(names.map((name) => deps.keys(name)));
  const providers = names.filter((_, index) => keys[index] !== undefined);
  if (providers.length === 0) return [{ what: t('Keys'), ok: true, detail: t('none set; run Nanobot: Set API Key') }];
  return [{ what: t('Keys'), ok: true, detail: t('set for {0}', providers.join(', ')) }];
}

async function homeFinding({ ports }: DiagnoseDeps): Promise<Finding> {
  const probe = join(ports.home, '.nanobot', 'probe');
  try {
    await ports.files.writeAtomic(probe, 'probe');
    await ports.files.remove(probe);
    return { what: t('Home'), ok: true, detail: t('{0}, config.json at {1}', ports.home, ports.configPath) };
  } catch (cause) {
    const reason = reasonOf(cause);
    return {
      what: t('Home'),
      ok: false,
      detail: t('{0} cannot be written ({1}). Choose another in nanobot.home.', ports.home, reason),
    };
  }
}

async function ripgrepFinding({ ports }: DiagnoseDeps): Promise<Finding> {
  const path = await ports.ripgrep();
  if (path !== undefined) return { what: t('Search'), ok: true, detail: t('ripgrep at {0}', path) };
  return {
    what: t('Search'),
    ok: false,
    detail: t('no ripgrep found; the slower built-in search is used. Install ripgrep or put rg on PATH.'),
  };
}

function commandsFinding({ ports }: DiagnoseDeps): Finding {
  const { shell, workspace } = ports;
  if (!workspace.trusted())
    return { what: t('Commands'), ok: false, detail: t('Restricted Mode: trust the workspace to run commands.') };
  if (!workspace.onDisk())
    return { what: t('Commands'), ok: false, detail: t('the folder is not on a disk, so commands cannot run.') };
  return { what: t('Commands'), ok: true, detail: t('run in {0}, on pipes, without shell integration', shell.name()) };
}

async function sessionsFinding({ sessions }: DiagnoseDeps): Promise<Finding> {
  const list = await sessions.list().catch(() => []);
  const busy = list.filter((row) => row.busy).length;
  return { what: t('Chats'), ok: true, detail: t('{0}, {1} open in another window', list.length, busy) };
}
