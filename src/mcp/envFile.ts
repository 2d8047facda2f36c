import { t } from '@vscode/l10n';
import { isAbsolute, join } from 'node:path';
import { reasonOf } from '../platform/reason.js';
import { isInside } from '../platform/workspacePaths.js';
import type { Log, Workspace } from '../platform/ports.js';
import { loadsCode } from './loadingVariables.js';
import type { McpEntry, McpServer } from './config.js';

/** Bytes of a file with variables; what is larger is none. */
const LARGEST = 64_000;

export interface EnvFileDeps {
  workspace: Pick<Workspace, 'realPath' | 'stat' | 'readRange'>;
  log: Log;
  /** Names of variables that hold keys of ours: no server is given one. */
  keyNames: readonly string[];
}

/**
 * The server with the variables of its `envFile`, a file inside the workspace folder. What the entry itself sets wins. The person agreed to the file's
 * name and not to what a later commit puts into it: what would load code or redirect traffic is left out, and named in `withheld`. A file that is not there, lies elsewhere
 * or cannot be understood is the server's problem.
 */
export async function withEnvFile(server: McpServer, folder: string | undefined, deps: EnvFileDeps): Promise<McpEntry> {
  const { target, name, source } = server;
  if (target.kind !== 'stdio' || !target.envFile) return server;
  const { envFile } = target;
  const problem = (words: string) => ({ name, source, problem: t('envFile {0}: {1}', envFile, words) });
  if (folder === undefined) return problem(t('it needs an open folder that is trusted.'));
  try {
    const path = await deps.workspace.realPath(isAbsolute(envFile) ? envFile : join(folder, envFile));
    if (!isInside(path, await deps.workspace.realPath(folder))) return problem(t('it has to lie inside {0}.', folder));
    const stat = await deps.workspace.stat(path);
    if (stat?.type !== 'file') return problem(t('there is no such file.'));
    if (stat.size > LARGEST) return problem(t('it has more than {0} KB.', LARGEST / 1000));
    const read = readVariables(new TextDecoder().decode(await deps.workspace.readRange(path, 0, LARGEST)));
    if ('line' in read) return problem(t('line {0} is not NAME=value.', read.line));
    const keys = Object.keys(read.variables).filter((each) => deps.keyNames.includes(each.toUpperCase()));
    for (const key of keys) {
      delete read.variables[key];
      deps.log.warn(
        `The MCP server ${name} is not given ${key} of ${envFile}: it holds a key of Nanobot's models or searching.`,
      );
    }
    const withheld = Object.keys(read.variables).filter(loadsCode);
    for (const variable of withheld) delete read.variables[variable];
    if (withheld.length > 0) deps.log.warn(`The MCP server ${name} is ${withheldWords(withheld)}`);
    const env = { ...read.variables, ...target.env };
    return { ...server, target: { ...target, env }, ...(withheld.length > 0 ? { withheld } : {}) };
  } catch (cause) {
    return problem(t('it could not be read ({0}).', reasonOf(cause)));
  }
}

/** What the logs say of variables that a server was not given. */
export function withheldWords(names: readonly string[]): string {
  return `not given ${names.join(', ')} of its envFile, which could load code or redirect what it sends. Set it in the server's env if it is meant.`;
}

/** Lines of NAME=value: `export` may stand in front, quotes around the value, `#` before a remark. The first line that is none of it otherwise. */
export function readVariables(text: string): { variables: Record<string, string> } | { line: number } {
  const variables: Record<string, string> = {};
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const match = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=\s*(.*?)\s*$/.exec(line);
    if (!match) return { line: at + 1 };
    const [, name = '', value = ''] = match;
    variables[name] = valueOf(value);
  }
  return { variables };
}

function valueOf(written: string): string {
  const single = /^'([^']*)'\s*(?:#.*)?$/.exec(written)?.[1];
  if (single !== undefined) return single;
  const double = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(written)?.[1];
  if (double !== undefined)
    return double.replaceAll(/\\(.)/g, (_whole, letter: string) => (letter === 'n' ? '\n' : letter));
  return written.replace(/\s+#.*$/, '');
}
