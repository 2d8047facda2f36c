import { longestRising } from '../../platform/textLines.js';

/** A line of a block and the line of the file that it is, both counted from 0. */
export interface Anchor {
  piece: number;
  file: number;
}

/** The lines of a file, and where each of them stands. */
export class FileLines {
  private readonly exact = new Map<string, number[]>();
  private readonly keys = new Map<string, number[]>();

  constructor(readonly lines: readonly string[]) {
    lines.forEach((line, at) => {
      note(this.exact, line.trim(), at);
      const key = keyOf(line);
      if (key !== undefined) note(this.keys, key, at);
    });
  }

  /** Where the file has a line, blanks at its ends aside. */
  places(line: string): readonly number[] {
    return this.exact.get(line.trim()) ?? [];
  }

  /** Where the file has a line that begins with the same name. */
  placesOfKey(line: string): readonly number[] {
    const key = keyOf(line);
    return (key === undefined ? undefined : this.keys.get(key)) ?? [];
  }
}

/** Whether a line says enough to be told from others: more than a bracket, `else` or `return`. */
export function isTelling(line: string): boolean {
  const text = line.trim();
  return (
    text.length >= 5 &&
    /\w\W+\w|\w{3}/.test(text) &&
    !/^(?:else|return|break|continue|default|finally|begin|endif|catch|then)\W*$/.test(text)
  );
}

/** What a line is about: its text up to what it is set to or called with, else its first two words. Undefined for lines that say too little. */
export function keyOf(line: string): string | undefined {
  const text = line.trim().slice(0, 300);
  const end = text.search(/[=(:]/);
  const key = end > 0 ? text.slice(0, end) : (/^\W*\w+\W+\w+/.exec(text)?.[0] ?? '');
  const plain = key.trim().replace(/\s+/g, ' ');
  // `if (` and `return (` are about nothing.
  return plain.length >= 3 && !/^(?:if|for|while|switch|return|catch|elif|else if|with|and|or)$/.test(plain)
    ? plain
    : undefined;
}

/** Whether two lines are versions of the same one. */
export function isAlike(a: string, b: string): boolean {
  if (a.trim() === b.trim()) return true;
  const key = keyOf(a);
  return key !== undefined && key === keyOf(b);
}

/**
 * Lines that a piece and a file share, in the order of both: those that each has once, else those that are about the same, else the run of lines at
 * the one place where most agree. `several` where more than one place fits as well.
 */
export function anchorsOf(piece: readonly string[], file: FileLines, from: number): Anchor[] | 'several' {
  const once = inOrder(pairs(piece, (line) => later(file.places(line), from), isTelling));
  if (once.length > 0) return once;
  const alike = inOrder(pairs(piece, (line) => later(file.placesOfKey(line), from), isTelling, keyOf));
  return alike.length > 0 ? alike : byVotes(piece, file, from);
}

function note(map: Map<string, number[]>, key: string, at: number): void {
  const known = map.get(key);
  if (known) known.push(at);
  else map.set(key, [at]);
}

function later(places: readonly number[], from: number): readonly number[] {
  return from === 0 ? places : places.filter((at) => at >= from);
}

function pairs(
  piece: readonly string[],
  placesOf: (line: string) => readonly number[],
  counts: (line: string) => boolean,
  nameOf: (line: string) => string | undefined = (line) => line.trim(),
): Anchor[] {
  const times = new Map<string, number>();
  for (const line of piece) {
    const name = nameOf(line);
    if (name !== undefined) times.set(name, (times.get(name) ?? 0) + 1);
  }
  return piece.flatMap((line, at) => {
    const name = nameOf(line);
    if (name === undefined || times.get(name) !== 1 || !counts(line)) return [];
    const places = placesOf(line);
    return places.length === 1 ? [{ piece: at, file: places[0] ?? 0 }] : [];
  });
}

/** The longest run of anchors that also rises in the file; what was moved is left out. */
function inOrder(anchors: readonly Anchor[]): Anchor[] {
  return longestRising(anchors, ({ file }) => file);
}

/** Places of one line beyond which it says nothing about where it belongs. */
const MANY_PLACES = 200;

function byVotes(piece: readonly string[], file: FileLines, from: number): Anchor[] | 'several' {
  const votes = new Map<number, Anchor[]>();
  piece.forEach((line, at) => {
    if (!isTelling(line)) return;
    const places = later(file.places(line), from);
    if (places.length > MANY_PLACES) return;
    for (const place of places) {
      const known = votes.get(place - at);
      if (known) known.push({ piece: at, file: place });
      else votes.set(place - at, [{ piece: at, file: place }]);
    }
  });
  const [best, second] = [...votes.values()].sort((a, b) => b.length - a.length);
  if (!best) return [];
  return second?.length === best.length ? 'several' : best;
}
