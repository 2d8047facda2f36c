import { childEnvironment } from '../platform/environment.js';
import type { ToolRegistry } from '../runner/registry.js';
import { allKeyVariables } from '../tools/support/keyVariables.js';
import { keptLogin } from './login.js';
import { McpManager } from './manager.js';
import type { McpPorts } from './ports.js';
import { Sources } from './sources.js';
import { trustedFolder } from './trustedFolder.js';

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
