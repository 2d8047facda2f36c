import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The newest change time in milliseconds among the files and folders given, 0 where none of them exists. */
export function newestChange(paths) {
  return Math.max(0, ...changeTimes(paths));
}

/**
 * True if `made` is missing, or older than any of the sources. Folders are walked; the change time of a folder counts
 * too among the sources, so that a deleted source is noticed.
 */
export function isStale(made, sources) {
  const newest = newestChange(made);
  return newest === 0 || newest < newestChange(sources);
}

function changeTimes(paths) {
  return paths.flatMap((path) => {
    const entry = statSync(path, { throwIfNoEntry: false });
    if (!entry) return [];
    if (!entry.isDirectory()) return [entry.mtimeMs];
    return [entry.mtimeMs, ...changeTimes(readdirSync(path).map((name) => join(path, name)))];
  });
}
