/** A run of lines that resembles a text that was not found. */
export interface NearLines {
  /** 1-based. */
  first: number;
  lines: string[];
}

/** Lines of a file beyond which they are not compared one by one: it must not hold the thread. */
const comparedLines = 5_000;
const comparedCharacters = 4_000;
/** Candidate windows that are compared letter by letter. */
const comparedWindows = 20;
/** Below this share of common pairs of letters two texts have nothing to do with each other. */
const leastAlike = 0.4;

/**
 * The lines of a file most like the wanted ones: first the windows that share most lines with them (leading and trailing blanks aside), or
 * failing that those whose first line resembles the first wanted one, then the best of them letter by letter. Undefined where nothing is alike.
 */
export function nearestLines(fileLines: readonly string[], wanted: readonly string[]): NearLines | undefined {
  if (fileLines.length === 0) return undefined;
  const size = Math.max(1, wanted.length);
  const likeness = likenessTo(wanted.join('\n'));
  let best: { start: number; score: number } | undefined;
  for (const start of candidates(fileLines, wanted)) {
    const score = likeness(fileLines.slice(start, start + size).join('\n'));
    if (!best || score > best.score) best = { start, score };
  }
  if (!best || best.score < leastAlike) return undefined;
  return { first: best.start + 1, lines: fileLines.slice(best.start, best.start + size) };
}

/** Starts of windows worth comparing, the most promising first. */
function candidates(fileLines: readonly string[], wanted: readonly string[]): number[] {
  const places = new Map<string, number[]>();
  wanted.forEach((line, index) => {
    const key = line.trim();
    if (key.length > 2) places.set(key, [...(places.get(key) ?? []), index]);
  });
  const votes = new Map<number, number>();
  fileLines.forEach((line, at) => {
    for (const index of places.get(line.trim()) ?? []) {
      const start = Math.max(0, at - index);
      votes.set(start, (votes.get(start) ?? 0) + 1);
    }
  });
  return votes.size > 0 ? topOf([...votes]) : byOneLine(fileLines, wanted);
}

/** By the first wanted line that has something in it; lines of quite another length are not looked at. */
function byOneLine(fileLines: readonly string[], wanted: readonly string[]): number[] {
  if (fileLines.length > comparedLines) return [];
  const index = Math.max(
    0,
    wanted.findIndex((line) => line.trim().length > 2),
  );
  const line = (wanted[index] ?? '').trim();
  const likeness = likenessTo(line);
  const scored = fileLines.flatMap((candidate, at): [number, number][] => {
    const length = candidate.trim().length;
    if (length < line.length / 2 || length > line.length * 2) return [];
    return [[Math.max(0, at - index), likeness(candidate)]];
  });
  return topOf(scored);
}

function topOf(scored: [number, number][]): number[] {
  return scored
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, comparedWindows)
    .map(([start]) => start);
}

/** Dice's coefficient over pairs of letters, blanks at the ends aside: 1 for the same text, 0 for nothing in common. Of a text at most 4,000 letters count. */
export function likenessTo(wanted: string): (text: string) => number {
  const own = pairsOf(wanted);
  return (text) => {
    const other = pairsOf(text);
    if (own.total === 0 || other.total === 0) return wanted.trim() === text.trim() ? 1 : 0;
    let common = 0;
    for (const [pair, count] of other.counts) common += Math.min(count, own.counts.get(pair) ?? 0);
    return (2 * common) / (own.total + other.total);
  };
}

function pairsOf(whole: string): { counts: Map<string, number>; total: number } {
  const text = whole.trim().slice(0, comparedCharacters);
  const counts = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return { counts, total: Math.max(0, text.length - 1) };
}
