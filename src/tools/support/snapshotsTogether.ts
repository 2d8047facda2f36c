import type { KeptEntry, Manifest, Timed } from './snapshotStore.js';

/**
 * Turns, the first to touch a file first, in groups of those that changed files at the same time. One of them that is undone after another would
 * bring back what that other one had made.
 */
export function sideBySide<T>(turns: readonly T[], touches: (turn: T) => Manifest): T[][] {
  const groups: T[][] = [];
  let lastTouch = 0;
  for (const turn of turns) {
    const touched = touches(turn);
    if (touched.firstTouch !== 0 && touched.firstTouch <= lastTouch) groups.at(-1)?.push(turn);
    else groups.push([turn]);
    lastTouch = Math.max(lastTouch, touched.lastTouch);
  }
  return groups;
}

/** What turns of one group did, as if one turn had done it: what was at a path is what the first to touch it found there. */
export function joined(manifests: readonly Manifest[]): Manifest {
  const [first, ...others] = manifests;
  if (first && others.length === 0) return first;
  const entries = new Map<string, Timed<KeptEntry>>();
  for (const entry of inTime(manifests.flatMap((manifest) => manifest.entries)))
    if (!entries.has(entry.path)) entries.set(entry.path, entry);
  const known = [...entries.values()];
  // A folder's new path stands right behind the former one, by which its move is known: whatever another turn touched in between.
  const places = manifests.flatMap((manifest) =>
    manifest.entries.flatMap((entry, at) => {
      if (entries.get(entry.path) !== entry) return [];
      const from = manifest.entries[at - 1];
      return from?.state === 'folder' && entry.state === 'absent' ? [{ entry, from }] : [];
    }),
  );
  for (const { entry, from } of places) {
    if (entries.get(from.path) !== from) continue;
    known.splice(known.indexOf(entry), 1);
    known.splice(known.indexOf(from) + 1, 0, entry);
  }
  const touches = manifests.filter(({ firstTouch }) => firstTouch !== 0);
  return {
    entries: known,
    moves: inTime(manifests.flatMap(({ moves }) => moves)),
    firstTouch: Math.min(...touches.map(({ firstTouch }) => firstTouch)),
    lastTouch: Math.max(...touches.map(({ lastTouch }) => lastTouch)),
    settledPaths: new Map(),
    told: new Map(),
  };
}

/** Of two at the same time the one that comes first stays so. */
function inTime<T extends { at: number }>(list: readonly T[]): T[] {
  return list.toSorted((one, other) => one.at - other.at);
}
