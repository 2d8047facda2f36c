import { unlessAborted } from '../../platform/abort.js';
import type { Languages, LanguageSymbol, Spot } from '../../platform/languages.js';
import type { Clock, Workspace } from '../../platform/ports.js';
import { reasonOf } from '../../platform/reason.js';
import { isInside } from '../../platform/workspacePaths.js';
import { ToolError } from '../../runner/tool.js';
import { inWords, locate, requireFile } from './paths.js';
import { plural, rawText, readFileText } from './text.js';
import { editorLines } from './textChanges.js';

/** Milliseconds a language service has for an answer; the first one in a large project reads all of it. */
const ANSWER_MS = 10_000;
const listed = 100;
const longestLine = 150;

/** What the tools over the language services need. */
export interface LanguageNeeds {
  languages: Languages;
  workspace: Workspace;
  clock: Clock;
  /** Names of files whose text is not shown unasked. */
  sensitive: (path: string) => boolean;
}

/**
 * The answer of a language service. Throws a `ToolError` with its words where it refuses and with the next step where it says nothing within 10 s,
 * and the signal's reason where the turn is stopped.
 */
export async function answerOf<T>(
  needs: Pick<LanguageNeeds, 'clock'>,
  work: Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const over = new AbortController();
  const late = needs.clock.sleep(ANSWER_MS, over.signal).then(() => {
    throw new ToolError(
      'The language service did not answer within 10 s; it may still be reading the project. Try again later, or use grep and edit_file.',
    );
  });
  const refused = work.catch((cause: unknown) => {
    throw cause instanceof ToolError ? cause : new ToolError(`The language service says: ${reasonOf(cause)}`);
  });
  try {
    const first = Promise.race([refused, late]);
    return await (signal ? unlessAborted(first, signal) : first);
  } finally {
    over.abort();
    late.catch(() => undefined);
  }
}

/** Throws the `ToolError` for a file that no language service takes. */
export async function requireService(
  needs: LanguageNeeds,
  path: string,
  signal?: AbortSignal,
): Promise<LanguageSymbol[]> {
  await requireFile(needs.workspace, path);
  const symbols = await answerOf(needs, needs.languages.documentSymbols(path), signal);
  if (symbols) return symbols;
  throw new ToolError(
    `No language service here knows ${needs.workspace.label(path)} (an extension for its language may be missing). Use grep and edit_file.`,
  );
}

/** Where a symbol stands in a line, as the model named the two. */
export interface FoundSpot extends Spot {
  /** Every column of that line where the name stands. */
  columns: number[];
}

/** Finds a name in a line. Throws a `ToolError` that lists the lines where it stands instead. */
export async function spotIn(workspace: Workspace, path: string, line: number, symbol: string): Promise<FoundSpot> {
  const target = locate(workspace, path);
  const label = workspace.label(target);
  await requireFile(workspace, target);
  const text = readFileText((await inWords(label, () => workspace.read(target))).bytes);
  if (!text) throw new ToolError(`${label} is no text.`);
  const lines = editorLines(text.raw);
  const columns = columnsOf(lines[line - 1] ?? '', symbol);
  const [column] = columns;
  if (column !== undefined) return { path: target, line, column, columns };
  const elsewhere = lines.flatMap((one, index) => (columnsOf(one, symbol).length > 0 ? [index + 1] : []));
  const near = elsewhere.sort((a, b) => Math.abs(a - line) - Math.abs(b - line)).slice(0, 10);
  const where =
    near.length > 0
      ? `It stands in ${near.length === 1 ? 'line' : 'lines'} ${near.sort((a, b) => a - b).join(', ')}.`
      : 'It stands nowhere in this file; use grep to find it.';
  const short = line > lines.length ? ` (the file has ${plural(lines.length, 'line')})` : '';
  throw new ToolError(`"${symbol}" does not stand in line ${line} of ${label}${short}. ${where}`);
}

/** Columns, from 1, where a name stands as a whole word. */
export function columnsOf(line: string, symbol: string): number[] {
  const columns: number[] = [];
  const isWord = (letter: string | undefined): boolean => letter !== undefined && /[\p{L}\p{N}_$]/u.test(letter);
  if (symbol === '') return columns;
  for (let at = line.indexOf(symbol); at >= 0; at = line.indexOf(symbol, at + 1)) {
    const before = isWord(symbol[0]) && isWord(line[at - 1]);
    const after = isWord(symbol.at(-1)) && isWord(line[at + symbol.length]);
    if (!before && !after) columns.push(at + 1);
  }
  return columns;
}

/** `path:line kind name`, one line each, at most 100. */
export function symbolLines(workspace: Workspace, symbols: readonly LanguageSymbol[]): string {
  const lines = symbols.slice(0, listed).map(({ path, line, kind, name, container }) => {
    return `${workspace.label(path)}:${line} ${kind} ${name}${container === undefined ? '' : ` (in ${container})`}`;
  });
  return withMore(lines, symbols.length);
}

/** `path:line  text`, one line each and each place once, at most 100. The text of files outside the workspace is not shown. */
export async function spotLines(
  needs: LanguageNeeds,
  spots: readonly Spot[],
): Promise<{ text: string; count: number }> {
  const { workspace } = needs;
  const once = [...new Map(spots.map((spot) => [`${spot.path}:${spot.line}`, spot])).values()].sort(inOrder);
  const texts = new Map<string, string[]>();
  const lines: string[] = [];
  for (const { path, line } of once.slice(0, listed)) {
    if (!texts.has(path)) texts.set(path, await shownLines(needs, path));
    const text = texts.get(path)?.[line - 1]?.trim() ?? '';
    const shown = text.length > longestLine ? `${text.slice(0, longestLine)}…` : text;
    lines.push(`${workspace.label(path)}:${line}${shown === '' ? '' : `  ${shown}`}`);
  }
  return { text: withMore(lines, once.length), count: once.length };
}

function inOrder(a: Spot, b: Spot): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line;
}

async function shownLines({ workspace, sensitive }: LanguageNeeds, path: string): Promise<string[]> {
  const real = await workspace.realPath(path).catch(() => undefined);
  if (real === undefined || sensitive(real) || !(await isOfProject(workspace, real))) return [];
  const file = await workspace.read(path).catch(() => undefined);
  return file ? editorLines(rawText(file.bytes) ?? '') : [];
}

async function isOfProject(workspace: Workspace, real: string): Promise<boolean> {
  for (const { path } of workspace.folders()) {
    if (isInside(real, path) || isInside(real, await workspace.realPath(path))) return true;
  }
  return false;
}

function withMore(lines: readonly string[], total: number): string {
  return [...lines, ...(total > lines.length ? [`… ${total - lines.length} more`] : [])].join('\n');
}
