import { t } from '@vscode/l10n';
import { isZone } from '../platform/localTime.js';
import * as z from 'zod';
import { defaultSettings, providerSchema, settingsSchema, type SettingName, type Settings } from './schema.js';

/** What nanobot's config.json says, as far as this product reads it. */
export interface ConfigFile {
  /** Values for settings that VS Code's settings do not set. */
  settings: Partial<Settings>;
  /** Keys by provider name. Offered to be moved to the key store, used last. */
  keys: Record<string, string>;
  /** `agents.defaults.timezone`, an IANA name. */
  timezone?: string;
  /** `gateway.heartbeat.intervalS`, seconds. */
  heartbeatSeconds?: number;
  /** One line for each value that could not be used: its path, what was expected, what is used instead. */
  problems: string[];
}

/** Where a setting stands in config.json. */
const PATHS: Partial<Record<SettingName, string>> = {
  home: 'agents.defaults.workspace',
  model: 'agents.defaults.model',
  contextWindowTokens: 'agents.defaults.contextWindowTokens',
  maxTokens: 'agents.defaults.maxTokens',
  temperature: 'agents.defaults.temperature',
  thinking: 'agents.defaults.reasoningEffort',
  maxToolIterations: 'agents.defaults.maxToolIterations',
  'exec.timeoutSeconds': 'tools.exec.timeout',
  restrictToWorkspace: 'tools.restrictToWorkspace',
  disabledSkills: 'agents.defaults.disabledSkills',
  'dream.intervalHours': 'agents.defaults.dream.intervalH',
  'dream.model': 'agents.defaults.dream.modelOverride',
  'web.search.provider': 'tools.web.search.provider',
  'web.search.baseUrl': 'tools.web.search.baseUrl',
  mcpServers: 'tools.mcpServers',
  'cron.enabled': 'gateway.cron.enabled',
  'cron.catchUp': 'gateway.cron.catchUp',
  'cron.maxTokensPerDay': 'gateway.cron.maxTokensPerDay',
  'heartbeat.enabled': 'gateway.heartbeat.enabled',
};

const EXTRAS = {
  heartbeatSeconds: z.number().min(60),
  timezone: z.string().refine(isZone, { error: () => t('expected an IANA time zone such as Europe/Berlin') }),
};

/**
 * Reads config.json as nanobot writes it (camelCase, snake_case too). Never throws: a value that is wrong names its path and what was expected and
 * falls back to the default; unknown keys are ignored; text that is no JSON is one problem and yields nothing.
 */
export function readConfig(text: string): ConfigFile {
  const result: ConfigFile = { settings: {}, keys: {}, problems: [] };
  let root: unknown;
  try {
    root = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    result.problems.push(
      t('config.json is not valid JSON ({0}); defaults are used. Correct it and reload.', (cause as Error).message),
    );
    return result;
  }
  for (const [name, path] of Object.entries(PATHS) as [SettingName, string][]) {
    const value = check(root, path, settingsSchema.shape[name], result.problems);
    if (value !== undefined) (result.settings as Record<string, unknown>)[name] = value;
  }
  const timezone = check(root, 'agents.defaults.timezone', EXTRAS.timezone, result.problems);
  if (timezone !== undefined) result.timezone = timezone as string;
  const beat = check(root, 'gateway.heartbeat.intervalS', EXTRAS.heartbeatSeconds, result.problems);
  if (beat !== undefined) result.heartbeatSeconds = beat as number;
  readProviders(root, result);
  readSearchKey(root, result);
  return result;
}

/** config.json's values filled up with defaults, for shells that have no settings of their own. */
export function withDefaults(config: Partial<Settings>): Settings {
  return { ...defaultSettings(), ...config };
}

function readProviders(root: unknown, result: ConfigFile): void {
  const providers = lookup(root, 'providers');
  if (typeof providers !== 'object' || providers === null) return;
  const settings: Settings['providers'] = {};
  for (const [name, entry] of Object.entries(providers)) {
    const key = lookup(entry, 'apiKey');
    if (typeof key === 'string' && key !== '') result.keys[name] = key;
    const form = providerSchema.shape;
    const part = (field: keyof typeof form) => check(entry, field, form[field], result.problems, `providers.${name}.`);
    const set = Object.entries({
      apiBase: part('apiBase') || undefined,
      extraHeaders: part('extraHeaders'),
      api: part('api'),
      models: part('models'),
    }).filter(([, value]) => value !== undefined);
    if (set.length > 0) settings[name] = Object.fromEntries(set);
  }
  if (Object.keys(settings).length > 0) result.settings.providers = settings;
}

/** One key for whichever provider is named. nanobot names Brave also where there is no key; then the choice is left open. */
function readSearchKey(root: unknown, { settings, keys }: ConfigFile): void {
  const provider = settings['web.search.provider'] ?? 'brave';
  if (provider !== 'brave' && provider !== 'tavily') return;
  const key = lookup(root, 'tools.web.search.apiKey');
  if (typeof key === 'string' && key !== '') keys[provider] = key;
  else delete settings['web.search.provider'];
}

function check(root: unknown, path: string, schema: z.ZodType, problems: string[], prefix = ''): unknown {
  const value = lookup(root, path);
  // nanobot writes null for what is not set.
  if (value === undefined || value === null) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const expected = parsed.error.issues[0]?.message ?? t('another value');
  problems.push(t('config.json: {0}: {1}; the default is used.', prefix + path, expected));
  return undefined;
}

function lookup(root: unknown, path: string): unknown {
  let value = root;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    const object = value as Record<string, unknown>;
    value = object[key] ?? object[key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
  }
  return value;
}
