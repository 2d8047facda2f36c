import { t } from '@vscode/l10n';
import * as z from 'zod';
import { defineTool, ToolError, type Access, type Tool, type ToolContext, type ToolResult } from '../runner/tool.js';
import type { McpConnection, ServerTool } from './connection.js';
import { resourceResult, resultOf } from './results.js';
import { providerSchema } from './schema.js';

/** Characters of a description that providers take. */
const LONGEST_DESCRIPTION = 1_000;
/** Characters of the arguments that are shown where a person is asked. */
const SHOWN_ARGUMENTS = 300;
/** Tools that one search of a server's tools tells. */
const MOST_FOUND = 8;

/** Whose a tool is. */
export interface Owner {
  name: string;
  /** True for another extension; else it is an MCP server. */
  extension?: true;
  /** The workspace folder that the server came with, looked up at each call: another may have taken its name. */
  folder?(): string | undefined;
}

/** The server a tool belongs to, looked up at each call: it may have been restarted, changed or taken away. */
export interface ToolServer extends Owner {
  /** Throws a `ToolError` where the server is no longer there. */
  connection(): McpConnection;
  /** Whether new sessions are offered the tool of this name. */
  offered(name: string): boolean;
}

/** Who runs a tool, and whether new sessions are offered it. */
export interface ToolRunner extends Owner {
  offered(name: string): boolean;
  run(args: unknown, signal: AbortSignal, context: ToolContext): Promise<ToolResult>;
}

/** A server's tool under the name that the model calls it by. */
export function serverTool(name: string, tool: ServerTool, server: ToolRunner): Tool {
  const parameters = providerSchema(tool.inputSchema);
  return {
    name,
    description: cut(tool.description, LONGEST_DESCRIPTION) || `${tool.name} of ${wordsFor(server)}.`,
    parameters,
    schema: requiring(parameters['required']),
    readOnly: tool.readOnly,
    available: () => server.offered(name),
    access: (args) => Promise.resolve([accessOf(server, tool.name, args)]),
    summary: (args) => cut(`${server.name}: ${tool.name} ${shown(args)}`, 120),
    run: (args, context) => {
      // Whatever the server does with it, even its refusal is text from outside.
      context.markUntrusted(wordsFor(server));
      return server.run(args, context.signal, context);
    },
  };
}

/** Runs a tool on the connection there is when it is called. */
export function onConnection(server: ToolServer, tool: string): ToolRunner {
  return { ...server, run: (args, _signal, context) => callTool(server, tool, args, context) };
}

/** What stands for the tools of a server that has too many to offer each: a search among them, and a call by name. */
export function foldedTools(
  names: { find: string; call: string },
  server: ToolServer,
  tools: () => ServerTool[],
): Tool[] {
  const count = String(tools().length);
  return [
    defineTool({
      name: names.find,
      description: `Search the ${count} tools of the MCP server ${server.name}: their names, what they do, their arguments. Call one with ${names.call}.`,
      params: z.object({ query: z.string().describe('Words of what it should do, or its name') }),
      readOnly: true,
      available: () => server.offered(names.find),
      summary: ({ query }) => `${server.name}: ${query}`,
      run: ({ query }, context) => {
        context.markUntrusted(`the MCP server ${server.name}`);
        return Promise.resolve(found(tools(), query));
      },
    }),
    defineTool({
      name: names.call,
      description: `Call one of the tools of the MCP server ${server.name} that ${names.find} found.`,
      params: z.object({ tool: z.string(), arguments: z.looseObject({}).optional() }),
      available: () => server.offered(names.call),
      access: ({ tool, arguments: args }) => [accessOf(server, tool, args ?? {}, tool)],
      summary: ({ tool, arguments: args }) => cut(`${server.name}: ${tool} ${shown(args ?? {})}`, 120),
      run: ({ tool, arguments: args }, context) => {
        context.markUntrusted(`the MCP server ${server.name}`);
        return callTool(server, tool, args ?? {}, context);
      },
    }),
  ];
}

/** Lists a server's resources, or reads one. */
export function resourcesTool(name: string, server: ToolServer): Tool {
  return defineTool({
    name,
    description: `List what the MCP server ${server.name} offers to read, or read one by its uri.`,
    params: z.object({ uri: z.string().optional().describe('Without: list them') }),
    readOnly: true,
    available: () => server.offered(name),
    access: ({ uri }) => [accessOf(server, uri === undefined ? 'list resources' : `read ${uri}`, {})],
    summary: ({ uri }) => `${server.name}: ${uri ?? t('its resources')}`,
    run: async ({ uri }, context) => {
      context.markUntrusted(`the MCP server ${server.name}`);
      const connection = server.connection();
      if (uri !== undefined) return resourceResult(await connection.request('resources/read', { uri }, context));
      const [listed, templates] = await Promise.all([
        connection.request('resources/list', {}, context),
        connection.request('resources/templates/list', {}, context).catch(() => ({})),
      ]);
      const rows = [...rowsOf(listed, 'resources', 'uri'), ...rowsOf(templates, 'resourceTemplates', 'uriTemplate')];
      return rows.length > 0 ? rows.join('\n') : 'It offers nothing to read at present.';
    },
  });
}

/** Lists a server's prompts, or fills one in. */
export function promptsTool(name: string, server: ToolServer): Tool {
  return defineTool({
    name,
    description: `List the prompts the MCP server ${server.name} has prepared, or get one by its name with its arguments filled in.`,
    params: z.object({
      name: z.string().optional().describe('Without: list them'),
      arguments: z.record(z.string(), z.string()).optional(),
    }),
    readOnly: true,
    available: () => server.offered(name),
    access: ({ name: prompt }) => [accessOf(server, prompt === undefined ? 'list prompts' : `prompt ${prompt}`, {})],
    summary: ({ name: prompt }) => `${server.name}: ${prompt ?? t('its prompts')}`,
    run: async ({ name: prompt, arguments: args }, context) => {
      context.markUntrusted(`the MCP server ${server.name}`);
      const connection = server.connection();
      if (prompt === undefined) {
        const rows = rowsOf(await connection.request('prompts/list', {}, context), 'prompts', 'name');
        return rows.length > 0 ? rows.join('\n') : 'It has no prompts at present.';
      }
      return promptResult(await connection.request('prompts/get', { name: prompt, arguments: args ?? {} }, context));
    },
  });
}

async function callTool(server: ToolServer, tool: string, args: unknown, context: ToolContext): Promise<ToolResult> {
  const connection = server.connection();
  if (connection.state.kind === 'ready' && !connection.tools.some(({ name }) => name === tool)) {
    throw new ToolError(`The MCP server ${server.name} has no tool "${tool}" any more. Go on without it.`);
  }
  return resultOf(await connection.request('tools/call', { name: tool, arguments: args }, context));
}

function accessOf(owner: Owner, tool: string, args: unknown, part?: string): Access {
  const folder = owner.folder?.();
  return {
    kind: 'mcp',
    server: owner.extension ? undefined : owner.name,
    tool: `${tool} ${cut(shown(args), SHOWN_ARGUMENTS)}`.trim(),
    ...(part === undefined ? {} : { part }),
    ...(folder === undefined ? {} : { folder }),
  };
}

function wordsFor({ name, extension }: Owner): string {
  return extension ? 'another extension' : `the MCP server ${name}`;
}

function shown(args: unknown): string {
  const text = JSON.stringify(args) ?? '';
  return text === '{}' ? '' : text;
}

/** The server checks the arguments itself; what is missing can be said without asking it. */
function requiring(required: unknown): z.ZodType {
  const names = Array.isArray(required) ? required.map(String) : [];
  return z.looseObject({}).superRefine((args, check) => {
    for (const name of names) {
      if (args[name] === undefined) check.addIssue({ code: 'custom', path: [name], message: 'is required' });
    }
  });
}

function found(tools: ServerTool[], query: string): string {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  const ranked = tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score);
  if (ranked.length === 0) {
    return `No tool fits. Their names: ${cut(tools.map(({ name }) => name).join(', '), 6_000)}`;
  }
  const shownTools = ranked.slice(0, MOST_FOUND).map(({ tool }) => {
    const schema = JSON.stringify(providerSchema(tool.inputSchema));
    return `${tool.name}: ${cut(tool.description, 400)}\narguments: ${cut(schema, 3_000)}`;
  });
  const more = ranked.slice(MOST_FOUND).map(({ tool }) => tool.name);
  return [...shownTools, ...(more.length > 0 ? [`Also: ${cut(more.join(', '), 3_000)}`] : [])].join('\n\n');
}

function scoreOf({ name, description }: ServerTool, words: string[]): number {
  const inName = name.toLowerCase();
  const inText = description.toLowerCase();
  return words.reduce(
    (sum, word) => sum + (inName === word ? 5 : 0) + (inName.includes(word) ? 3 : 0) + (inText.includes(word) ? 1 : 0),
    0,
  );
}

function rowsOf(answer: unknown, list: string, key: string): string[] {
  const items = (answer as Record<string, unknown>)[list];
  return (Array.isArray(items) ? items : []).slice(0, 200).map((item: unknown) => {
    const fields = item as Record<string, unknown>;
    const about = [fields['title'] ?? fields['name'], fields['description']].filter(
      (text) => typeof text === 'string' && text !== fields[key],
    );
    const args = Array.isArray(fields['arguments']) ? ` (arguments: ${JSON.stringify(fields['arguments'])})` : '';
    return cut(`${String(fields[key])}${about.length > 0 ? `: ${about.join(', ')}` : ''}${args}`, 500);
  });
}

function promptResult(answer: unknown): ToolResult {
  const { messages } = answer as { messages?: unknown };
  const parts = (Array.isArray(messages) ? messages : []).map((message) => (message as { content?: unknown }).content);
  return resultOf({ content: parts });
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
