import { t } from '@vscode/l10n';
import * as z from 'zod';
import { mcpServerForm } from './mcpServers.js';

/**
 * The one description of every setting. `npm run generate` makes `contributes.configuration` of package.json from it, the readers in
 * `src/vscode/settings.ts` and `src/config/file.ts` validate with it, so a setting cannot exist in one place only.
 */

/**
 * Where VS Code lets a setting come from. `application`: from the person's own settings, for every window, remote ones too. `machine`: the same for one
 * machine. Neither ever comes from a repository. `window`: a workspace may set it, but only to tighten.
 */
type Scope = 'application' | 'machine' | 'window';

const text = (scope: Scope, markdownDescription: string) => ({ scope, markdownDescription });

/** An endpoint of a provider. Keys never stand here: they live in the system's key store. */
export const providerSchema = z.object({
  apiBase: z.string().optional().describe('Base address of the API, such as `http://127.0.0.1:11434/v1`.'),
  extraHeaders: z.record(z.string(), z.string()).optional().describe('Headers added to every request.'),
  api: z
    .enum(['chat', 'responses'])
    .optional()
    .describe(
      "Which of OpenAI's APIs is used: chat completions or Responses. Left out: the one that fits the model, the other where the endpoint asks for it.",
    ),
  models: z
    .record(
      z.string(),
      z.object({
        contextWindow: z.number().int().min(1024).optional(),
        maxOutput: z.number().int().min(1).optional(),
        images: z.boolean().optional(),
        price: z
          .object({ input: z.number().min(0), output: z.number().min(0), cached: z.number().min(0).optional() })
          .optional()
          .describe('US dollars per million tokens.'),
      }),
    )
    .optional()
    .describe('What is known of a model, by its name; overrides the built-in table.'),
});

const efforts = z.enum(['off', 'low', 'medium', 'high']);
const temperature = z.number().min(0).max(2);

/** What a profile holds; what is left out stays as it is set. */
const profileSchema = z.object({
  model: z.string().min(1).optional().describe('`provider/model`, or `auto`.'),
  thinking: efforts.optional().describe('How much the model thinks before it answers, where it can be told.'),
  temperature: temperature.optional().describe('How much chance there is in the answers, for models that take it.'),
  approval: z
    .enum(['ask', 'readonly'])
    .optional()
    .describe('What may be done without asking, where that is less than what is set for all chats.'),
});

export const settingsSchema = z.object({
  home: z
    .string()
    .default('')
    .meta(
      text('machine', "The agent's home folder. Empty: `~/.nanobot/workspace`. It lies where the extension host runs."),
    ),
  model: z
    .string()
    .default('auto')
    .meta(
      text(
        'application',
        "The model, as `provider/model` (such as `anthropic/claude-opus-4-5`), or `auto`: a provider with a key, then VS Code's own models once you agreed, then a local Ollama or LM Studio, then the offline practice model.",
      ),
    ),
  fallbackModels: z
    .array(z.string())
    .default([])
    .meta(
      text(
        'application',
        'Models tried in this order when the model fails and retrying did not help, each as `provider/model`.',
      ),
    ),
  providers: z
    .record(z.string(), providerSchema)
    .default({})
    .meta(
      text(
        'application',
        'Addresses, headers and models of providers, by name. Keys are set with **Nanobot: Set API Key**, never here.',
      ),
    ),
  contextWindowTokens: z
    .number()
    .int()
    .min(4096)
    .default(65536)
    .meta(text('application', 'Tokens of context used at most, also where a model has a larger window.')),
  maxTokens: z.number().int().min(256).default(8192).meta(text('application', 'Tokens of one answer at most.')),
  thinking: z
    .enum(['auto', 'off', 'low', 'medium', 'high'])
    .default('auto')
    .meta(
      text(
        'application',
        'How much a model thinks before it answers, where it can be told. `auto`: as it does by itself. A chat may have its own: **Nanobot: Select Model**.',
      ),
    ),
  temperature: temperature
    .nullable()
    .default(null)
    .meta(
      text(
        'application',
        'How much chance there is in the answers, for models that take it; others are not told. Empty: as the model does by itself.',
      ),
    ),
  profiles: z
    .record(z.string().min(1), profileSchema)
    .default({})
    .meta(
      text(
        'application',
        'Sets of choices for a chat, by name, to be picked with **Nanobot: Select Model**: `{"Careful": {"model": "anthropic/claude-opus-5", "thinking": "high", "approval": "readonly"}}`. A profile can only tighten what is asked.',
      ),
    ),
  sessionTitles: z
    .boolean()
    .default(true)
    .meta(
      text(
        'application',
        'Whether a chat is named by the model after its first answer, with one short request in the background. Off: it goes by its first words. A name that you give is never changed.',
      ),
    ),
  maxToolIterations: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(200)
    .meta(text('application', 'Steps (requests to the model) of one turn at most.')),
  maxTurnTokens: z
    .number()
    .int()
    .min(0)
    .default(0)
    .meta(text('application', 'Tokens one turn may use, sent and received together. 0: no limit.')),
  maxTurnCost: z
    .number()
    .min(0)
    .default(0)
    .meta(
      text(
        'application',
        'US dollars one turn may cost by list prices; then it ends and offers to go on. Counts only where the price of the model is known (`#nanobot.providers#` can set it). 0: no limit.',
      ),
    ),
  notifyWhenUnfocused: z
    .boolean()
    .default(true)
    .meta(
      text(
        'application',
        'Whether a notification says that a turn of a chat ended, or that one waits for your answer, while the window does not have the focus.',
      ),
    ),
  approval: z
    .enum(['ask', 'auto', 'readonly'])
    .default('ask')
    .meta({
      ...text('application', 'What the agent may do without asking.'),
      markdownEnumDescriptions: [
        'Reads and edits in the workspace are free (edits can be undone); commands, network and everything outside are asked.',
        'Only dangerous actions are asked.',
        'Only reads in the workspace; everything else is refused.',
      ],
    }),
  approveEdits: z
    .enum(['after', 'before'])
    .default('after')
    .meta({
      ...text(
        'window',
        'Whether edits in the workspace are made first and reviewed after, or shown and approved before. A workspace can only choose `before`.',
      ),
      markdownEnumDescriptions: [
        'Edits are made; each turn can be undone.',
        'Each edit is shown as a diff and waits for Allow.',
      ],
    }),
  'exec.allow': z
    .array(z.string())
    .default([])
    .meta(
      text(
        'application',
        'Commands that run without asking, as words: `npm test` allows exactly these words and lines that begin with them. Options that write files or run programs are still asked.',
      ),
    ),
  'exec.deny': z
    .array(z.string())
    .default([])
    .meta(
      text(
        'application',
        'Commands that are always refused, as words: `git push` refuses every line with a command that begins with these words.',
      ),
    ),
  'exec.timeoutSeconds': z
    .number()
    .int()
    .min(1)
    .max(600)
    .default(60)
    .meta(text('application', 'Seconds a command may run before it goes on in the background.')),
  'exec.shell': z
    .enum(['own', 'integrated'])
    .default('own')
    .meta({
      ...text('application', 'Where commands run.'),
      markdownEnumDescriptions: [
        'In a shell of their own without a terminal: with your environment, without the keys of models, and with nothing that could wait for a key press.',
        "In a terminal named Nanobot with your own shell, as it is after its start-up files: its aliases, functions and environment, keys in it included. Needs VS Code's shell integration with bash or zsh, on Windows PowerShell. Background commands, and those of turns that nobody watches, run in a shell of their own.",
      ],
    }),
  restrictToWorkspace: z
    .boolean()
    .default(false)
    .meta(
      text('window', 'Refuse every path outside the workspace instead of asking. A workspace can only turn it on.'),
    ),
  disabledSkills: z
    .array(z.string())
    .default([])
    .meta(
      text(
        'application',
        'Skills that are switched off, by name, wherever they come from. Those that config.json switches off are off as well.',
      ),
    ),
  'dream.enabled': z
    .boolean()
    .default(true)
    .meta(
      text(
        'application',
        'Whether Dream runs by itself when there is something to learn. It can always be started by hand.',
      ),
    ),
  'dream.intervalHours': z
    .number()
    .min(0.25)
    .max(168)
    .default(2)
    .meta(text('application', 'Hours between two Dreams that start by themselves.')),
  'dream.model': z
    .string()
    .default('')
    .meta(text('application', "Dream's model, as `provider/model`. Empty: the model of the chat.")),
  'dream.maxTokensPerDay': z
    .number()
    .int()
    .min(0)
    .default(500_000)
    .meta(text('application', 'Tokens all Dreams of a day may use together, sent and received. 0: no limit.')),
  'web.search.provider': z
    .enum(['auto', 'brave', 'tavily', 'searxng', 'duckduckgo'])
    .default('auto')
    .meta({
      ...text('application', 'Who is asked when the agent searches the web.'),
      markdownEnumDescriptions: [
        'Brave or Tavily where there is a key, else SearXNG where there is an address, else DuckDuckGo.',
        'Brave Search. Needs a key: **Nanobot: Set API Key**, or `BRAVE_API_KEY`.',
        'Tavily. Needs a key: **Nanobot: Set API Key**, or `TAVILY_API_KEY`.',
        'A SearXNG of your own; its address is `#nanobot.web.search.baseUrl#`.',
        'DuckDuckGo, without a key.',
      ],
    }),
  'web.search.baseUrl': z
    .string()
    .regex(/^(https?:\/\/\S+)?$/, { error: () => t('expected an address such as http://127.0.0.1:8080, or nothing') })
    .default('')
    .meta(
      text('application', 'The address of your SearXNG, such as `http://127.0.0.1:8080`; it has to answer in JSON.'),
    ),
  // Each entry is checked by itself where it is used, so that one wrong server does not take the others away.
  mcpServers: z
    .record(z.string(), z.unknown())
    .default({})
    .meta({
      ...text(
        'application',
        'MCP servers whose tools the agent may use, by name: `{"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"]}` or `{"url": "https://…"}`. **Nanobot: MCP Servers** shows how they are.',
      ),
      additionalProperties: mcpServerForm(),
    }),
  languageModelTools: z
    .array(z.string())
    .default([])
    .meta(
      text(
        'application',
        'Tools of other extensions that the agent may use, by the names VS Code gives them; each use is asked like one of an MCP server. **Nanobot: Choose Tools of Other Extensions** lists them.',
      ),
    ),
  'cron.enabled': z
    .boolean()
    .default(true)
    .meta(text('application', 'Whether schedules run by themselves. They can always be run by hand.')),
  'cron.catchUp': z
    .boolean()
    .default(true)
    .meta(
      text(
        'application',
        'Whether a recurring schedule that was missed while nothing could run it runs once afterwards. One that was to run a single time always does, marked as late.',
      ),
    ),
  'cron.maxTokensPerDay': z
    .number()
    .int()
    .min(0)
    .default(1_000_000)
    .meta(
      text(
        'application',
        'Tokens all schedules and heartbeats of a day may use together, sent and received; then they pause until the next day. 0: no limit.',
      ),
    ),
  'heartbeat.enabled': z
    .boolean()
    .default(true)
    .meta(
      text(
        'application',
        'Whether the agent looks every half hour at what stands under `## Active Tasks` in HEARTBEAT.md. An empty list costs nothing.',
      ),
    ),
});

/** Every setting with its value: what a person set, else config.json, else the default. */
export type Settings = z.output<typeof settingsSchema>;
export type SettingName = keyof Settings;

/** Default values of all settings. */
export function defaultSettings(): Settings {
  return settingsSchema.parse({});
}

/** The scope a setting was declared with. */
export function scopeOf(name: SettingName): Scope {
  return (settingsSchema.shape[name].meta() as { scope: Scope }).scope;
}

/** `contributes.configuration` of package.json. */
export function configurationManifest(): Record<string, unknown> {
  const properties: Record<string, unknown> = {};
  let order = 0;
  for (const [name, schema] of Object.entries(settingsSchema.shape)) {
    const { $schema: _schema, ...json } = z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>;
    properties[`nanobot.${name}`] = { order: order++, ...json };
  }
  return { title: 'Nanobot', properties };
}
