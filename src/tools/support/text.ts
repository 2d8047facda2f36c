import { decodeText, encodeText, UnencodableError, type TextFormat } from '../../platform/encoding.js';
import { ToolError } from '../../runner/tool.js';

/** How the lines of a text end: all alike, `mixed`, or `none` for a text of one line. */
export type LineEnds = 'lf' | 'crlf' | 'mixed' | 'none';

/** A file's text as edits need it: with `\n` only, and with what is needed to write it as it was. */
export interface FileText {
  /** Without BOM, with its own line ends. */
  raw: string;
  format: TextFormat;
  lineEnds: LineEnds;
}

/** Undefined for a binary file. */
export function readFileText(bytes: Uint8Array): FileText | undefined {
  const decoded = decodeText(bytes);
  if (!decoded) return undefined;
  const { text, encoding, bom } = decoded;
  return { raw: text, format: { encoding, bom }, lineEnds: lineEndsOf(text) };
}

/** The text of bytes that may not be there; undefined also for a binary file. */
export function rawText(bytes: Uint8Array | undefined): string | undefined {
  return bytes && readFileText(bytes)?.raw;
}

/** The bytes of a text in a file's format. Throws a `ToolError` that names a character its encoding lacks. */
export function fileBytes(text: string, format: TextFormat, label: string): Uint8Array {
  try {
    return encodeText(text, format);
  } catch (error) {
    if (!(error instanceof UnencodableError)) throw error;
    throw new ToolError(
      `${label} is not UTF-8 (it reads as ${error.encoding}), and ${JSON.stringify(error.character)} cannot be written in it. ` +
        `Leave that character out, or convert the file to UTF-8 first (exec: iconv).`,
    );
  }
}

/** The lines of a text without their ends; a newline at the very end opens no further line. An empty text has none. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Which line ends a text has. */
export function lineEndsOf(text: string): LineEnds {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) === 13) crlf++;
    else lf++;
  }
  if (crlf > 0 && lf > 0) return 'mixed';
  if (crlf > 0) return 'crlf';
  return lf > 0 ? 'lf' : 'none';
}

/** Only `\n`. */
export function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Gives a new text the line ends of the file it goes into; where those are mixed or unknown it stays as it is. */
export function withLineEnds(text: string, ends: LineEnds): string {
  if (ends === 'lf') return toLf(text);
  return ends === 'crlf' ? toLf(text).replaceAll('\n', '\r\n') : text;
}

/** `12| text`, one line each, from a first number. */
export function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${first + index}| ${line}`).join('\n');
}

/** What a reader has to know about how a text is stored: empty for UTF-8 with plain line ends and a final newline. */
export function oddities(text: FileText): string[] {
  const notes: string[] = [];
  if (text.format.encoding !== 'utf-8') notes.push(text.format.encoding);
  if (text.format.bom) notes.push('BOM');
  if (text.lineEnds === 'crlf') notes.push('CRLF');
  if (text.lineEnds === 'mixed') notes.push('mixed line ends');
  if (text.raw !== '' && !text.raw.endsWith('\n')) notes.push('no final newline');
  return notes;
}

/** `1 line`, `3 lines`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `512 B`, `3.4 KB`, `200 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
