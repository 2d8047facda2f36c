/** One place to search: a folder, or a single file in it. Globs are relative to `cwd`. */
export interface SearchRoot {
  cwd: string;
  /** `.` or the file's name. */
  entry: string;
}

export interface SearchLimits {
  signal: AbortSignal;
  timeoutMs: number;
}

/** How the search of one root ended. */
export type SearchEnding = 'done' | 'limit' | 'timeout';
