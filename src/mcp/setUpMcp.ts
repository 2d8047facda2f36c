import { join } from 'node:path';
import type { ConfigFile } from '../config/file.js';
import type { Settings } from '../config/schema.js';
import { childEnvironment } from '../platform/environment.js';
import type { Clock, Disposable, Files, Log, Programs, Secrets, Ui, Workspace } from '../platform/ports.js';
import type { ToolRegistry } from '../runner/registry.js';
import { allKeyVariables } from '../tools/support/keyVariables.js';
import { mergeServers, readServers, type McpEntry, type McpVariables } from './config.js';
import { Consent } from './consent.js';
import { runningInEditor, type EditorServer, type EditorTools } from './editorServers.js';
import { keptLogin, type SignInPort } from './login.js';
import { McpManager, type McpSources } from './manager.js';
import { readWorkspaceServers } from './workspaceFile.js';

/** What the servers need of the app's ports. */
export interface McpPorts {
  files: Files;
  workspace: Workspace;
  clock: Clock;
  log: Log;
  ui: Pick<Ui, 'notify'>;
  programs: Programs;
  /** The agent's home. */
  home: string;
  /** The person's own home folder. */
  userHome: string;
  env: Readonly<Record<string, string | undefined>>;
  config(): Pick<ConfigFile, 'settings'>;
  settings(): Partial<Settings>;
  secrets: Secrets;
  newId(): string;
  mcpShell?: McpShell;
}

/** What a shell with an editor gives to servers. */
export interface McpShell {
  /** The person's browser, for servers that want a sign-in. */
  browser: SignInPort;
  /** Tools of servers that the editor runs itself. */
  editorTools: EditorTools;
}

/** The MCP servers of the app, their tools in its registry. Starts nothing yet: `prepare` does, when a turn begins. */
export function setUpMcp(ports: McpPorts, registry: Pick<ToolRegistry, 'put'>): McpManager {
  const { workspace, userHome, clock, log, programs, secrets, newId } = ports;
  const sources = new Sources(ports, () => {
    void manager.prepare({ watched: true, signal: AbortSignal.timeout(1) });
  });
  const manager = new McpManager({
    ...{ clock, log, programs, registry, sources, secrets, newId },
    browser: ports.mcpShell?.browser,
    editorTools: ports.mcpShell?.editorTools,
    login: (server, url) => keptLogin(server, url, ports),
    sdk: () => import('./sdk.js').then(({ sdk }) => sdk),
    environment: () => childEnvironment(ports.env, allKeyVariables()),
    folder: () => trustedFolder(workspace) ?? userHome,
    roots: () => (workspace.onDisk() ? workspace.folders() : []),
  });
  return manager;
}

/** The person's setting, config.json, and each folder's `.vscode/mcp.json` where the workspace is trusted and the person agreed to the server. */
class Sources implements McpSources {
  private readonly files: WorkspaceFiles;
  private readonly consent: Consent;

  constructor(
    private readonly ports: McpPorts,
    allowed: () => void,
  ) {
    this.files = new WorkspaceFiles(ports.files);
    this.consent = new Consent({ ...ports, path: join(ports.home, '.nanobot', 'mcpServers.json'), allowed });
  }

  async entries(): Promise<(McpEntry | EditorServer)[]> {
    const { ports } = this;
    const own = this.variables(trustedFolder(ports.workspace));
    return mergeServers(
      readServers(ports.settings().mcpServers ?? {}, 'settings', own),
      readServers(ports.config().settings.mcpServers ?? {}, 'config.json', own),
      ...(await this.ofWorkspace()),
    );
  }

  dispose(): void {
    this.files.dispose();
  }

  private async ofWorkspace(): Promise<(McpEntry | EditorServer)[][]> {
    const { workspace } = this.ports;
    if (!workspace.trusted() || !workspace.onDisk()) return [];
    return Promise.all(workspace.folders().map(({ path }) => this.ofFolder(path)));
  }

  private async ofFolder(folder: string): Promise<(McpEntry | EditorServer)[]> {
    const read = readWorkspaceServers(await this.files.text(folder));
    if ('problem' in read) return [{ name: '.vscode/mcp.json', source: 'workspace', problem: read.problem }];
    const entries = readServers(read.servers, 'workspace', this.variables(folder));
    const editor = this.ports.mcpShell?.editorTools;
    return Promise.all(
      entries.map(async (entry) => runningInEditor(entry.name, folder, editor) ?? agreed(this.consent, folder, entry)),
    );
  }

  private variables(workspaceFolder: string | undefined): McpVariables {
    const { userHome, env } = this.ports;
    return { workspaceFolder, userHome, env, keyNames: allKeyVariables() };
  }
}

/** What lies in a folder that is not trusted must not decide what a program does: `npx` takes its packages and its settings from where it runs. */
function trustedFolder(workspace: Workspace): string | undefined {
  return workspace.trusted() && workspace.onDisk() ? workspace.folders()[0]?.path : undefined;
}

async function agreed(consent: Consent, folder: string, entry: McpEntry): Promise<McpEntry> {
  if ('problem' in entry) return entry;
  const answer = await consent.check(folder, entry);
  if (answer === 'allowed') return entry;
  const problem =
    answer === 'waiting'
      ? 'It came with this workspace and waits for your answer: see the notification.'
      : 'It came with this workspace and was not allowed. Reload the window to be asked again.';
  return { name: entry.name, source: entry.source, problem };
}

/** The text of each folder's `.vscode/mcp.json`, read again only after it changed. Empty where there is none. */
class WorkspaceFiles implements Disposable {
  private readonly known = new Map<string, Promise<string>>();
  private readonly watchers = new Map<string, Disposable>();

  constructor(private readonly files: Pick<Files, 'read' | 'watch'>) {}

  text(folder: string): Promise<string> {
    const path = join(folder, '.vscode', 'mcp.json');
    if (!this.watchers.has(path)) {
      this.watchers.set(
        path,
        this.files.watch(path, () => this.known.delete(path)),
      );
    }
    const text = this.known.get(path) ?? this.read(path);
    this.known.set(path, text);
    return text;
  }

  dispose(): void {
    for (const watcher of this.watchers.values()) watcher.dispose();
  }

  private read(path: string): Promise<string> {
    return this.files.read(path).then(
      (bytes) => new TextDecoder().decode(bytes),
      () => '{}',
    );
  }
}
