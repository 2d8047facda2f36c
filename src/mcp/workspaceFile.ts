import { t } from '@vscode/l10n';
import { readInputs, type InputDefinitions } from './inputs.js';

/** What `.vscode/mcp.json` says. */
export type WorkspaceServers = { servers: Record<string, unknown>; inputs: InputDefinitions } | { problem: string };

/** Reads VS Code's own list of servers for a workspace: JSON with comments and trailing commas. Never throws. */
export function readWorkspaceServers(text: string): WorkspaceServers {
  try {
    const root = JSON.parse(plainJson(text.replace(/^\uFEFF/, ''))) as unknown;
    const servers = typeof root === 'object' && root !== null && 'servers' in root ? root.servers : {};
    if (typeof servers !== 'object' || servers === null || Array.isArray(servers)) {
      return { problem: t('.vscode/mcp.json: `servers` has to be an object of servers by name.') };
    }
    const inputs = typeof root === 'object' && root !== null && 'inputs' in root ? root.inputs : [];
    return { servers: servers as Record<string, unknown>, inputs: readInputs(inputs) };
  } catch (cause) {
    return {
      problem: t('.vscode/mcp.json is not valid JSON ({0}). Correct it to use its servers.', (cause as Error).message),
    };
  }
}

/** The text without comments and trailing commas; what stands in strings is kept. */
function plainJson(text: string): string {
  const withoutComments = text.replaceAll(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (match) =>
    match.startsWith('"') ? match : '',
  );
  return withoutComments.replaceAll(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (match) =>
    match.startsWith('"') ? match : '',
  );
}
