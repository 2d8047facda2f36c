import { firstTouches } from './movedFolders.js';
import type { KeptEntry, Manifest, Move } from './snapshotStore.js';

/** What a turn moved and left moved, changed or not. */
export interface Rename {
  /** What was at the former path before the turn. */
  entry: KeptEntry;
  /** Where nothing was. */
  target: KeptEntry;
  /** The former path; elsewhere than the entry's where its folder had been moved before. */
  from: string;
}

/**
 * The renames of a turn: what it said it would move, as far as it is there now, and what else stands as it was at another path. `after` is by the
 * entries' paths what stands there.
 */
export function renamesOf(
  { entries, moves }: Pick<Manifest, 'entries' | 'moves'>,
  places: ReadonlyMap<string, string>,
  after: Record<string, string>,
): Rename[] {
  const known = firstTouches(entries, places);
  const told = [...whereTo(moves)].flatMap(([from, to]): Rename[] => {
    const entry = known.find(({ path }) => path === from) ?? known.find(({ path }) => places.get(path) === from);
    const target = known.find(({ path }) => path === to);
    if (!entry || entry.state === 'absent' || entry.state === 'folder' || after[entry.path] !== 'absent') return [];
    if (target?.state !== 'absent' || ['absent', 'folder', undefined].includes(after[to])) return [];
    return [{ entry, target, from }];
  });
  const rest = known.filter((one) => !told.some(({ entry, target }) => entry === one || target === one));
  const found = [...renamesIn(rest, after)].flatMap(([from, to]): Rename[] => {
    const [entry, target] = [from, to].map((path) => rest.find((one) => one.path === path));
    return entry && target ? [{ entry, target, from }] : [];
  });
  return [...told, ...found];
}

/** First path → last, of what was there before the moves. */
function whereTo(moves: readonly Move[]): Map<string, string> {
  const came = new Map<string, string | undefined>();
  const left = new Set<string>();
  for (const { from, to } of moves) {
    // What is at a path that was left is new there.
    const first = came.has(from) ? came.get(from) : left.has(from) ? undefined : from;
    came.delete(from);
    came.set(to, first);
    left.add(from);
  }
  return new Map([...came].flatMap(([to, first]): [string, string][] => (first === undefined ? [] : [[first, to]])));
}

/** Former path → new path, where what was at one path and is gone is now, as it was, at one where nothing was. */
export function renamesIn(entries: readonly KeptEntry[], after: Record<string, string>): Map<string, string> {
  const renames = new Map<string, string>();
  const taken = new Set<string>();
  entries.forEach((entry, index) => {
    if (entry.state === 'absent' || after[entry.path] !== 'absent') return;
    const target = entries.find((one, at) => {
      if (one.state !== 'absent' || taken.has(one.path)) return false;
      if (entry.state !== 'folder') return after[one.path] === fingerprintBefore(entry);
      // The content of a folder is not kept, so the order in which a rename announces its two paths has to do: what lies between was left again.
      const between = entries.slice(index + 1, at);
      const isNext = at > index && between.every(({ path, state }) => state === 'absent' && after[path] === 'absent');
      return isNext && after[one.path] === 'folder';
    });
    if (!target) return;
    taken.add(target.path);
    renames.set(entry.path, target.path);
  });
  return renames;
}

/** What an entry's path was before the turn, as `fingerprints` would have said then. */
export function fingerprintBefore(entry: KeptEntry): string {
  if (entry.state === 'file') return entry.blob;
  return entry.state === 'large' ? `large ${entry.size} ${entry.mtime}` : entry.state;
}
