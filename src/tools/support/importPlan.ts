import { relative, sep } from 'node:path';
import type { Languages, RenameEdits } from '../../platform/languages.js';
import type { Clock, Search, Workspace } from '../../platform/ports.js';
import { folderOf, isInside, isUri, parentOf } from '../../platform/workspacePaths.js';
import { ToolError } from '../../runner/tool.js';
import { importChanges, importerSpot, isSource, namesOf, SOURCE_GLOB, type Move } from './importPaths.js';
import { answerOf } from './languageSpots.js';
import { planEdits, type PlannedFile } from './renamePlan.js';
import { rawText } from './text.js';

const mostFiles = 1_000;
const SEARCH_MS = 10_000;

export interface ImportNeeds {
  workspace: Workspace;
  search: Search;
  clock: Clock;
  /** Without them, relative imports are changed by their form. */
  languages: Languages | undefined;
}

/**
 * What has to change in JavaScript and TypeScript when a file or folder moves, worked out before it does. Where a file is moved that another one imports,
 * the language service says it, which knows aliases too: renaming an import's path means renaming its file. Else relative imports are changed
 * by their form. Nothing changes for other languages, or files not on a disk.
 */
export async function planImports(
  needs: ImportNeeds,
  from: string,
  to: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<PlannedFile[]> {
  const { workspace } = needs;
  const stat = await workspace.stat(from);
  if (isUri(from) || !stat || (stat.type === 'file' && !isSource(from))) return [];
  const move = { from: slashed(from), to: slashed(to) };
  const own: RenameEdits = { files: [], movesFiles: false };
  let importer: { path: string; line: number; column: number } | undefined;
  for (const path of await candidates(needs, move, signal)) {
    const file = await workspace.read(path).catch(() => undefined);
    const text = rawText(file?.bytes);
    if (text === undefined) continue;
    const changes = importChanges(slashed(path), text, move);
    if (changes.length > 0) own.files.push({ path, changes });
    const spot = /\.(vue|svelte)$/.test(path) ? undefined : importerSpot(slashed(path), text, move);
    if (spot && !isInside(path, from)) importer ??= { path, ...spot };
  }
  const edits = importer && stat.type === 'file' ? await fromService(needs, importer, from, to, signal) : undefined;
  if (!edits) return planEdits(workspace, own);
  try {
    return await planEdits(workspace, edits);
  } catch (cause) {
    if (!(cause instanceof ToolError)) throw cause;
    // What the service says does not fit the files: relative imports can be changed without it.
    return planEdits(workspace, own);
  }
}

/** Undefined where the service does not know: relative imports are then changed without it. */
async function fromService(
  needs: ImportNeeds,
  importer: { path: string; line: number; column: number },
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<RenameEdits | undefined> {
  const { languages } = needs;
  // An import of a folder stands for its index file, and renaming it would mean the folder.
  if (!languages || namesOf({ from: slashed(from), to }).includes('index')) return undefined;
  try {
    const edits = await answerOf(needs, languages.rename(importer, slashed(relative(parentOf(from), to))), signal);
    return edits.movesFiles && edits.files.length > 0 ? edits : undefined;
  } catch (cause) {
    if (!(cause instanceof ToolError)) throw cause;
    return undefined;
  }
}

/** Files that may import what moves, and those that move. */
async function candidates({ workspace, search }: ImportNeeds, move: Move, signal: AbortSignal): Promise<string[]> {
  const from = move.from.replaceAll('/', sep);
  const root = folderOf(from, workspace.folders())?.path;
  if (root === undefined) return [];
  const query = { roots: [root], globs: [SOURCE_GLOB], limit: mostFiles, mode: 'files' as const, fixedStrings: true };
  const paths = new Set<string>();
  for (const pattern of namesOf(move)) {
    const { hits } = await search.grep({ ...query, pattern }, { signal, timeoutMs: SEARCH_MS });
    for (const { path } of hits) paths.add(path);
  }
  if ((await workspace.stat(from))?.type === 'file') paths.add(from);
  else {
    const inside = { roots: [from], globs: [SOURCE_GLOB], limit: mostFiles };
    for (const path of (await search.files(inside, { signal, timeoutMs: SEARCH_MS })).hits) paths.add(path);
  }
  return [...paths].sort();
}

function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
