import { t } from '@vscode/l10n';
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
  const place = placeWords(piece);
  const words =
    piece.name !== undefined
      ? t('Explain `{0}` ({1}).', piece.name, place)
      : piece.selected
        ? t('Explain the selected code ({0}).', place)
        : t('Explain what this file does ({0}).', place);
  return quote === undefined ? words : `${words}\n\n${quoted(quote.text, quote.language)}`;
}

/** `src/a.ts, lines 3–9`. */
export function placeWords({ label, startLine, endLine }: Omit<Piece, 'selected'>): string {
  if (startLine === undefined) return label;
  const last = endLine ?? startLine;
  return last === startLine ? t('{0}, line {1}', label, startLine) : t('{0}, lines {1}–{2}', label, startLine, last);
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
  const count = problems.length;
  const fix = count === 1 ? t('Fix this problem in {0}:', label) : t('Fix these {1} problems in {0}:', label, count);
  const explain =
    count === 1
      ? t('Explain this problem in {0}, and how to fix it:', label)
      : t('Explain these {1} problems in {0}, and how to fix them:', label, count);
  const rest = problems.length - MAX_PROBLEMS;
  return [
    canEdit ? fix : explain,
    '',
    ...problems.slice(0, MAX_PROBLEMS).flatMap(problemLines),
    ...(rest > 0 ? [`- ${t('… and {0} more', rest)}`] : []),
  ].join('\n');
}

function problemLines({ line, message, origin, severity, related }: Problem): string[] {
  const source = origin === '' ? severity : `${severity}, ${origin}`;
  return [
    `- ${t('line {0} ({1}): {2}', line, source, inline(message))}`,
    ...related.slice(0, MAX_PROBLEMS).map((one) => `  - ${t('see {0}: {1}', one.place, inline(one.message))}`),
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
  const plainName = name.replace(/[\n`]/g, ' ');
  const from = name === '' ? t('From the terminal:') : t('From the terminal {0}:', plainName);
  return `${from}\n\n${quoted(visible)}\n`;
}
