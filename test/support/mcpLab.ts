import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { McpManager } from '../../src/mcp/manager.js';
import type { McpPorts } from '../../src/mcp/ports.js';
import { setUpMcp } from '../../src/mcp/setUpMcp.js';
import { ToolRegistry } from '../../src/runner/registry.js';
import type { ToolContext, ToolResult } from '../../src/runner/tool.js';
import { parseArguments } from '../../src/runner/arguments.js';
import { portsFor } from './appPorts.js';
import { tempHome } from './tempHome.js';

const SESSION = 'test:mcp';

export interface McpLab {
  manager: McpManager;
  registry: ToolRegistry;
  home: string;
  project: string;
  /** What was put before the person, and the notices they saw. */
  asked: string[];
  notices: string[];
  tails: string[];
  sources: string[];
  /** Names of the MCP tools a session is offered. */
  tools(session?: string): string[];
  /** Calls a tool as the runner does, without the approval. */
  call(name: string, args?: object, context?: Partial<ToolContext>): Promise<ToolResult>;
  /** Begins a turn that waits for every server. */
  ready(): Promise<void>;
}

/** The MCP servers of an app on real files and processes. */
export async function mcpLab(
  servers: Record<string, unknown> | ((project: string) => Record<string, unknown>),
  options: Partial<McpPorts> & { answers?: string[]; env?: Record<string, string> } = {},
): Promise<McpLab> {
  const { root } = await tempHome();
  const home = join(root, 'workspace');
  const project = join(root, 'project');
  mkdirSync(project, { recursive: true });
  const { answers = [], env, ...changes } = options;
  const notices: string[] = [];
  const ports: McpPorts = {
    ...portsFor(
      { settings: { mcpServers: typeof servers === 'function' ? servers(project) : servers }, ...(env ? { env } : {}) },
      { home, project },
    ),
    ui: {
      notify: (_level, text) => {
        notices.push(text);
        return Promise.resolve(undefined);
      },
    },
    ...changes,
  };
  const registry = new ToolRegistry();
  const manager = setUpMcp(ports, registry);
  onTestFinished(() => manager.close());
  const asked: string[] = [];
  const tails: string[] = [];
  const sources: string[] = [];
  const context = {
    sessionKey: SESSION,
    signal: new AbortController().signal,
    watched: true,
    update: (tail: string) => void tails.push(tail),
    markUntrusted: (source: string) => void sources.push(source),
    ask: ({ text }: { text: string }) => {
      asked.push(text);
      return Promise.resolve(answers.shift() ?? 'Decline');
    },
  } as unknown as ToolContext;
  return {
    ...{ manager, registry, home, project, asked, notices, tails, sources },
    tools: (session = SESSION) => registry.for(session).map(({ name }) => name),
    call: async (name, args = {}, change = {}) => {
      const tool = registry.find(name);
      if (!tool) throw new Error(`There is no tool ${name}.`);
      const parsed = parseArguments(tool, JSON.stringify(args));
      if (!parsed.ok) throw new Error(parsed.error);
      return tool.run(parsed.args, { ...context, ...change });
    },
    ready: () => manager.prepare({ watched: false, signal: new AbortController().signal }),
  };
}

/** A server that misbehaves as `mode` says; see oddMcpServer.mjs. */
export function oddServer(mode: string, file?: string): { command: string; args: string[] } {
  return {
    command: process.execPath,
    args: [join(import.meta.dirname, 'oddMcpServer.mjs'), mode, ...(file ? [file] : [])],
  };
}

/** One of the protocol's reference servers. */
export function referenceServer(
  name: 'everything' | 'filesystem' | 'memory',
  ...args: string[]
): { command: string; args: string[] } {
  return { command: process.execPath, args: [referenceScript(name), ...args] };
}

/** The script of a reference server. */
export function referenceScript(name: string): string {
  const packageFile = createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`);
  return join(dirname(packageFile), 'dist', 'index.js');
}
