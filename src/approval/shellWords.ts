import { UnparsableError, type Word } from './shellTypes.js';

/** A stretch of a word. A dynamic piece is one cell, whatever its text. */
export interface Piece {
  text: string;
  quoted: boolean;
  dynamic: boolean;
}

interface Cell {
  text: string;
  quoted: boolean;
  dynamic: boolean;
}

/** Words that one brace expansion may make; beyond, the word counts as unknown. */
const MAX_BRACE_WORDS = 64;

/** Control characters other than tab and newline, and those that turn the direction of text, make a line look other than it runs. */
const DECEIVING = /[\u0000-\u0008\u000b-\u001f\u007f\u0085\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const UNICODE_SPACE = /[\u00a0\u00ad\u1680\u180e\u2000-\u200f\u202f\u205f-\u2064\u3000\ufeff]/;

/** Throws where a line holds characters that a person cannot see for what they are. */
export function refuseDeceiving(text: string): void {
  if (DECEIVING.test(text)) throw new UnparsableError((t) => t('it contains control characters'));
}

/** Pieces of an unquoted stretch: a backslash quotes the next character. */
export function unquotedPieces(text: string): Piece[] {
  if (UNICODE_SPACE.test(text)) throw new UnparsableError((t) => t('it contains spaces that are not ordinary spaces'));
  const pieces: Piece[] = [];
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character !== '\\') {
      if (/\s/.test(character)) throw new UnparsableError((t) => t('a word in it has no clear end'));
      pieces.push({ text: character, quoted: false, dynamic: false });
      continue;
    }
    index++;
    if (index >= text.length) throw new UnparsableError((t) => t('it ends in a backslash'));
    if (text.charAt(index) !== '\n') pieces.push({ text: text.charAt(index), quoted: true, dynamic: false });
  }
  return pieces;
}

/** The text between double quotes, without what expansions put there. */
export function doubleQuoted(text: string): string {
  if (/`|\$[({[]/.test(text.replace(/\\[^]/g, '')))
    throw new UnparsableError((t) => t('an expansion in it is not clear'));
  return text.replace(/\\([\\"$`\n])/g, (_, escaped: string) => (escaped === '\n' ? '' : escaped));
}

const ANSI_ESCAPES: Record<string, string> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

/** The text of `$'…'`. Throws where the string does not end where the grammar says it does, which would hide the commands after it. */
export function ansiQuoted(source: string): string {
  const body = source.slice(2, -1);
  if (!/^(?:[^'\\]|\\[^])*$/.test(body)) throw new UnparsableError((t) => t("a $'…' string in it has no clear end"));
  return body.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|([^]))/g,
    (whole, hex?: string, short?: string, long?: string, octal?: string, single?: string) => {
      const code = hex ?? short ?? long;
      if (code !== undefined) return character(parseInt(code, 16));
      if (octal !== undefined) return character(parseInt(octal, 8) & 0xff);
      if (single === 'c') throw new UnparsableError((t) => t("a $'…' string in it holds control characters"));
      return ANSI_ESCAPES[single ?? ''] ?? whole;
    },
  );
}

function character(code: number): string {
  if (code === 0 || code > 0x10ffff)
    throw new UnparsableError((t) => t("a $'…' string in it holds characters that cannot be"));
  return String.fromCodePoint(code);
}

/** The words that these pieces make: several where braces list alternatives. */
export function wordsOf(pieces: readonly Piece[]): Word[] {
  const cells: Cell[] = pieces.flatMap((piece) =>
    piece.dynamic || piece.text === '' ? [piece] : [...piece.text].map((text) => ({ ...piece, text })),
  );
  const expanded = expandBraces(cells, { left: MAX_BRACE_WORDS });
  return expanded ? expanded.map(wordOf) : [{ ...wordOf(cells), dynamic: true }];
}

function wordOf(cells: readonly Cell[]): Word {
  const first = cells.find((cell) => cell.text !== '' || cell.quoted);
  return {
    text: cells.map((cell) => cell.text).join(''),
    dynamic: cells.some((cell) => cell.dynamic),
    pattern: cells.some((cell) => !cell.quoted && !cell.dynamic && /[*?[]/.test(cell.text)),
    tilde: first !== undefined && is(first, '~'),
  };
}

function is(cell: Cell | undefined, text: string): boolean {
  return cell !== undefined && !cell.quoted && !cell.dynamic && cell.text === text;
}

/** Bash's own order: the first brace pair with alternatives, each followed by the expansions of the rest. Undefined over the limit. */
function expandBraces(cells: readonly Cell[], budget: { left: number }): Cell[][] | undefined {
  for (let open = 0; open < cells.length; open++) {
    if (!is(cells[open], '{')) continue;
    const parts = alternatives(cells, open);
    if (parts === 'sequence') return undefined;
    if (!parts) continue;
    const rest = expandBraces(cells.slice(parts.end + 1), budget);
    if (!rest) return undefined;
    const words: Cell[][] = [];
    for (const choice of parts.choices) {
      const inner = expandBraces(choice, budget);
      if (!inner) return undefined;
      for (const middle of inner) for (const tail of rest) words.push([...cells.slice(0, open), ...middle, ...tail]);
      if (words.length > budget.left) return undefined;
    }
    return words;
  }
  return [[...cells]];
}

/** The comma-separated parts of the brace at `open`; `sequence` for `{1..9}`; undefined where the brace is an ordinary character. */
function alternatives(
  cells: readonly Cell[],
  open: number,
): { choices: Cell[][]; end: number } | 'sequence' | undefined {
  const choices: Cell[][] = [[]];
  let depth = 0;
  for (let index = open + 1; index < cells.length; index++) {
    const cell = cells[index];
    if (!cell) break;
    if (is(cell, '}') && depth === 0) {
      if (choices.length > 1) return { choices, end: index };
      return isSequence(choices[0] ?? []) ? 'sequence' : undefined;
    }
    if (is(cell, '{')) depth++;
    if (is(cell, '}')) depth--;
    if (is(cell, ',') && depth === 0) choices.push([]);
    else choices.at(-1)?.push(cell);
  }
  return undefined;
}

function isSequence(cells: readonly Cell[]): boolean {
  return cells.some((cell, index) => is(cell, '.') && is(cells[index + 1], '.'));
}
