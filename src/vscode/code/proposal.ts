import { editorLines } from '../../tools/support/textChanges.js';
import { FileLines, isTelling, keyOf } from './anchors.js';
import { isElision, piecesOf } from './elisions.js';
import { hunksOf, placeHunks } from './hunks.js';
import { placePiece, type Region } from './placePiece.js';

/** What a file would be with a block in it. */
export type Proposal =
  /** `first` and `last` are the lines of the file that are replaced, from 1; `last` is before `first` where lines only come in. */
  | { kind: 'placed'; text: string; whole: boolean; first: number; last: number }
  /** The file says it already. */
  | { kind: 'same' }
  | { kind: 'several' }
  | { kind: 'nowhere' };

/**
 * Finds the place of a block in a file and makes the file's text with the block in it, in the file's own line ends. Tried in this order: the hunks of a
 * diff; the whole file, where the block holds most of it and leaves nothing out; the lines of which the block is a new version, piece by piece where it
 * says that something is left out (`// ... existing code ...`). Takes time in proportion to both texts.
 */
export function propose(fileText: string, block: string, language: string): Proposal {
  const source = block.replaceAll('\r\n', '\n').replace(/\n+$/, '').split('\n');
  const { lines, ends } = linesAndEnds(fileText);
  const file = new FileLines(lines);
  const write = (regions: readonly Region[], whole: boolean): Proposal => {
    const [first, last] = [regions[0], regions.at(-1)];
    const text = written(lines, ends, regions);
    if (!first || !last || text === fileText) return { kind: 'same' };
    return { kind: 'placed', text, whole, first: first.start + 1, last: last.end };
  };
  const hunks = hunksOf(source, language);
  if (hunks) {
    const regions = placeHunks(hunks, file);
    return Array.isArray(regions) ? write(regions, false) : { kind: regions };
  }
  const leavesOut = source.some((line) => isElision(line, language));
  if (!leavesOut && isWhole(source, lines)) return write([{ start: 0, end: lines.length, lines: source }], true);
  const regions = leavesOut ? placePieces(source, file, language) : placePiece(source, file);
  if (regions === 'several') return { kind: 'several' };
  return regions.length === 0 ? { kind: 'nowhere' } : write(regions, false);
}

/** A file's text with a block put in before a line, counted from 0, in the file's line ends. */
export function withInserted(fileText: string, line: number, text: string): string {
  const { lines, ends } = linesAndEnds(fileText);
  const at = Math.min(line, lines.length);
  return written(lines, ends, [{ start: at, end: at, lines: text.split('\n') }]);
}

/** A file's lines, without an empty last one, and what ends each; the last line may have no end. */
function linesAndEnds(text: string): { lines: string[]; ends: readonly string[] } {
  const lines = editorLines(text);
  if (lines.at(-1) === '') lines.pop();
  return { lines, ends: text.match(/\r\n|\n|\r/g) ?? [] };
}

/** Whether a block that leaves nothing out is a file's new version: it has nearly all that the file says, or half of it with both its ends. */
function isWhole(block: readonly string[], file: readonly string[]): boolean {
  const telling = file.filter(isTelling);
  if (telling.length === 0) return file.every((line) => line.trim() === '');
  const own = new Set(block.map((line) => line.trim()));
  const keys = new Set(block.map(keyOf));
  const kept = telling.filter((line) => own.has(line.trim())).length / telling.length;
  if (kept >= 0.85) return true;
  const [first = '', last = ''] = [telling[0], telling.at(-1)];
  return (
    block.length >= file.length / 2 &&
    kept >= 0.5 &&
    [first, last].every((line) => own.has(line.trim()) || keys.has(keyOf(line) ?? ''))
  );
}

/** Each piece behind the one before it. One that shares nothing with the file is new: at its end behind what is left out, at its beginning before it. */
function placePieces(source: readonly string[], file: FileLines, language: string): Region[] | 'several' {
  const regions: Region[] = [];
  const pieces = piecesOf(source, language);
  const filled = source.filter((line) => line.trim() !== '');
  const beginsOpen = isElision(filled[0] ?? '', language);
  const endsOpen = isElision(filled.at(-1) ?? '', language);
  for (const [n, piece] of pieces.entries()) {
    // A bracket alone closes what stands in the file already.
    if (!piece.some(isTelling)) continue;
    const placed = placePiece(piece, file, regions.at(-1)?.end ?? 0);
    if (placed === 'several') return placed;
    if (placed.length > 0) regions.push(...placed);
    else if (n === pieces.length - 1 && !endsOpen) regions.push(atEnd(piece, file.lines));
    else if (n === 0 && !beginsOpen) regions.push({ start: 0, end: 0, lines: piece });
    else return [];
  }
  return regions;
}

function atEnd(piece: readonly string[], file: readonly string[]): Region {
  const isBlankBefore = (file.at(-1) ?? '').trim() === '';
  return { start: file.length, end: file.length, lines: isBlankBefore ? [...piece] : ['', ...piece] };
}

/** Lines outside of the regions keep their ends, whatever these are. */
function written(lines: readonly string[], ends: readonly string[], regions: readonly Region[]): string {
  const crlf = ends.filter((end) => end === '\r\n').length;
  const eol = crlf * 2 > ends.length ? '\r\n' : '\n';
  const out: string[] = [];
  let at = 0;
  const keep = (until: number): void => {
    for (; at < until; at++) out.push((lines[at] ?? '') + (ends[at] ?? (at < lines.length - 1 ? eol : '')));
  };
  for (const region of regions) {
    keep(region.start);
    // The last line of a file may have no end; what follows it needs one.
    if (region.lines.length > 0 && out.length > 0 && !/[\r\n]$/.test(out.at(-1) ?? '')) out.push(eol);
    at = region.end;
    const isEnd = at >= lines.length && lines.length > 0 && ends.length < lines.length;
    region.lines.forEach((line, n) => out.push(line + (isEnd && n === region.lines.length - 1 ? '' : eol)));
  }
  keep(lines.length);
  return out.join('');
}
