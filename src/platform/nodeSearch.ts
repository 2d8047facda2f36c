import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { codeOf, fileErrorOf } from './fileErrors.js';
import { runRipgrep } from './nodeRipgrep.js';
import { walkFiles, walkGrep } from './nodeWalkSearch.js';
import type { GrepHit, GrepQuery, Search, SearchOutcome } from './ports.js';
import type { SearchEnding, SearchLimits, SearchRoot } from './searchRoot.js';

/** Where ripgrep is looked for. */
export interface NodeSearchOptions {
  /** Absolute paths, tried in order before PATH. */
  ripgrep: string[];
  /** In the form of PATH, in place of this process's. */
  searchPath?: string;
}

/** The search of this machine's disk, and what it runs on. */
export interface NodeSearch extends Search {
  /** The path of the ripgrep in use, or undefined where the built-in search has to do. */
  ripgrep(): Promise<string | undefined>;
}

type FilesQuery = Parameters<Search['files']>[0];

/** What both engines offer for one root. */
interface Engine {
  grep(
    query: GrepQuery,
    root: SearchRoot,
    limits: SearchLimits,
    onHit: (hit: GrepHit) => boolean,
  ): Promise<SearchEnding>;
  files(
    query: FilesQuery,
    root: SearchRoot,
    limits: SearchLimits,
    onFile: (path: string) => boolean,
  ): Promise<SearchEnding>;
}

const longestLine = 2_000;
const newline = 10;

/** The places where VS Code keeps its ripgrep, from 1.139 on and before. `appRoot` is `vscode.env.appRoot`. */
export function ripgrepInAppRoot(appRoot: string): string[] {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const target = `${process.platform}-${process.arch}`;
  return ['node_modules', 'node_modules.asar.unpacked'].flatMap((modules) => [
    join(appRoot, modules, '@vscode', 'ripgrep-universal', 'bin', target, name),
    join(appRoot, modules, '@vscode', 'ripgrep', 'bin', name),
  ]);
}

/** Searches with ripgrep, looked for at the first search; where there is none, with a walk in JavaScript. */
export function createNodeSearch(options: NodeSearchOptions): NodeSearch {
  let found: Promise<string | undefined> | undefined;
  const ripgrep = (): Promise<string | undefined> => (found ??= findRipgrep(options));
  const withEngine = async <T>(search: (engine: Engine) => Promise<T>): Promise<T> => {
    const binary = await ripgrep();
    if (binary === undefined) return search({ grep: walkGrep, files: walkFiles });
    try {
      return await search(ripgrepEngine(binary));
    } catch (error) {
      // An update of the editor can take its ripgrep away under a running window.
      if (codeOf(error) !== 'ENOENT' || (await runs(binary))) throw error;
      found = undefined;
      return withEngine(search);
    }
  };
  return {
    ripgrep,
    grep: (query, limits) =>
      withEngine(({ grep }) => searchRoots(query, limits, (root, left, take) => grep(query, root, left, take))),
    async files(query, limits) {
      const outcome = await withEngine(({ files }) =>
        searchRoots<string>(query, limits, (root, left, take) => files(query, root, left, take)),
      );
      if (query.roots.length < 2) return outcome;
      const hits = await newestFirst(outcome.hits);
      return { ...outcome, hits: hits.slice(0, query.limit), limited: outcome.limited || hits.length > query.limit };
    },
  };
}

/**
 * Searches one root after the other under one time limit. `limited` is true only where something was left out: each engine is let to find one
 * more than asked for. Files are limited by root, because the newest can lie in the last.
 */
async function searchRoots<T>(
  query: { roots: string[]; limit: number; mode?: string },
  limits: SearchLimits,
  search: (root: SearchRoot, left: SearchLimits, take: (hit: T) => boolean) => Promise<SearchEnding>,
): Promise<SearchOutcome<T>> {
  const deadline = performance.now() + limits.timeoutMs;
  const outcome: SearchOutcome<T> = { hits: [], limited: false, timedOut: false };
  for (const path of query.roots) {
    const room = query.mode === undefined ? query.limit : query.limit - outcome.hits.length;
    const hits: T[] = [];
    const left = { signal: limits.signal, timeoutMs: Math.max(1, deadline - performance.now()) };
    const ending = await search(await rootOf(path), left, (hit) => hits.length < room && hits.push(hit) > 0);
    outcome.hits.push(...hits);
    if (ending === 'limit') outcome.limited = true;
    if (ending === 'timeout') return { ...outcome, timedOut: true };
    if (outcome.limited && query.mode !== undefined) break;
  }
  return outcome;
}

async function rootOf(path: string): Promise<SearchRoot> {
  if (!isAbsolute(path)) throw fileErrorOf('EINVAL', path, 'only folders on a disk can be searched');
  const stat = await fs.stat(path);
  return stat.isDirectory() ? { cwd: path, entry: '.' } : { cwd: dirname(path), entry: basename(path) };
}

function ripgrepEngine(binary: string): Engine {
  const common = ['--no-config', '--no-messages', '--no-require-git', '--color=never', '--null'];
  return {
    grep(query, { cwd, entry }, limits, onHit) {
      const args = [...common, ...grepArguments(query), '--', query.pattern, `./${entry}`];
      const parse = recordParser(query.mode, cwd);
      const onRecord = (record: string): boolean => {
        const hit = parse(record);
        return hit === undefined || onHit(hit);
      };
      return runRipgrep({ binary, args, cwd, separator: query.mode === 'files' ? 0 : newline, onRecord, ...limits });
    },
    files(query, { cwd, entry }, limits, onFile) {
      const args = [...common, '--files', '--sortr=modified', ...globArguments(query.globs), `./${entry}`];
      if (query.hidden) args.unshift('--hidden');
      return runRipgrep({
        binary,
        args,
        cwd,
        separator: 0,
        onRecord: (record) => onFile(join(cwd, record)),
        ...limits,
      });
    },
  };
}

function grepArguments(query: GrepQuery): string[] {
  const args = ['--hidden', '--crlf', '--engine=auto', '--with-filename', ...globArguments(query.globs ?? [])];
  if (query.mode === 'files') args.push('--files-with-matches');
  else if (query.mode === 'count') args.push('--count');
  else args.push('--line-number', '--no-heading', `--max-columns=${longestLine}`, '--max-columns-preview');
  if (query.mode === 'content' && query.before) args.push(`--before-context=${query.before}`);
  if (query.mode === 'content' && query.after) args.push(`--after-context=${query.after}`);
  if (query.sorted) args.push('--sort=path');
  if (query.fixedStrings) args.push('--fixed-strings');
  if (query.ignoreCase) args.push('--ignore-case');
  if (query.multiline) args.push('--multiline', '--multiline-dotall');
  if (query.type !== undefined) args.push(`--type=${query.type}`);
  return args;
}

/** Hidden files are searched, what git keeps for itself is not. Later globs win. */
function globArguments(globs: string[]): string[] {
  return [...globs, '!.git'].map((glob) => `--glob=${glob}`);
}

/** Lines of ripgrep's plain output, which cuts long lines itself: `path NUL line : text`, with `-` in place of `:` for context. */
function recordParser(mode: GrepQuery['mode'], cwd: string): (record: string) => GrepHit | undefined {
  let last = { name: '', path: '' };
  const pathOf = (name: string): string => {
    if (name !== last.name) last = { name, path: join(cwd, name) };
    return last.path;
  };
  return (record) => {
    if (mode === 'files') return { path: pathOf(record) };
    const end = record.indexOf('\0');
    if (end < 0) return undefined;
    const path = pathOf(record.slice(0, end));
    const rest = record.slice(end + 1);
    if (mode === 'count') return { path, count: Number(rest) };
    const found = /^(\d+)([:-])/.exec(rest);
    if (!found) return undefined;
    const text = rest.slice(found[0].length).replace(/\r$/, '').slice(0, longestLine);
    return { path, line: Number(found[1]), text, match: found[2] === ':' };
  };
}

async function newestFirst(paths: string[]): Promise<string[]> {
  const dated = await Promise.all(
    paths.map(async (path) => {
      const stat = await fs.stat(path).catch(() => undefined);
      return { path, mtime: stat?.mtimeMs ?? 0 };
    }),
  );
  return dated.sort((a, b) => b.mtime - a.mtime).map(({ path }) => path);
}

async function findRipgrep({ ripgrep, searchPath }: NodeSearchOptions): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const folders = (searchPath ?? process.env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  for (const candidate of [...ripgrep, ...folders.map((folder) => join(folder, name))]) {
    if (await runs(candidate)) return candidate;
  }
  return undefined;
}

/** A file of that name can be for another machine, so it is asked its version. */
async function runs(binary: string): Promise<boolean> {
  const executable = await fs.access(binary, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!executable) return false;
  return new Promise((resolve) => {
    execFile(binary, ['--version'], { timeout: 5_000, env: {} }, (error, out) =>
      resolve(!error && out.startsWith('ripgrep')),
    );
  });
}
