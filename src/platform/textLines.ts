import { diffIndices } from 'node-diff3';

/** Lines `from` to `to` (exclusive) of one text stand where the other has `lines`. */
export interface Hunk {
  from: number;
  to: number;
  lines: string[];
  /** The line of the other text where `lines` begin. */
  at: number;
}

type Lines = readonly string[];
type Comparison = (left: Lines, right: Lines) => Hunk[];

/** Lines of one text times lines of the other that are compared each with each; about 5 ms. */
const MAX_WORK = 500_000;
/** Letters of texts that are compared at all. */
const MAX_LETTERS = 1_500_000;

/** Whether these texts are too much for a comparison in a few milliseconds. */
export function tooLong(...texts: Lines): boolean {
  return texts.reduce((sum, text) => sum + text.length, 0) > MAX_LETTERS;
}

/** The text as lines, whatever its line ends, without a BOM and without an empty last line. */
export function linesOf(text: string): string[] {
  const plain = text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .replace(/\n$/, '');
  return plain === '' ? [] : plain.split('\n');
}

/** Lines as a text with the BOM, the line ends and the last line end of another one. */
export function textLike(lines: Lines, like: string): string {
  const end = like.includes('\r\n') ? '\r\n' : '\n';
  const last = lines.length > 0 && (like === '' || like.endsWith('\n')) ? end : '';
  return `${like.startsWith('\ufeff') ? '\ufeff' : ''}${lines.join(end)}${last}`;
}

/**
 * What makes `after` of `before`, in order. What is too much for one go is split at lines that are surely the same; a piece that is too much even
 * then counts as replaced.
 */
export function hunksOf(before: Lines, after: Lines): Hunk[] {
  return withoutEnds(before, after, (left, right) =>
    isSmall(left, right) ? fully(left, right) : inPieces(left, right),
  );
}

/** Compares what lies between the same beginning and the same end. */
function withoutEnds(before: Lines, after: Lines, compare: Comparison): Hunk[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const room = Math.min(before.length, after.length) - head;
  while (tail < room && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const left = before.slice(head, before.length - tail);
  const right = after.slice(head, after.length - tail);
  if (left.length === 0 && right.length === 0) return [];
  const hunks = left.length === 0 || right.length === 0 ? replaced(left, right) : compare(left, right);
  return hunks.map((hunk) => moved(hunk, head, head));
}

function isSmall(left: Lines, right: Lines): boolean {
  return left.length * Math.min(left.length, right.length) <= MAX_WORK;
}

function fully(left: Lines, right: Lines): Hunk[] {
  return diffIndices([...left], [...right]).map(({ buffer1: [from, length], buffer2: [at], buffer2Content: lines }) => {
    return { from, to: from + length, lines, at };
  });
}

function replaced(left: Lines, right: Lines): Hunk[] {
  return [{ from: 0, to: left.length, lines: [...right], at: 0 }];
}

function moved({ from, to, lines, at }: Hunk, down: number, across: number): Hunk {
  return { from: from + down, to: to + down, lines, at: at + across };
}

function inPieces(left: Lines, right: Lines): Hunk[] {
  const anchors = anchorsOf(left, right);
  if (anchors.length === 0) return replaced(left, right);
  const hunks: Hunk[] = [];
  let [from, at] = [0, 0];
  for (const [nextFrom, nextAt] of [...anchors, [left.length, right.length] as const]) {
    const piece = withoutEnds(left.slice(from, nextFrom), right.slice(at, nextAt), (one, other) =>
      isSmall(one, other) ? fully(one, other) : replaced(one, other),
    );
    for (const hunk of piece) hunks.push(moved(hunk, from, at));
    [from, at] = [nextFrom + 1, nextAt + 1];
  }
  return hunks;
}

/** Lines that stand once in each text, as many as come in the same order in both: pairs of their places. */
function anchorsOf(left: Lines, right: Lines): [number, number][] {
  const places = singles(right);
  const pairs = [...singles(left)].flatMap(([line, from]): [number, number][] => {
    const at = places.get(line);
    return at === undefined ? [] : [[from, at]];
  });
  return longestRising(pairs, ([, at]) => at);
}

/** The longest run of items, in their order, of which each stands higher than the one before it. */
export function longestRising<T>(items: readonly T[], heightOf: (item: T) => number): T[] {
  const heights = items.map(heightOf);
  // `ends[n]` is the item that ends the best run of n + 1 items.
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [index, height] of heights.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((heights[ends[middle] ?? 0] ?? 0) < height) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? -1 : (ends[low - 1] ?? -1);
    ends[low] = index;
  }
  const kept = new Set<number>();
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) kept.add(index);
  return items.filter((_item, index) => kept.has(index));
}

/** Lines that stand once, in order, with their places. */
function singles(lines: Lines): Map<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (places.has(line)) repeated.add(line);
    else places.set(line, index);
  }
  for (const line of repeated) places.delete(line);
  return places;
}

/** The changes of a text as a person counts them: see `MemoryCommit.changes`. At least one for texts that differ, just one for very long ones. */
export function countChanges(before: string, after: string): number {
  if (tooLong(before, after)) return 1;
  const old = linesOf(before);
  const weight = (lines: Lines) => lines.filter((line) => !/^\s*(#{1,6}\s.*)?$/.test(line)).length;
  const sum = hunksOf(old, linesOf(after)).reduce(
    (count, { from, to, lines }) => count + Math.max(weight(old.slice(from, to)), weight(lines)),
    0,
  );
  return Math.max(sum, 1);
}

/** Lines that came and lines that went, in order; what is blank is left out. Nothing is told of very long texts. */
export function changedLines(before: string, after: string): { added: string[]; removed: string[] } {
  if (tooLong(before, after)) return { added: [], removed: [] };
  const old = linesOf(before);
  const hunks = hunksOf(old, linesOf(after));
  const said = (lines: Lines) => lines.filter((line) => line.trim() !== '');
  return {
    added: said(hunks.flatMap(({ lines }) => lines)),
    removed: said(hunks.flatMap(({ from, to }) => old.slice(from, to))),
  };
}

/**
 * Both sides' changes to `base` together, or undefined where they touch the same lines. Changes of neighbouring lines do not touch, unlike
 * git's: a list that grows at its end would be in conflict at every undo. Where both insert at one place, `theirs` comes first.
 * `compare` stands for `ours` in comparisons, line for line; what is kept is taken from `ours`.
 */
export function mergeLines(base: Lines, ours: Lines, theirs: Lines, compare: Lines = ours): string[] | undefined {
  const { mine, yours } = bothChanges(base, ours, theirs, compare);
  if (yours.some((hunk) => touches(hunk, mine))) return undefined;
  return together(base, ours, mine, yours);
}

/** The same, but where both touch the same lines `ours` stands. */
export function mergePreferringOurs(base: Lines, ours: Lines, theirs: Lines): string[] {
  const { mine, yours } = bothChanges(base, ours, theirs, ours);
  return together(
    base,
    ours,
    mine,
    yours.filter((hunk) => !touches(hunk, mine)),
  );
}

function bothChanges(base: Lines, ours: Lines, theirs: Lines, compare: Lines): { mine: Hunk[]; yours: Hunk[] } {
  const compared = hunksOf(base, compare);
  const mine = compared.map((hunk) => ({ ...hunk, lines: ours.slice(hunk.at, hunk.at + hunk.lines.length) }));
  const agreed = (hunk: Hunk) => compared.some((other) => sameChange(hunk, other));
  return { mine, yours: hunksOf(base, theirs).filter((hunk) => !agreed(hunk)) };
}

function touches(hunk: Hunk, others: readonly Hunk[]): boolean {
  return others.some((other) => hunk.from < other.to && other.from < hunk.to);
}

function together(base: Lines, ours: Lines, mine: readonly Hunk[], yours: readonly Hunk[]): string[] {
  const kept = keptLines(base, ours, mine);
  const merged: string[][] = [];
  let next = 0;
  for (const hunk of [...yours, ...mine].sort((left, right) => left.from - right.from || left.to - right.to)) {
    merged.push(kept.slice(next, hunk.from), hunk.lines);
    next = hunk.to;
  }
  return [...merged, kept.slice(next)].flat();
}

/** The base with each line that we did not change as it stands with us. */
function keptLines(base: Lines, ours: Lines, mine: readonly Hunk[]): string[] {
  const kept = [...base];
  let shift = 0;
  let line = 0;
  for (const hunk of [...mine, { from: base.length, to: base.length, lines: [], at: 0 }]) {
    for (; line < hunk.from; line += 1) kept[line] = ours[line + shift] ?? '';
    shift += hunk.lines.length - (hunk.to - hunk.from);
    line = hunk.to;
  }
  return kept;
}

function sameChange(left: Hunk, right: Hunk): boolean {
  return left.from === right.from && left.to === right.to && left.lines.join('\n') === right.lines.join('\n');
}

/** Two texts made of one, as `mergePreferringOurs` joins them, ended as `like` is. Undefined where they are too long to compare quickly. */
export function mergedText(texts: { base: string; ours: string; theirs: string; like: string }): string | undefined {
  const { base, ours, theirs, like } = texts;
  if (tooLong(base, ours, theirs)) return undefined;
  return textLike(mergePreferringOurs(linesOf(base), linesOf(ours), linesOf(theirs)), like);
}
