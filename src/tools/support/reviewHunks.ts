import { hunksOf, linesOf } from '../../platform/textLines.js';

/** Lines that may lie between two changes shown as one: a change is seldom understood without its neighbour. */
const SAME_HUNK = 1;

/** One place where a text differs from what it was, in lines counted from 0; `end` and `beforeEnd` are exclusive. */
export interface ReviewHunk {
  /** Where it stands in the text as it is; empty where lines were only removed. */
  start: number;
  end: number;
  /** Where it stood in the text before. */
  beforeStart: number;
  beforeEnd: number;
  /** The lines that stood there, without line ends. */
  before: string[];
  /** Those that stand there now. */
  now: string[];
}

/** The places where `now` differs from `before`, in order; line ends and a last line end do not count. */
export function reviewHunks(before: string, now: string): ReviewHunk[] {
  const [old, lines] = [linesOf(before), linesOf(now)];
  const hunks: ReviewHunk[] = [];
  for (const { from, to, lines: inserted, at } of hunksOf(old, lines)) {
    const last = hunks.at(-1);
    const isNear = last !== undefined && from - last.beforeEnd <= SAME_HUNK;
    const [beforeStart, start] = isNear ? [last.beforeStart, last.start] : [from, at];
    const end = at + inserted.length;
    if (isNear) hunks.pop();
    const [gone, come] = [old.slice(beforeStart, to), lines.slice(start, end)];
    hunks.push({ start, end, beforeStart, beforeEnd: to, before: gone, now: come });
  }
  return hunks;
}

/** The hunk of these that says the same as the given one: the nearest, where several do. Undefined where none does. */
export function sameHunk(hunks: readonly ReviewHunk[], wanted: ReviewHunk): ReviewHunk | undefined {
  const same = hunks.filter((hunk) => sameLines(hunk.before, wanted.before) && sameLines(hunk.now, wanted.now));
  const distance = (hunk: ReviewHunk) => Math.abs(hunk.start - wanted.start);
  return same.sort((left, right) => distance(left) - distance(right))[0];
}

/** `now` with the hunk's former lines back in place; every other byte stays. */
export function withoutHunk(before: string, now: string, { start, end, before: lines }: ReviewHunk): string {
  return replaceLines(now, { start, end }, lines, before);
}

/** `before` with the hunk taken in, so that it is no difference any more. */
export function withHunk(before: string, now: string, { beforeStart, beforeEnd, now: lines }: ReviewHunk): string {
  return replaceLines(before, { start: beforeStart, end: beforeEnd }, lines, now);
}

/** Puts lines in place of others, with the line ends of the text; at its end the last line ends as that of `like` does. */
function replaceLines(
  text: string,
  { start, end }: { start: number; end: number },
  lines: readonly string[],
  like: string,
): string {
  const starts = lineStarts(text);
  const [from, to] = [starts[start] ?? text.length, starts[end] ?? text.length];
  const lineEnd = text.includes('\r\n') || (text === '' && like.includes('\r\n')) ? '\r\n' : '\n';
  const head = text.slice(0, from);
  const put = lines.map((line) => line + lineEnd).join('');
  const open = head !== '' && !head.endsWith('\n') && put !== '' ? lineEnd : '';
  const whole = head + open + put + text.slice(to);
  if (to < text.length) return whole;
  const endsOpen = like !== '' && !like.endsWith('\n');
  return endsOpen ? whole.replace(/\r?\n$/, '') : whole;
}

function lineStarts(text: string): number[] {
  const starts = [text.startsWith('\ufeff') ? 1 : 0];
  for (let at = text.indexOf('\n'); at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1))
    starts.push(at + 1);
  return starts;
}

function sameLines(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((line, index) => line === right[index]);
}
