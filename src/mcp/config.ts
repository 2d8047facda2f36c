import { t } from '@vscode/l10n';
import { readMcpServer, type McpServerEntry } from '../config/mcpServers.js';

/** Where a server was written down. A workspace's file came with a repository: it is asked before it does anything. */
export type McpSource = 'settings' | 'config.json' | 'workspace';

/** What is started, or reached. */
export type McpTarget =
  | { kind: 'stdio'; command: string; args: string[]; env: Record<string, string>; cwd?: string; envFile?: string }
  | { kind: 'http'; url: string; headers: Record<string, string>; only?: 'http' | 'sse' };

/** A server that can be connected, every variable in it resolved. */
export interface McpServer {
  name: string;
  source: McpSource;
  target: McpTarget;
  /** Names of tools to offer; undefined for all. */
  enabledTools?: string[];
  timeoutMs: number;
  /** The workspace folder it came with. */
  folder?: string;
  /** The target as it may be shown: with the names of the person's variables, and not what they hold. */
  shown?: McpTarget;
  /** It was given values that the person was asked for. */
  asks?: true;
  /** Names in its envFile that it was not given, since they could load code or redirect traffic. */
  withheld?: string[];
}

/** A server as it was written, or why it cannot be used. */
export type McpEntry = McpServer | { name: string; source: McpSource; problem: string; asks?: true };

/** What variables in an entry mean. */
export interface McpVariables {
  /** Absolute path of the folder that `${workspaceFolder}` means; undefined without a trusted one. */
  workspaceFolder: string | undefined;
  userHome: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Names of variables that hold keys of ours, for models or searching: no server is given one. */
  keyNames: readonly string[];
  /** What `${input:id}` means; undefined where there are no inputs. */
  input?(id: string): { text: string } | { problem: string };
}

const DEFAULT_TIMEOUT_S = 30;

/** Reads the servers of one source. A wrong entry yields its problem and takes no other away. */
export function readServers(
  entries: Readonly<Record<string, unknown>>,
  source: McpSource,
  variables: McpVariables,
): McpEntry[] {
  return Object.entries(entries).map(([name, value]) => {
    const read = readMcpServer(value);
    if ('problem' in read) return { name, source, problem: read.problem };
    const sent = source === 'workspace' ? environmentSent(read.entry) : undefined;
    if (sent) return { name, source, problem: sent };
    const unknown = new Set<string>();
    const entry = resolved(read.entry, variables, unknown) as McpServerEntry;
    if (unknown.size > 0) return { name, source, problem: [...unknown].join('; ') };
    const server = serverOf(name, source, entry);
    const folder = variables.workspaceFolder;
    if ('problem' in server || source !== 'workspace' || folder === undefined) return server;
    const shown = serverOf(name, source, resolved(read.entry, variables, new Set(), isSecret) as McpServerEntry);
    return { ...server, folder, ...('target' in shown ? { shown: shown.target } : {}) };
  });
}

/** The sources merged by name: the person's settings first, then config.json, then the workspace's file. Servers without tools are left out. */
export function mergeServers<T extends { name: string }>(...sources: (McpEntry | T)[][]): (McpEntry | T)[] {
  const merged = new Map<string, McpEntry | T>();
  for (const entry of sources.flat()) if (!merged.has(entry.name)) merged.set(entry.name, entry);
  return [...merged.values()].filter((entry) => !('target' in entry) || entry.enabledTools?.length !== 0);
}

/** What would be started or reached, for a person to read. */
export function describeTarget({ target: used, shown }: McpServer): string {
  const target = shown ?? used;
  return target.kind === 'stdio' ? [target.command, ...target.args].join(' ') : target.url;
}

function serverOf(name: string, source: McpSource, entry: McpServerEntry): McpEntry {
  const { command, args = [], env = {}, envFile, cwd, url = '', headers = {}, type, enabledTools, toolTimeout } = entry;
  const common = {
    name,
    source,
    timeoutMs: (toolTimeout ?? DEFAULT_TIMEOUT_S) * 1000,
    ...(enabledTools && !enabledTools.includes('*') ? { enabledTools } : {}),
  };
  if (command)
    return {
      ...common,
      target: { kind: 'stdio', command, args, env, ...(cwd ? { cwd } : {}), ...(envFile ? { envFile } : {}) },
    };
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    const problem = t('url: expected an address that begins with http:// or https://, not "{0}"', url);
    return { name, source, problem };
  }
  const only = type === 'sse' ? 'sse' : type === 'http' || type === 'streamableHttp' ? 'http' : undefined;
  return { ...common, target: { kind: 'http', url, headers, ...(only ? { only } : {}) } };
}

/** Why a workspace's server may not have what it asks for: its repository would choose which of the person's variables go to an address of its own. */
function environmentSent({ url, headers }: McpServerEntry): string | undefined {
  const found = /\$\{env:[^}]*\}/.exec([url ?? '', ...Object.values(headers ?? {})].join('\n'));
  if (!found) return undefined;
  return t(
    '{0} is not filled in where it would be sent to the address of a server that came with a workspace: write the server into the setting nanobot.mcpServers to use it',
    found[0],
  );
}

/** Variables whose values are not shown. */
function isSecret(variable: string): boolean {
  return variable.startsWith('env:') || variable.startsWith('input:');
}

/** The value with `${…}` in every text replaced but those that `leave` names; what cannot be is named in `unknown`. */
function resolved(
  value: unknown,
  variables: McpVariables,
  unknown: Set<string>,
  leave: (variable: string) => boolean = () => false,
): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{([^}]*)\}/g, (whole, name: string) => {
      if (leave(name)) return whole;
      const found = variable(name, variables);
      if ('text' in found) return found.text;
      unknown.add(`${whole} ${found.problem}`);
      return whole;
    });
  }
  if (Array.isArray(value)) return value.map((each) => resolved(each, variables, unknown, leave));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, resolved(each, variables, unknown, leave)]),
  );
}

function variable(name: string, variables: McpVariables): { text: string } | { problem: string } {
  const { workspaceFolder, userHome, env, keyNames } = variables;
  if (name === 'userHome') return { text: userHome };
  if (name === 'workspaceFolder') {
    return workspaceFolder === undefined
      ? { problem: t('needs an open folder that is trusted') }
      : { text: workspaceFolder };
  }
  if (name.startsWith('env:')) {
    const wanted = name.slice(4);
    if (keyNames.includes(wanted.toUpperCase()))
      return { problem: t("is a model or search provider's key, which no server is given") };
    return { text: env[wanted] ?? '' };
  }
  if (name.startsWith('input:')) {
    return (
      variables.input?.(name.slice(6)) ?? {
        problem: t('is not supported: write the server into the setting nanobot.mcpServers with the value itself'),
      }
    );
  }
  return { problem: t('is not supported; ${workspaceFolder}, ${userHome} and ${env:NAME} are') };
}
