import type { FileStat } from '../../platform/ports.js';
import { isInside } from '../../platform/workspacePaths.js';
import type { KeptEntry } from './snapshotStore.js';

/** A folder that a turn moved, and the position of its former path among the turn's entries. */
export interface MovedFolder {
  index: number;
  from: string;
  to: string;
}

/** The folders that a turn moved, found by what stands where now. `typeAt` says what is at a path: undefined for nothing. */
export async function movedFolders(
  entries: readonly KeptEntry[],
  typeAt: (path: string) => Promise<FileStat['type'] | undefined>,
): Promise<MovedFolder[]> {
  const moved: MovedFolder[] = [];
  // From the last to the first: what was in a folder that moved later is to be looked for where that one is.
  for (let index = entries.length - 2; index >= 0; index--) {
    const entry = entries[index];
    if (entry?.state !== 'folder' || (await typeAt(placeOf(entry.path, index, moved))) !== undefined) continue;
    // A rename announces its two paths one after the other; where it went on from there, the next place follows.
    for (let at = index + 1; entries[at]?.state === 'absent'; at++) {
      const to = entries[at]?.path ?? '';
      const type = await typeAt(placeOf(to, at, moved));
      if (type === 'directory') moved.unshift({ index, from: entry.path, to });
      if (type !== undefined) break;
    }
  }
  return moved;
}

/** The same from the renames that are known of a turn: former path → new path. */
export function movedAmong(entries: readonly KeptEntry[], renames: ReadonlyMap<string, string>): MovedFolder[] {
  return entries.flatMap((entry, index) => {
    const to = entry.state === 'folder' ? renames.get(entry.path) : undefined;
    return to === undefined ? [] : [{ index, from: entry.path, to }];
  });
}

/** Where each entry's content went with the folders that moved after it was touched, by the entry's path. */
export function placesOf(entries: readonly KeptEntry[], moved: readonly MovedFolder[]): Map<string, string> {
  return new Map(entries.map(({ path }, index) => [path, placeOf(path, index, moved)]));
}

function placeOf(path: string, touched: number, moved: readonly MovedFolder[]): string {
  let place = path;
  for (const { index, from, to } of moved) {
    if (index > touched && place !== from && isInside(place, from)) place = to + place.slice(from.length);
  }
  return place;
}

/** The entries but those of a file that was touched before its folder moved and again after: its first state is the one before the turn. */
export function firstTouches<T extends KeptEntry>(entries: readonly T[], places: ReadonlyMap<string, string>): T[] {
  const along = new Map<string, string>();
  for (const { path } of entries) {
    const place = places.get(path);
    if (place !== undefined && place !== path) along.set(place, path);
  }
  return entries.filter(({ path }) => !along.has(path));
}
