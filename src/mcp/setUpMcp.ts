import type { ConfigFile } from '../config/file.js';
import type { Settings } from '../config/schema.js';
import { childEnvironment } from '../platform/environment.js';
import type { Clock, Files, Log, Programs, Secrets, Ui, Workspace } from '../platform/ports.js';
import type { ToolRegistry } from '../runner/registry.js';
import { allKeyVariables } from '../tools/support/keyVariables.js';
import type { EditorTools } from './editorServers.js';
import type { InputPort } from './inputs.js';
import { keptLogin, type SignInPort } from './login.js';
import { McpManager } from './manager.js';
import { Sources } from './sources.js';
import { trustedFolder } from './trustedFolder.js';

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
  /** Asks the person for values that a workspace's servers want. */
  inputs?: InputPort;
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
