import * as fs from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { createContext, Script } from 'node:vm';
import { decodeText } from './encoding.js';
import { codeOf } from './fileErrors.js';
import { globMatcher, isIgnored, parseIgnoreFile, type IgnoreScope } from './ignoreRules.js';
import type { GrepHit, GrepQuery } from './ports.js';
import type { SearchEnding, SearchLimits, SearchRoot } from './searchRoot.js';

const ignoreFiles = ['.gitignore', '.ignore', '.rgignore'];
const largestFile = 20 * 1024 * 1024;
const longestLine = 2_000;

/** ripgrep's names for the commonest types. */
const types: Record<string, string[]> = {
  c: ['*.c', '*.h'],
  cpp: ['*.cpp', '*.cc', '*.cxx', '*.hpp', '*.hh', '*.h'],
  csharp: ['*.cs'],
  css: ['*.css', '*.scss'],
  go: ['*.go'],
  html: ['*.html', '*.htm'],
  java: ['*.java'],
  js: ['*.js', '*.jsx', '*.mjs', '*.cjs', '*.vue'],
  json: ['*.json'],
  kotlin: ['*.kt', '*.kts'],
  lua: ['*.lua'],
  md: ['*.md', '*.markdown', '*.mdx'],
  php: ['*.php'],
  py: ['*.py', '*.pyi'],
  ruby: ['*.rb', 'Gemfile', 'Rakefile'],
  rust: ['*.rs'],
  sh: ['*.sh', '*.bash', '*.zsh'],
  sql: ['*.sql'],
  swift: ['*.swift'],
  toml: ['*.toml'],
  ts: ['*.ts', '*.tsx', '*.mts', '*.cts'],
  txt: ['*.txt'],
  xml: ['*.xml'],
  yaml: ['*.yaml', '*.yml'],
};

/** `Search.files` of one root without ripgrep: all files are found first, then sorted, newest first. */
export async function walkFiles(
  query: { globs: string[]; hidden?: boolean },
  root: SearchRoot,
  limits: SearchLimits,
  onFile: (path: string) => boolean,
): Promise<SearchEnding> {
  const wanted = globMatcher(query.globs);
  const dated: { path: string; mtime: number }[] = [];
  const late = deadlineOf(limits);
  let ending: SearchEnding = 'done';
  for await (const { path, relative } of walk(root, query.hidden ?? false, limits.signal)) {
    if (late()) {
      ending = 'timeout';
      break;
    }
    if (!wanted(relative)) continue;
    const stat = await fs.stat(path).catch(() => undefined);
    if (stat) dated.push({ path, mtime: stat.mtimeMs });
  }
  dated.sort((a, b) => b.mtime - a.mtime);
  const all = dated.every(({ path }) => onFile(path));
  return all ? ending : 'limit';
}

/** `Search.grep` of one root without ripgrep, in the order of paths. Files over 20 MB and binary ones are left out. */
export async function walkGrep(
  query: GrepQuery,
  root: SearchRoot,
  limits: SearchLimits,
  onHit: (hit: GrepHit) => boolean,
): Promise<SearchEnding> {
  const matchLines = lineMatcher(query);
  const wanted = globMatcher(query.globs ?? []);
  const typed = typeMatcher(query.type);
  const late = deadlineOf(limits);
  for await (const { path, relative } of walk(root, true, limits.signal)) {
    if (late()) return 'timeout';
    if (!wanted(relative) || !typed(relative)) continue;
    const text = await readText(path);
    if (text === undefined) continue;
    const lines = matchLines(text, late.left());
    if (lines === 'timeout') return 'timeout';
    if (lines.length > 0 && !hitsOf(query, path, text, lines).every(onHit)) return 'limit';
  }
  return 'done';
}

function hitsOf(query: GrepQuery, path: string, text: string, lines: number[]): GrepHit[] {
  if (query.mode === 'files') return [{ path }];
  if (query.mode === 'count') return [{ path, count: lines.length }];
  const all = text.split(/\r?\n/);
  if (all.at(-1) === '') all.pop();
  const matched = new Set(lines);
  const shown = new Set<number>();
  for (const line of lines) {
    const last = Math.min(all.length, line + (query.after ?? 0));
    for (let at = Math.max(1, line - (query.before ?? 0)); at <= last; at++) shown.add(at);
  }
  return [...shown]
    .sort((a, b) => a - b)
    .map((line) => ({ path, line, text: (all[line - 1] ?? '').slice(0, longestLine), match: matched.has(line) }));
}

/**
 * Finds the 1-based numbers of the lines that match. The expression runs in a script with a time limit of its own, because a regular
 * expression of JavaScript can take forever and would hold the whole thread. Throws for a bad pattern.
 */
function lineMatcher(query: GrepQuery): (text: string, ms: number) => number[] | 'timeout' {
  const pattern = expressionOf(query);
  const script = new Script(query.multiline ? wholeTextScript : lineByLineScript);
  const context = createContext({ pattern, text: '' });
  return (text, ms) => {
    context.text = text;
    try {
      return Array.from(script.runInContext(context, { timeout: Math.max(1, Math.floor(ms)) }) as number[]);
    } catch (error) {
      // Thrown in the script's own realm, so it is no instance of this one's Error.
      if (codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'timeout';
      throw error;
    }
  };
}

const lineByLineScript = `(() => {
  const found = [];
  const lines = text.split('\\n');
  if (lines[lines.length - 1] === '') lines.pop();
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i].endsWith('\\r') ? lines[i].slice(0, -1) : lines[i];
    pattern.lastIndex = 0;
    if (pattern.test(line)) found.push(i + 1);
  }
  return found;
})()`;

const wholeTextScript = `(() => {
  const found = new Set();
  let line = 1, at = 0;
  const lineAt = (offset) => {
    for (; at < offset; at++) if (text.charCodeAt(at) === 10) line++;
    return line;
  };
  for (const match of text.matchAll(pattern)) {
    const first = lineAt(match.index);
    const last = lineAt(match.index + Math.max(0, match[0].length - 1));
    for (let n = first; n <= last; n++) found.add(n);
  }
  return [...found];
})()`;

function expressionOf(query: GrepQuery): RegExp {
  const inline = /^\(\?([ims]+)\)/.exec(query.pattern);
  const source = query.fixedStrings
    ? query.pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    : query.pattern.slice(inline?.[0].length ?? 0);
  const flags = new Set(
    `g${query.multiline ? 'ms' : ''}${query.ignoreCase ? 'i' : ''}${query.fixedStrings ? '' : (inline?.[1] ?? '')}`,
  );
  const letters = [...flags].join('');
  try {
    return new RegExp(source, `${letters}u`);
  } catch {
    // Patterns written for ripgrep may escape more than the strict grammar allows.
    return new RegExp(source, letters);
  }
}

function typeMatcher(type: string | undefined): (relative: string) => boolean {
  if (type === undefined) return () => true;
  const globs = types[type];
  if (!globs) throw new Error(`unrecognized file type: ${type}`);
  return globMatcher(globs);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const { size } = await fs.stat(path);
    if (size > largestFile) return undefined;
    return decodeText(await fs.readFile(path))?.text;
  } catch {
    // A file that went away or may not be read is no result; ripgrep passes over it as well.
    return undefined;
  }
}

interface WalkedFile {
  path: string;
  /** With slashes, from the root. */
  relative: string;
}

/** Files in the order of their paths; links are not followed, ignored and unreadable folders are passed over. */
async function* walk(root: SearchRoot, hidden: boolean, signal: AbortSignal): AsyncGenerator<WalkedFile> {
  if (root.entry !== '.') {
    yield { path: join(root.cwd, root.entry), relative: root.entry };
    return;
  }
  yield* walkFolder(root.cwd, '', hidden, await scopesAbove(root.cwd), signal);
}

async function* walkFolder(
  folder: string,
  relative: string,
  hidden: boolean,
  outer: readonly IgnoreScope[],
  signal: AbortSignal,
): AsyncGenerator<WalkedFile> {
  signal.throwIfAborted();
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  const scopes = [...outer, ...(await scopesOf(folder, entries))];
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.name === '.git' || (!hidden && entry.name.startsWith('.'))) continue;
    const path = join(folder, entry.name);
    if (isIgnored(withSlashes(path), entry.isDirectory(), scopes)) continue;
    const inside = relative === '' ? entry.name : `${relative}/${entry.name}`;
    if (entry.isDirectory()) yield* walkFolder(path, inside, hidden, scopes, signal);
    else if (entry.isFile()) yield { path, relative: inside };
  }
}

async function scopesOf(folder: string, entries: Dirent[]): Promise<IgnoreScope[]> {
  const present = ignoreFiles.filter((name) => entries.some((entry) => entry.name === name));
  const files = present.map((name) => join(folder, name));
  if (entries.some((entry) => entry.name === '.git' && entry.isDirectory()))
    files.unshift(join(folder, '.git', 'info', 'exclude'));
  const scopes: IgnoreScope[] = [];
  for (const file of files) {
    const text = await fs.readFile(file, 'utf8').catch(() => '');
    if (text !== '') scopes.push({ base: withSlashes(folder).replace(/\/$/, ''), rules: parseIgnoreFile(text) });
  }
  return scopes;
}

/** The ignore files of the folders above, outermost first, up to the repository's root. */
async function scopesAbove(folder: string): Promise<IgnoreScope[]> {
  const scopes: IgnoreScope[] = [];
  let at = folder;
  let isRepository = await hasGit(at);
  while (!isRepository && dirname(at) !== at) {
    at = dirname(at);
    isRepository = await hasGit(at);
    const entries = await fs.readdir(at, { withFileTypes: true }).catch((): Dirent[] => []);
    scopes.unshift(...(await scopesOf(at, entries)));
  }
  return scopes;
}

async function hasGit(folder: string): Promise<boolean> {
  return fs.stat(join(folder, '.git')).then(
    () => true,
    () => false,
  );
}

function deadlineOf(limits: SearchLimits): (() => boolean) & { left(): number } {
  const deadline = performance.now() + limits.timeoutMs;
  return Object.assign(() => performance.now() > deadline, { left: () => deadline - performance.now() });
}

function withSlashes(path: string): string {
  return sep === '/' ? path : path.split(sep).join('/');
}
