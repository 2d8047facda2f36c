import { ToolError } from '../../runner/tool.js';
import { shortDiff } from './diff.js';
import { nearestLines } from './nearest.js';
import { lineEndsOf, linesOf, toLf } from './text.js';

/** One replacement, as the model gives it. */
export interface Edit {
  old_text: string;
  new_text: string;
  replace_all?: boolean | undefined;
}

/** A text after all its edits. */
export interface EditedText {
  text: string;
  /** What the model should know: how often something was replaced, that blanks at line ends were ignored. */
  notes: string[];
}

/** A piece of a text to replace. Offsets count UTF-16 units; `end` is exclusive. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/** How many line numbers an error lists. */
const listedLines = 20;
const diffCharacters = 3_000;

/**
 * Applies edits in order, each to the result of the one before, all or none. Line ends never decide whether a text is found, and what is put
 * in gets those of its surroundings. Where the text is not found as it is, blanks at the ends of lines are ignored if that leaves one place.
 * Throws a `ToolError` that says which edit failed and why: the same text, not found (with the nearest text as a diff), or found several
 * times (with the lines).
 */
export function applyEdits(raw: string, edits: readonly Edit[], label: string): EditedText {
  let text = raw;
  const notes: string[] = [];
  edits.forEach((edit, index) => {
    const name = edits.length > 1 ? `Edit ${index + 1} of ${edits.length}: ` : '';
    const none = edits.length > 1 ? ' None of the edits was made.' : '';
    const result = applyEdit(text, edit, (reason) => new ToolError(`${name}${reason}${none}`), label);
    text = result.text;
    if (result.note) notes.push(`${name}${result.note}`);
  });
  return { text, notes };
}

/**
 * The smallest single replacement that turns one text into another; undefined where they are the same. It never begins or ends inside a
 * CRLF or a surrogate pair, because an editor cannot place an edit there.
 */
export function minimalEdit(before: string, after: string): TextEdit | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  while (start > 0 && (splitsUnit(before, start) || splitsUnit(after, start))) start--;
  let tail = 0;
  while (
    tail < shorter - start &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++;
  while (tail > 0 && (splitsUnit(before, before.length - tail) || splitsUnit(after, after.length - tail))) tail--;
  return { start, end: before.length - tail, text: after.slice(start, after.length - tail) };
}

function splitsUnit(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  const [left, right] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return (left === 13 && right === 10) || (left >= 0xd800 && left < 0xdc00 && right >= 0xdc00 && right < 0xe000);
}

type Fail = (reason: string) => ToolError;

function applyEdit(raw: string, edit: Edit, fail: Fail, label: string): { text: string; note?: string } {
  const wanted = toLf(edit.old_text);
  if (wanted === '') throw fail('old_text is empty. Give the text to replace, or use write_file for the whole file.');
  if (wanted === toLf(edit.new_text)) throw fail('old_text and new_text are the same, so there is nothing to change.');
  const text = toLf(raw);
  const places = placesOf(text, wanted);
  if (places.length > 1 && !edit.replace_all) throw severalPlaces(text, places, fail, label);
  if (places.length > 0) {
    const ranges = places.map((start) => ({ start, end: start + wanted.length }));
    const replaced = replaceRanges(raw, text, ranges, edit.new_text);
    return edit.replace_all ? { text: replaced, note: `replaced ${places.length}×` } : { text: replaced };
  }
  const loose = blankTolerantPlaces(text, wanted);
  if (loose.length > 1)
    throw severalPlaces(
      text,
      loose.map((place) => place.start),
      fail,
      label,
    );
  const place = loose[0];
  if (!place) throw notFound(text, edit.old_text, fail, label);
  const note = `matched at line ${lineAt(text, place.start)} with blanks at line ends ignored`;
  return { text: replaceRanges(raw, text, [place], edit.new_text), note };
}

function placesOf(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

interface Range {
  start: number;
  end: number;
}

/** Places where whole lines are the wanted ones but for blanks at their ends. */
function blankTolerantPlaces(text: string, wanted: string): Range[] {
  const lines = text.split('\n');
  const withEnd = wanted.endsWith('\n');
  const sought = (withEnd ? wanted.slice(0, -1) : wanted).split('\n').map((line) => line.trimEnd());
  if (sought.every((line) => line === '')) return [];
  const starts: number[] = [];
  let offset = 0;
  for (const line of lines) {
    starts.push(offset);
    offset += line.length + 1;
  }
  const places: Range[] = [];
  for (let at = 0; at + sought.length <= lines.length; at++) {
    if (!sought.every((line, index) => lines[at + index]?.trimEnd() === line)) continue;
    const last = at + sought.length - 1;
    const end = (starts[last] ?? 0) + (lines[last]?.length ?? 0);
    places.push({ start: starts[at] ?? 0, end: withEnd ? Math.min(end + 1, text.length) : end });
  }
  return places;
}

/** Replaces ranges of the text with `\n` only in the text with its own line ends. */
function replaceRanges(raw: string, text: string, ranges: readonly Range[], replacement: string): string {
  const toRaw = rawOffsets(raw, text);
  let result = '';
  let done = 0;
  for (const range of ranges) {
    const [start, end] = [toRaw(range.start), toRaw(range.end)];
    result += raw.slice(done, start) + withEndsOf(raw, start, end, replacement);
    done = end;
  }
  return result + raw.slice(done);
}

/** New text gets the line ends of what it replaces, and those of the whole file where that has none. */
function withEndsOf(raw: string, start: number, end: number, replacement: string): string {
  const lf = toLf(replacement);
  const own = lineEndsOf(raw.slice(start, end));
  const ends = own === 'none' ? lineEndsOf(raw) : own;
  const crlf = ends === 'crlf' || (ends === 'mixed' && raw.charCodeAt(raw.indexOf('\n') - 1) === 13);
  return crlf ? lf.replaceAll('\n', '\r\n') : lf;
}

/** Offsets must be asked in rising order. */
function rawOffsets(raw: string, text: string): (offset: number) => number {
  if (raw.length === text.length) return (offset) => offset;
  let rawAt = 0;
  let textAt = 0;
  return (offset) => {
    while (textAt < offset) {
      if (raw.charCodeAt(rawAt) === 13 && raw.charCodeAt(rawAt + 1) === 10) rawAt++;
      rawAt++;
      textAt++;
    }
    return rawAt;
  };
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

function severalPlaces(text: string, places: readonly number[], fail: Fail, label: string): ToolError {
  const lines = places.slice(0, listedLines).map((place) => lineAt(text, place));
  const more = places.length > listedLines ? ', …' : '';
  return fail(
    `old_text is in ${label} ${places.length} times, at lines ${lines.join(', ')}${more}. ` +
      `Add lines around it until it is unique, or set replace_all.`,
  );
}

function notFound(text: string, oldText: string, fail: Fail, label: string): ToolError {
  const lines = linesOf(text);
  const wanted = linesOf(toLf(oldText));
  if (wanted.length > 0 && wanted.every((line) => /^\s*\d+\| ?/.test(line))) {
    return fail(`old_text is not in ${label}: leave out the line numbers ("12| ") that read_file puts in front.`);
  }
  const near = nearestLines(lines, wanted);
  if (!near)
    return fail(`old_text is not in ${label}, nor anything like it. Read the file again and copy the text exactly.`);
  const last = near.first + near.lines.length - 1;
  const diff = shortDiff(`${wanted.join('\n')}\n`, `${near.lines.join('\n')}\n`, diffCharacters);
  return fail(
    `old_text is not in ${label}. The nearest text is at ${last > near.first ? `lines ${near.first}–${last}` : `line ${last}`}; "-" is your old_text, "+" is what the file has:\n${diff}\n`,
  );
}
