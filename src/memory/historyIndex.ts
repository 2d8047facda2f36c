import { isMissing } from '../platform/fileErrors.js';
import type { FileStat, Files } from '../platform/ports.js';
import { sameBytes } from '../platform/sameBytes.js';
import { readLines, textOfBytes } from '../session/lines.js';
import { parseEntry, type HistoryEntry } from './historyEntry.js';

/** Larger files are read by their tail: so many bytes from the end are known, the rest is searched when it is asked for. */
const LARGE = 50 * 1024 * 1024;
const TAIL = 8 * 1024 * 1024;
/** Bytes before the end that are compared to tell a file that grew from one that was written anew. */
const ANCHOR = 256;
/** Bytes read at once at most, and bytes between two entries that are cheaper read than left out. */
const READ_AT_ONCE = 1024 * 1024;
const GAP = 4096;

/** Where an entry stands in the file. Texts stay on the disk until they are asked for. */
export interface EntryPlace {
  cursor: number;
  /** Bytes from the file's start, and of the line with its line end. */
  offset: number;
  length: number;
  /** 1-based; counted from where the index starts. */
  line: number;
  project: string | undefined;
}

/** What is known of history.jsonl as it was at one moment. Never changed: a newer one takes its place. */
export interface HistoryIndex {
  /** Changes with every change of the file. */
  stamp: string;
  size: number;
  /** Where the part that is known begins: 0, or a line's start in a large file. */
  start: number;
  /** Sorted by cursor, each cursor once. */
  places: readonly EntryPlace[];
  /** How many lines hold no entry, or one whose cursor an earlier line has, and the first of them. */
  broken: { count: number; first: number };
  /** Where the last line with a line end ends; what follows up to `size` is half-written, or lacks its line end. */
  end: number;
  /** Lines up to `end`, counted from `start`. */
  lines: number;
  /** The last bytes before `end`. */
  anchor: Uint8Array;
  ino?: number;
}

export const EMPTY_INDEX: HistoryIndex = {
  stamp: 'none',
  size: 0,
  start: 0,
  places: [],
  broken: { count: 0, first: 0 },
  end: 0,
  lines: 0,
  anchor: new Uint8Array(),
};

/**
 * The index of the file as it is now. Costs one `stat` where nothing changed, the new lines where the file grew, the whole file (at most its tail)
 * otherwise; read and parsed in slices, so that other work gets its turn.
 */
export async function indexOf(files: Files, path: string, known: HistoryIndex): Promise<HistoryIndex> {
  const stat = await files.stat(path);
  if (stat?.type !== 'file' || stat.size === 0) return EMPTY_INDEX;
  const stamp = `${String(stat.ino ?? '')}:${String(stat.mtime)}:${String(stat.size)}`;
  if (stamp === known.stamp) return known;
  if (known.ino === stat.ino && stat.size >= known.end && known.end > 0 && (await sameBefore(files, path, known))) {
    // A last line without a line end was taken as it was; it may have become longer.
    const places = known.end < known.size ? known.places.filter(({ offset }) => offset < known.end) : known.places;
    return scan(files, path, stamp, stat, { ...known, places });
  }
  const start = stat.size > LARGE ? await lineStart(files, path, stat.size - TAIL, stat.size) : 0;
  return scan(files, path, stamp, stat, { ...EMPTY_INDEX, start, end: start });
}

/** The entries at these places, in their order. Undefined where the file changed under us: it has to be indexed anew. */
export async function readPlaces(
  files: Pick<Files, 'readRange'>,
  path: string,
  places: readonly EntryPlace[],
): Promise<HistoryEntry[] | undefined> {
  const entries = new Map<EntryPlace, HistoryEntry>();
  const sorted = [...places].sort((left, right) => left.offset - right.offset);
  for (let from = 0; from < sorted.length;) {
    const first = sorted[from]?.offset ?? 0;
    let end = first;
    let to = from;
    for (let next = sorted[to]; next; next = sorted[to]) {
      const nextEnd = next.offset + next.length;
      if (to > from && (next.offset - end > GAP || nextEnd - first > READ_AT_ONCE)) break;
      end = nextEnd;
      to += 1;
    }
    const bytes = await bytesAt(files, path, first, end - first);
    for (const place of sorted.slice(from, to)) {
      const at = place.offset - first;
      const entry = bytes && parseEntry(textOfBytes(bytes.subarray(at, at + place.length)));
      if (entry?.cursor !== place.cursor) return undefined;
      entries.set(place, entry);
    }
    from = to;
  }
  return places.flatMap((place) => entries.get(place) ?? []);
}

/** The first place whose cursor is greater, as an index into the sorted places. */
export function firstAfter(places: readonly EntryPlace[], cursor: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle]?.cursor ?? 0) <= cursor) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function scan(
  files: Files,
  path: string,
  stamp: string,
  { size, ino }: FileStat,
  from: HistoryIndex,
): Promise<HistoryIndex> {
  const found = [...from.places];
  const broken: number[] = [];
  let { end, lines } = from;
  for await (const batch of readLines(files, path, { offset: end, number: lines + 1 }, size)) {
    let offset = end;
    for (const { bytes, number, end: lineEnd, ended } of batch) {
      const entry = parseEntry(textOfBytes(bytes));
      if (entry) {
        const { cursor, project } = entry;
        found.push({ cursor, offset, length: lineEnd - offset, line: number, project });
      } else if (ended && bytes.some((byte) => byte > 32)) broken.push(number);
      offset = lineEnd;
      if (!ended) continue;
      end = lineEnd;
      lines = number;
    }
  }
  const { places, repeated } = inOrder(found, from.places.length);
  broken.push(...repeated.map(({ line }) => line));
  return {
    stamp,
    size,
    start: from.start,
    places,
    broken: {
      count: from.broken.count + broken.length,
      first: from.broken.count > 0 ? from.broken.first : Math.min(...broken, Infinity),
    },
    end,
    lines,
    anchor: await files.readRange(path, Math.max(0, end - ANCHOR), Math.min(ANCHOR, end)),
    ...(ino === undefined ? {} : { ino }),
  };
}

/**
 * Sorted by cursor; of places with one cursor the first in the file counts. The first `known` are in order already, and so are the rest but for files
 * that somebody edited.
 */
function inOrder(places: EntryPlace[], known: number): { places: EntryPlace[]; repeated: EntryPlace[] } {
  const follows = ({ cursor }: EntryPlace, at: number) => cursor > (places[known + at - 1]?.cursor ?? -1);
  if (places.slice(known).every(follows)) return { places, repeated: [] };
  const sorted = places.toSorted((left, right) => left.cursor - right.cursor || left.offset - right.offset);
  const isFirst = ({ cursor }: EntryPlace, at: number) => at === 0 || cursor !== sorted[at - 1]?.cursor;
  return { places: sorted.filter(isFirst), repeated: sorted.filter((place, at) => !isFirst(place, at)) };
}

/** Whether the file still has the same bytes before the end that we know: then it only grew. */
async function sameBefore(files: Files, path: string, { end, anchor }: HistoryIndex): Promise<boolean> {
  const bytes = await bytesAt(files, path, end - anchor.length, anchor.length);
  return sameBytes(bytes, anchor);
}

/** Where the first line begins at or behind an offset; the end where none does. */
export async function lineStart(
  files: Pick<Files, 'readRange'>,
  path: string,
  from: number,
  end: number,
): Promise<number> {
  for await (const [line] of readLines(files, path, { offset: Math.max(0, from - 1), number: 2 }, end)) {
    if (line) return from === 0 ? 0 : line.end;
  }
  return end;
}

/** Undefined where the file is gone, or shorter by now. */
async function bytesAt(
  files: Pick<Files, 'readRange'>,
  path: string,
  offset: number,
  length: number,
): Promise<Uint8Array | undefined> {
  try {
    const bytes = await files.readRange(path, offset, length);
    return bytes.length === length ? bytes : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
