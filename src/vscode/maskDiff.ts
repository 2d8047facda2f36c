import { maskSecretsInLines } from '../platform/maskSecrets.js';
import { hasRandomPart } from '../platform/secretForms.js';

/** A line of nothing but base64, as keys have them, whatever quotes a program puts around it. */
const KEY_LINE = /^[\s"'`+]{0,20}[A-Za-z0-9+/]{56,80}={0,2}(?:\\n)?["'`,;+\\\s]{0,10}$/;
const KEY_REST = /^[\s"'`+]{0,20}[A-Za-z0-9+/]{1,80}={0,2}(?:\\n)?["'`,;+\\\s]{0,10}$/;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/;
const MASK = '***';

/**
 * The hunks of a file's diff with their secrets masked as the lines hold them, not the marks before these: what was and what comes are looked through each
 * by itself. Lines of a private key are masked also where its first one is not among them. Lines that hold nothing but a mask become one.
 */
export function maskHunks(hunks: string): string {
  const out: string[] = [];
  let lines: string[] = [];
  let width = 1;
  for (const line of hunks.split('\n')) {
    const [, head = '', heading = ''] = /^(@{2,} .*? @{2,})(.*)$/s.exec(line) ?? [];
    // Every line of a hunk begins with its mark: this one says where some were left out.
    if (head === '' && !line.startsWith('…')) {
      lines.push(line);
      continue;
    }
    out.push(...maskHunk(lines, width));
    lines = [];
    if (head !== '') width = head.indexOf(' ') - 1;
    out.push(head === '' ? line : head + maskLines([heading]).join(''));
  }
  return [...out, ...maskHunk(lines, width)].join('\n');
}

/** `width` is the number of marks before each line: a merge has one for each parent. */
function maskHunk(lines: readonly string[], width: number): string[] {
  const bare = lines.map((line) => line.slice(width));
  const masked = [...bare];
  for (const other of ['+', '-']) {
    const mine = [...lines.keys()].filter((at) => isOnSide(lines[at] ?? '', width, other));
    const found = maskLines(mine.map((at) => bare[at] ?? ''));
    for (const [nth, at] of mine.entries()) {
      const isChanged = masked[at] !== bare[at] && found[nth] !== masked[at];
      if (found[nth] !== bare[at]) masked[at] = isChanged ? MASK : (found[nth] ?? MASK);
    }
  }
  const marked = lines.map((line, at) => `${line.slice(0, width)}${masked[at] ?? MASK}`);
  return marked.filter((line, at) => line.slice(width) !== MASK || line !== marked[at - 1]);
}

/** Whether a line stands in the version of the file that has no lines with the mark `other`. */
function isOnSide(line: string, width: number, other: string): boolean {
  return !line.startsWith('\\') && !line.slice(0, width).includes(other);
}

/** The same number of lines, their secrets masked. */
function maskLines(lines: readonly string[]): string[] {
  const masked = maskSecretsInLines(lines.join('\n')).split('\n');
  let isBeforeEnd = false;
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] ?? '';
    isBeforeEnd = KEY_END.test(line) || (isBeforeEnd && KEY_REST.test(line));
    if (isKeyLine(line) || (isBeforeEnd && KEY_REST.test(line))) masked[at] = MASK;
  }
  return masked;
}

function isKeyLine(line: string): boolean {
  const letters = line.replaceAll(/[^A-Za-z0-9]/g, '');
  return KEY_LINE.test(line) && /[a-z]/.test(letters) && /[A-Z]/.test(letters) && hasRandomPart(letters);
}
