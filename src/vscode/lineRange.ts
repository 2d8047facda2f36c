/** A place in a document, as VS Code counts: lines and characters from 0. */
interface Range {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

/** The lines that a selection or range means, 1-based. One that ends before the first character of a line does not mean that line. */
export function linesOfRange({ start, end }: Range): { startLine: number; endLine: number } {
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { startLine: start.line + 1, endLine: last + 1 };
}
