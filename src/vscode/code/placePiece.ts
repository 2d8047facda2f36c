import { likenessTo } from '../../tools/support/nearest.js';
import { anchorsOf, isAlike, isTelling, type Anchor, type FileLines } from './anchors.js';
import { indentOf, restyled, styleOf } from './indent.js';

/** Lines `start` … `end - 1` of a file, counted from 0, and what takes their place. */
export interface Region {
  start: number;
  end: number;
  lines: string[];
}

/** Share of common pairs of letters from which two lines that open the same block are one line renamed. */
const LEAST_ALIKE = 0.6;

/**
 * Where a piece of code belongs in a file, from line `from` on: the lines that it is a new version of. It is placed by the lines it shares with the file,
 * as several regions where the file has more between two of them at their own level, which a piece leaves out silently. `several` where more than one place
 * fits; empty where none does.
 */
export function placePiece(piece: readonly string[], file: FileLines, from = 0): Region[] | 'several' {
  const own = styleOf(piece);
  const theirs = styleOf(file.lines);
  const lines = theirs ? restyled(piece, own, theirs) : piece;
  const shared = anchorsOf(lines, file, from);
  if (shared === 'several') return shared;
  const anchors = inTheirPlace(lines, file.lines, shared);
  const regions: Region[] = [];
  let floor = from;
  for (const part of partsOf(lines, file.lines, anchors)) {
    const region = regionOf(part, file.lines, floor);
    regions.push(region);
    floor = region.end;
  }
  return regions;
}

/**
 * The shared lines without those that only look alike: what a line stands in must be the same in both. Where nearly all of a piece is shared, what it
 * stands in was renamed.
 */
function inTheirPlace(piece: readonly string[], file: readonly string[], shared: readonly Anchor[]): readonly Anchor[] {
  const [inPiece, inFile] = [openersOf(piece), openersOf(file)];
  const kept = shared.filter((anchor) => {
    let at = anchor;
    for (;;) {
      const [own, theirs] = [inPiece[at.piece] ?? -1, inFile[at.file] ?? -1];
      if (own < 0) return true;
      if (theirs < 0 || !isAlike(piece[own] ?? '', file[theirs] ?? '')) return false;
      at = { piece: own, file: theirs };
    }
  });
  const telling = piece.filter(isTelling).length;
  return kept.length === 0 && shared.length >= 2 && shared.length >= telling * 0.6 ? shared : kept;
}

/** For each line the one that opens what it stands in; -1 where it stands in nothing. */
function openersOf(lines: readonly string[]): number[] {
  const open: number[] = [];
  return lines.map((line, at) => {
    if (isBlank(line)) return -1;
    while (open.length > 0 && width(lines[open.at(-1) ?? 0]) >= width(line)) open.pop();
    const opener = open.at(-1) ?? -1;
    open.push(at);
    return opener;
  });
}

/** A stretch of a piece that is one region of the file. */
interface Part {
  lines: readonly string[];
  anchors: readonly Anchor[];
}

function partsOf(piece: readonly string[], file: readonly string[], anchors: readonly Anchor[]): Part[] {
  const parts: Part[] = [];
  let begin = 0;
  let held: Anchor[] = [];
  const close = (end: number): void => {
    parts.push({
      lines: piece.slice(begin, end),
      anchors: held.map((anchor) => ({ ...anchor, piece: anchor.piece - begin })),
    });
    begin = end;
    held = [];
  };
  for (const anchor of anchors) {
    const last = held.at(-1);
    if (last && leavesOut(piece, file, last, anchor)) close(startOfBlock(piece, last.piece, anchor.piece));
    held.push(anchor);
  }
  if (held.length > 0) close(piece.length);
  return parts;
}

/** Whether the file has more at the level of both lines between them than the piece does. */
function leavesOut(piece: readonly string[], file: readonly string[], a: Anchor, b: Anchor): boolean {
  if (b.file - a.file <= b.piece - a.piece + 1) return false;
  const level = Math.min(width(file[a.file]), width(file[b.file]));
  const atLevel = (lines: readonly string[], from: number, to: number): number =>
    lines.slice(from + 1, to).filter((line) => opens(line) && width(line) <= level).length;
  const shift = width(piece[a.piece]) - width(file[a.file]);
  const inPiece = piece
    .slice(a.piece + 1, b.piece)
    .filter((line) => opens(line) && width(line) - shift <= level).length;
  return atLevel(file, a.file, b.file) > inPiece;
}

/** The line behind the last blank one between two lines, where what the second belongs to begins. */
function startOfBlock(piece: readonly string[], after: number, until: number): number {
  for (let at = until - 1; at > after; at--) if (piece[at]?.trim() === '') return at + 1;
  return until;
}

function regionOf({ lines, anchors }: Part, file: readonly string[], floor: number): Region {
  const [first, last] = [anchors[0], anchors.at(-1)];
  if (!first || !last) throw new Error('A part of a piece has no anchor.');
  const start = startOf(lines, file, first, floor);
  const end = endOf(lines, file, last);
  const whole = endOfWhole(lines, file, start);
  const trimmed = withoutBlankEnds(lines);
  return {
    start,
    end: Math.max(end, whole ?? 0),
    lines: shifted(trimmed, lines[first.piece] ?? '', file[first.file] ?? ''),
  };
}

/** Up from the first shared line: lines that are alike, then the line that opens what it stands in. */
function startOf(lines: readonly string[], file: readonly string[], first: Anchor, floor: number): number {
  let start = first.file;
  let at = first.piece - 1;
  let line = first.file - 1;
  for (; at >= 0 && line >= floor; at--) {
    if (isBlank(lines[at])) continue;
    while (line > floor && isBlank(file[line])) line--;
    if (!isAlike(lines[at] ?? '', file[line] ?? '')) break;
    start = line--;
  }
  const head = lines.slice(0, at + 1).find((candidate) => !isBlank(candidate));
  const deeper = head === undefined ? 0 : width(lines[first.piece]) - width(head);
  if (head === undefined || deeper <= 0) return start;
  const level = width(file[first.file]) - deeper;
  for (let up = start - 1; up >= floor; up--) {
    if (isBlank(file[up]) || width(file[up]) > level) continue;
    // It may have another name now.
    const isSame = isAlike(head, file[up] ?? '') || likenessTo(head)(file[up] ?? '') >= LEAST_ALIKE;
    return isSame ? up : start;
  }
  return start;
}

/** Down from the last shared line: the block it opens, lines that are alike, then the line that closes what it stands in. */
function endOf(lines: readonly string[], file: readonly string[], last: Anchor): number {
  const body = behindBody(lines, file, last);
  let end = body.file;
  let at = body.piece;
  let line = end;
  for (; at < lines.length && line < file.length; at++) {
    if (isBlank(lines[at])) continue;
    while (line < file.length && isBlank(file[line])) line++;
    if (!isAlike(lines[at] ?? '', file[line] ?? '')) break;
    end = ++line;
  }
  const tail = lines.slice(at).findLast((candidate) => !isBlank(candidate));
  const out = tail === undefined ? 0 : width(lines[last.piece]) - width(tail);
  if (tail === undefined || out <= 0) return end;
  const level = width(file[last.file]) - out;
  for (let down = end; down < file.length; down++) {
    if (isBlank(file[down]) || width(file[down]) > level) continue;
    return closes(file[down]) && closes(tail) ? down + 1 : end;
  }
  return end;
}

/** The lines behind what a shared line opens, where the piece has all of that; else the lines behind the shared line itself. */
function behindBody(lines: readonly string[], file: readonly string[], { piece, file: place }: Anchor): Anchor {
  let at: Anchor = { piece, file: place };
  while (opensBody(lines, at.piece) && opensBody(file, at.file)) {
    const [own, theirs] = [endOfBody(lines, at.piece), endOfBody(file, at.file)];
    if (closes(lines[own]) && closes(file[theirs])) at = { piece: own, file: theirs };
    else if (/:\s*(?:#.*)?$/.test(lines[at.piece] ?? '')) return { piece: own, file: lastFilled(file, theirs) + 1 };
    else break;
    // `} else {` closes and opens again.
    if (!opensAgain(lines[own])) return { piece: own + 1, file: endOfChain(file, theirs) + 1 };
  }
  return { piece: at.piece + 1, file: at.file + 1 };
}

function opensBody(lines: readonly string[], at: number): boolean {
  return width(nextFilled(lines, at)) > width(lines[at]);
}

/** The first line behind a line that is not deeper. */
function endOfBody(lines: readonly string[], at: number): number {
  const level = width(lines[at]);
  const end = lines.findIndex((line, n) => n > at && !isBlank(line) && width(line) <= level);
  return end < 0 ? lines.length : end;
}

/** From a line that closes, over those that close and open again, to the last. */
function endOfChain(file: readonly string[], at: number): number {
  let end = at;
  while (opensAgain(file[end]) && closes(file[endOfBody(file, end)])) end = endOfBody(file, end);
  return end;
}

function lastFilled(lines: readonly string[], before: number): number {
  let at = before - 1;
  while (at > 0 && isBlank(lines[at])) at--;
  return at;
}

/** Where the file's version of a piece ends that is one whole block: from a line that opens to the one that closes, or all that is deeper. */
function endOfWhole(lines: readonly string[], file: readonly string[], start: number): number | undefined {
  const filled = lines.filter((line) => !isBlank(line));
  const [head = '', tail = ''] = [filled[0], filled.at(-1)];
  if (filled.length < 2 || !isAlike(head, file[start] ?? '')) return undefined;
  const isDeeper = (line: string): boolean => width(line) > width(head);
  const byColon = /:\s*(?:#.*)?$/.test(head) && filled.slice(1).every(isDeeper);
  const byBracket =
    closes(tail) &&
    !opensAgain(tail) &&
    width(tail) === width(head) &&
    filled.slice(1, -1).every((line) => isDeeper(line) || closes(line));
  if (!byColon && !byBracket) return undefined;
  let end = start + 1;
  for (let at = start + 1; at < file.length; at++) {
    if (isBlank(file[at])) continue;
    if (width(file[at]) > width(file[start])) end = at + 1;
    else if (byBracket && closes(file[at])) {
      end = at + 1;
      // `} else {` closes and opens again.
      if (!opensAgain(file[at])) break;
    } else break;
  }
  return end;
}

/** The lines with the indentation that the file gives to the line they share. */
function shifted(lines: readonly string[], own: string, theirs: string): string[] {
  const [from, to] = [indentOf(own), indentOf(theirs)];
  if (to.startsWith(from)) {
    const more = to.slice(from.length);
    return lines.map((line) => (isBlank(line) ? '' : more + line));
  }
  const less = from.length - to.length;
  return lines.map((line) => line.slice(Math.min(Math.max(0, less), indentOf(line).length)));
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => !isBlank(line));
  return lines.slice(Math.max(0, start), lines.findLastIndex((line) => !isBlank(line)) + 1);
}

function nextFilled(lines: readonly string[], after: number): string {
  return lines.slice(after + 1).find((line) => !isBlank(line)) ?? '';
}

function isBlank(line: string | undefined): boolean {
  return (line ?? '').trim() === '';
}

function closes(line: string | undefined): boolean {
  return /^\s*(?:[}\])]|end\b|fi\b|done\b|esac\b|<\/)/.test(line ?? '');
}

function opensAgain(line: string | undefined): boolean {
  return /[{[(:]\s*$|\b(?:else|elsif|rescue|ensure)\b/.test(line ?? '');
}

/** Whether a line begins something, and is not only the end of it. */
function opens(line: string): boolean {
  return !isBlank(line) && !closes(line);
}

/** The columns a line is indented by; a tab counts as four. */
function width(line: string | undefined): number {
  return indentOf(line ?? '').replaceAll('\t', '    ').length;
}
