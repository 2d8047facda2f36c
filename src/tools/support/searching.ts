import type { Search, Workspace } from '../../platform/ports.js';
import { reasonOf } from '../../platform/reason.js';
import { isUri } from '../../platform/workspacePaths.js';
import { ToolError } from '../../runner/tool.js';
import { locate, requireThere, type FileToolNeeds } from './paths.js';

/** What the two search tools need. */
export interface SearchToolNeeds extends FileToolNeeds {
  search: Search;
}

/** The time limit of one search. */
export const searchTimeoutMs = 20_000;

/** Results that are shown unless more or fewer are asked for. */
export const resultsByDefault = 250;

/** Where to search: the path given, or every folder of the workspace. Throws a `ToolError` where there is nothing to search. */
export function rootsOf(workspace: Workspace, path: string | undefined): string[] {
  if (path !== undefined && path !== '') return [locate(workspace, path)];
  const folders = workspace.folders().map((folder) => folder.path);
  if (folders.length === 0) throw new ToolError('No folder is open: give the path to search.');
  return folders;
}

/** Throws a `ToolError` for a root that does not exist or that no program can search. */
export async function requireSearchable(workspace: Workspace, roots: readonly string[]): Promise<void> {
  for (const root of roots) {
    if (isUri(root))
      throw new ToolError(
        `${workspace.label(root)} is not on a disk and cannot be searched: use list_dir and read_file.`,
      );
    await requireThere(workspace, root);
  }
}

/** Runs a search; what the engine has against the query becomes a `ToolError`, an abort stays one. */
export async function searching<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ToolError(`The search could not be made: ${reasonOf(error)}`);
  }
}

/** Said in place of results when the time was up before any were found: this is not the same as none. */
export const timedOutEmpty = `The search took longer than ${searchTimeoutMs / 1000} s and was stopped before it found anything. Narrow it with path, glob or type.`;

/** Put in front of results that may not be all. */
export const timedOutPartly = `(stopped after ${searchTimeoutMs / 1000} s; there may be more)`;

/** The order of paths in which ripgrep sorts: part by part. */
export function comparePaths(a: string, b: string): number {
  const [left, right] = [a.split(/[\\/]/), b.split(/[\\/]/)];
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const [x, y] = [left[index] ?? '', right[index] ?? ''];
    if (x !== y) return x < y ? -1 : 1;
  }
  return left.length - right.length;
}
