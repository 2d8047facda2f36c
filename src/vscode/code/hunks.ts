import type { FileLines } from './anchors.js';
import type { Region } from './placePiece.js';

/** One change of a diff, as lines without their marks. */
export interface Hunk {
  before: string[];
  after: string[];
}

/** Places of the rarest line beyond which a hunk is not looked for. */
const MANY_PLACES = 500;

/** The changes of a block that is a unified diff; undefined for any other. The numbers in its headers are not believed: models count badly. */
export function hunksOf(lines: readonly string[], language: string): Hunk[] | undefined {
  const isDiff = language === 'diff' || language === 'patch';
  const hasHeader = lines.some((line, at) => line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ '));
  if (!isDiff && !hasHeader) return undefined;
  const hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  for (const [at, line] of lines.entries()) {
    const isHeader = /^(?:diff |index |new file|deleted file|\\ No newline)/.test(line) || isFileName(lines, at);
    if (isHeader) continue;
    if (line.startsWith('@@') || !hunk) hunks.push((hunk = { before: [], after: [] }));
    if (line.startsWith('@@')) continue;
    const text = /^[-+ ]/.test(line) ? line.slice(1) : line;
    if (!line.startsWith('+')) hunk.before.push(text);
    if (!line.startsWith('-')) hunk.after.push(text);
  }
  const changed = hunks.filter(({ before, after }) => before.join('\n') !== after.join('\n'));
  return changed.length > 0 ? changed : undefined;
}

/** Each hunk where the file has its lines, behind the one before it: blanks at the ends of lines do not count. */
export function placeHunks(hunks: readonly Hunk[], file: FileLines): Region[] | 'several' | 'nowhere' {
  const regions: Region[] = [];
  let from = 0;
  for (const { before, after } of hunks) {
    const place = placeOf(before, file, from);
    if (typeof place === 'string') return place;
    regions.push({ start: place, end: place + before.length, lines: after });
    from = place + before.length;
  }
  return regions;
}

function isFileName(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  if (line.startsWith('--- ')) return lines[at + 1]?.startsWith('+++ ') === true;
  return line.startsWith('+++ ') && lines[at - 1]?.startsWith('--- ') === true;
}

function placeOf(before: readonly string[], file: FileLines, from: number): number | 'several' | 'nowhere' {
  // A new file has no lines of before.
  if (before.length === 0) return file.lines.length === 0 ? 0 : 'nowhere';
  // The rarest of its lines says where to look.
  const rarest = before
    .map((line, at) => ({ at, places: file.places(line) }))
    .reduce((best, next) => (next.places.length < best.places.length ? next : best));
  if (rarest.places.length > MANY_PLACES) return 'several';
  const found = rarest.places
    .map((place) => place - rarest.at)
    .filter((start) => start >= from)
    .filter((start) => before.every((line, at) => file.lines[start + at]?.trimEnd() === line.trimEnd()));
  if (found.length > 1) return 'several';
  return found[0] ?? 'nowhere';
}
