import { t } from '@vscode/l10n';
import * as z from 'zod';

const texts = z.record(z.string(), z.string());

/** One MCP server as a person writes it, in `nanobot.mcpServers` or in config.json: a program, or an address. */
export const mcpServerSchema = z.object({
  type: z
    .enum(['stdio', 'http', 'streamableHttp', 'sse'])
    .optional()
    .describe('How to speak to it. Without: a program where `command` is given, else streamable HTTP, then SSE.'),
  command: z.string().optional().describe('The program, such as `npx`.'),
  args: z.array(z.string()).optional().describe("The program's arguments."),
  env: texts.optional().describe("Environment variables beside the person's own."),
  envFile: z.string().optional().describe('A file of lines NAME=value inside the workspace folder, with more of them.'),
  cwd: z.string().optional().describe('The folder it runs in. Without: the first workspace folder.'),
  url: z.string().optional().describe('Address of a server on the network.'),
  headers: texts.optional().describe('Headers sent with every request.'),
  enabledTools: z
    .array(z.string())
    .optional()
    .describe('Names of the tools to offer. Without, or with `*`: all of them. Empty: the server is not started.'),
  toolTimeout: z.number().positive().max(3600).optional().describe('Seconds a call may take without news; default 30.'),
});

export type McpServerEntry = z.output<typeof mcpServerSchema>;

/** The form of one entry for the editor's completion and checks. */
export function mcpServerForm(): Record<string, unknown> {
  const { $schema: _schema, ...form } = z.toJSONSchema(mcpServerSchema, { io: 'input' }) as Record<string, unknown>;
  return form;
}

/** Names as nanobot (Python) writes them. */
const SNAKE: Record<string, string> = {
  enabled_tools: 'enabledTools',
  env_file: 'envFile',
  tool_timeout: 'toolTimeout',
};

/** An entry checked; a problem names the field and what was expected. `null` counts as not set, unknown fields are ignored. */
export function readMcpServer(value: unknown): { entry: McpServerEntry } | { problem: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: t('expected an object') };
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  const parsed = mcpServerSchema.safeParse(
    Object.fromEntries(fields.map(([key, field]) => [SNAKE[key] ?? key, field])),
  );
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return { problem: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? t('another value was expected')}` };
  }
  const { command, url } = parsed.data;
  // nanobot writes the empty text for what is not set.
  if (!command && !url) return { problem: t('give a `command` (a program) or a `url` (an address)') };
  if (command && url) return { problem: t('`command` and `url` cannot both be given') };
  return { entry: parsed.data };
}
