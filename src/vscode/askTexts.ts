import { fenced } from '../platform/fenced.js';
import { shorten } from '../runner/toolCalls.js';

/** Characters of code or terminal text that stand in a message itself. */
export const MAX_QUOTE = 20_000;
/** Problems that one message lists, and characters of the words of one. */
const MAX_PROBLEMS = 20;
const MAX_WORDS = 1_000;

/** A piece of a document, as words for a message. Lines are 1-based and inclusive. */
export interface Piece {
  label: string;
  startLine?: number;
  endLine?: number;
  /** The name of the function that the lines are, where they are one. */
  name?: string;
  /** What is selected is meant, and not what lies around the cursor. */
  selected: boolean;
}

/** What asks to explain a piece that is attached, or that stands in the message where it cannot be attached. */
export function explainText(piece: Piece, quote?: { text: string; language: string }): string {
  const what =
    piece.name !== undefined ? `\`${piece.name}\`` : piece.selected ? 'the selected code' : 'what this file does';
  const words = `Explain ${what} (${placeWords(piece)}).`;
  return quote === undefined ? words : `${words}\n\n${quoted(quote.text, quote.language)}`;
}

/** `src/a.ts, lines 3–9`. */
export function placeWords({ label, startLine, endLine }: Omit<Piece, 'selected'>): string {
  if (startLine === undefined) return label;
  const last = endLine ?? startLine;
  return last === startLine
    ? `${label}, line ${String(startLine)}`
    : `${label}, lines ${String(startLine)}–${String(last)}`;
}

/** A text in a fence that nothing in it can close, its middle left out where it is too long. */
export function quoted(text: string, language = ''): string {
  return fenced(shorten(text.replace(/\s+$/, ''), MAX_QUOTE), language);
}

/** A problem that the editor shows. Lines are 1-based. */
export interface Problem {
  line: number;
  message: string;
  /** Who says so, and its name for it: `ts(2304)`. */
  origin: string;
  severity: string;
  related: { place: string; message: string }[];
}

/** What asks to fix problems of a file; where edits are not possible it asks for the way to. */
export function fixText(label: string, problems: readonly Problem[], { canEdit }: { canEdit: boolean }): string {
  const one = problems.length === 1;
  const what = one ? 'this problem' : `these ${String(problems.length)} problems`;
  const asked = canEdit
    ? `Fix ${what} in ${label}:`
    : `Explain ${what} in ${label}, and how to fix ${one ? 'it' : 'them'}:`;
  const rest = problems.length - MAX_PROBLEMS;
  return [
    asked,
    '',
    ...problems.slice(0, MAX_PROBLEMS).flatMap(problemLines),
    ...(rest > 0 ? [`- … and ${String(rest)} more`] : []),
  ].join('\n');
}

function problemLines({ line, message, origin, severity, related }: Problem): string[] {
  const source = origin === '' ? severity : `${severity}, ${origin}`;
  return [
    `- line ${String(line)} (${source}): ${inline(message)}`,
    ...related.slice(0, MAX_PROBLEMS).map((one) => `  - see ${one.place}: ${inline(one.message)}`),
  ];
}

function inline(message: string): string {
  return message.replace(/\s+/g, ' ').trim().slice(0, MAX_WORDS);
}

/** What of a terminal goes into the composer. Escape codes and other invisible characters are left out. */
export function terminalQuote(text: string, name: string): string {
  const visible = text
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '')
    .replaceAll('\r\n', '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
  return `From the terminal${name === '' ? '' : ` ${name.replace(/[\n`]/g, ' ')}`}:\n\n${quoted(visible)}\n`;
}
