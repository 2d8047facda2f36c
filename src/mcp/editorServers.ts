import type { Tool, ToolResult } from '../runner/tool.js';
import type { McpSource } from './config.js';
import { resultOf } from './results.js';
import { serverTool, type ToolServer } from './tools.js';

/** A tool of a server that the editor runs itself, under the editor's name for it. */
export interface EditorTool {
  name: string;
  description: string;
  inputSchema: unknown;
}

/** Tools of MCP servers that the editor runs: nothing is started twice that is there already. */
export interface EditorTools {
  list(): EditorTool[];
  /** Resolves with what the tool answered, in the protocol's form. */
  call(name: string, args: unknown, signal: AbortSignal): Promise<unknown>;
}

/** A server of the workspace that the editor runs. */
export interface EditorServer {
  name: string;
  source: McpSource;
  /** The workspace folder it came with. */
  folder: string;
  /** Its tools, without the beginning that the editor gives their names. */
  editorTools: { tool: string; known: EditorTool }[];
}

/** Tools of one server that are offered. */
const MOST = 40;

/** The server as the editor runs it; undefined where it does not. */
export function runningInEditor(
  name: string,
  folder: string,
  editor: EditorTools | undefined,
): EditorServer | undefined {
  // VS Code names the tools of a server so; the number tells servers apart that begin alike.
  const start = `mcp_${name
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '_')
    .slice(0, 13)}_`;
  const found = (editor?.list() ?? []).filter((tool) => tool.name.startsWith(start)).slice(0, MOST);
  if (found.length === 0) return undefined;
  return {
    name,
    source: 'workspace',
    folder,
    editorTools: found.map((known) => ({ tool: known.name.slice(start.length), known })),
  };
}

/** The tools of such a server for the model; the editor runs them and may ask the person by itself too. */
export function editorServerTools(
  server: EditorServer,
  editor: EditorTools,
  name: (tool: string) => string,
  offered: ToolServer['offered'],
): Tool[] {
  return server.editorTools.map(({ tool, known }) => {
    const run = async (args: unknown, signal: AbortSignal): Promise<ToolResult> =>
      resultOf(await editor.call(known.name, args, signal));
    const { description, inputSchema } = known;
    return serverTool(
      name(tool),
      { name: tool, description, inputSchema, readOnly: false },
      { name: server.name, folder: () => server.folder, offered, run },
    );
  });
}
