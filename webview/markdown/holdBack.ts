/**
 * The part of an unfinished block that can be drawn without having to be taken back: the end of the last line may still become a list,
 * a heading's underline, a fence or a table, and half a link or an open `**` would show its marks for a moment.
 */
export function drawable(markdown: string): string {
  if (hasOpenFence(markdown)) return markdown;
  return closeInline(withoutMarks(withoutHalfTable(markdown)));
}

/** True inside a fenced block, such as one in a list item: what looks like marks there is code. */
function hasOpenFence(markdown: string): boolean {
  if (!markdown.includes('```') && !markdown.includes('~~~')) return false;
  let open = '';
  for (const [, marks = ''] of markdown.matchAll(/^[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})[^`\n]*\n/gm)) {
    if (open === '') open = marks;
    else if (marks.startsWith(open)) open = '';
  }
  return open !== '';
}

/** A last line of nothing but marks says nothing yet. */
function withoutMarks(markdown: string): string {
  const lineStart = markdown.lastIndexOf('\n') + 1;
  const isMarks = /^\s*(?:>\s*)*(?:[-=_*+#`~|:$]+|\d{1,9}[.)]?|[-*+]\s+\[[ xX]?\]?|\\\[?)?\s*$/.test(
    markdown.slice(lineStart),
  );
  const isFence = /^\s*(?:`{3,}|~{3,})[^`]*$/.test(markdown.slice(lineStart));
  return isMarks || isFence ? markdown.slice(0, lineStart) : markdown;
}

/** The first line of a table looks like text until the line under it is there. */
function withoutHalfTable(markdown: string): string {
  const half = /(?:^|\n\n|\n(?=\|[^\n]*$))\|[^\n]*(?:\n[|:\s-]*)?$/.exec(markdown);
  if (!half) return markdown;
  const before = markdown.slice(0, half.index);
  // A row of a table that already has its delimiter line is drawn as it grows.
  return /\n\|?[ \t]*:?-+:?[ \t]*(?:\||$)/m.test(lastBlock(before)) ? markdown : before;
}

function lastBlock(markdown: string): string {
  return markdown.slice(Math.max(0, markdown.lastIndexOf('\n\n')));
}

/** Closes what the last line has opened, so that it is drawn as what it will be. */
function closeInline(markdown: string): string {
  const lineStart = markdown.lastIndexOf('\n') + 1;
  const line = markdown.slice(lineStart);
  if (!/[`*_[~]/.test(line)) return markdown;
  const code = openCode(line);
  if (code) return markdown.slice(0, lineStart) + code;
  return markdown.slice(0, lineStart) + closeEmphasis(withoutHalfLink(line));
}

/** The line with its open code span closed, or null if none is open. */
function openCode(line: string): string | null {
  let open = '';
  let at = 0;
  for (const run of line.matchAll(/`+/g)) {
    if (open === '') [open, at] = [run[0], run.index];
    else if (run[0] === open) open = '';
  }
  if (open === '') return null;
  const isEmpty = line.slice(at + open.length).trim() === '';
  return isEmpty ? line.slice(0, at) : line.trimEnd() + open;
}

/** `[text](https://exa` is drawn as `text` until its address is whole. */
function withoutHalfLink(line: string): string {
  return line.replace(/!?\[([^[\]]*)(?:\](?:\([^()\s]*)?)?$/, (whole, label) =>
    whole.startsWith('!') ? '' : String(label),
  );
}

function closeEmphasis(line: string): string {
  const trimmed = line.replace(/(?<=\s|^)[*_~]{1,3}$/, '');
  const text = trimmed.replace(/`[^`]*`/g, '');
  const strong = count(text, /\*\*/g) % 2 === 1;
  const struck = count(text, /~~/g) % 2 === 1;
  const half = strong && /[^*]\*$/.test(trimmed) ? trimmed.slice(0, -1) : trimmed;
  return half.trimEnd().length === 0 ? half : closed(half, `${strong ? '**' : ''}${struck ? '~~' : ''}`);
}

/** Marks close only right after a word. */
function closed(line: string, marks: string): string {
  if (marks === '') return line;
  const text = line.trimEnd();
  return text + marks;
}

function count(text: string, mark: RegExp): number {
  return text.match(mark)?.length ?? 0;
}
