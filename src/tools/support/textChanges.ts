import type { TextChange } from '../../platform/languages.js';
import { ToolError } from '../../runner/tool.js';

/** Applies changes that all refer to the text as it is. Throws a `ToolError` where they overlap or lie outside it. */
export function applyChanges(text: string, changes: readonly TextChange[], label: string): string {
  const starts = lineStarts(text);
  const places = changes
    .map(({ line, column, endLine, endColumn, text: inserted }) => ({
      start: offsetOf(starts, text.length, line, column),
      end: offsetOf(starts, text.length, endLine, endColumn),
      inserted,
    }))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let at = 0;
  for (const { start, end, inserted } of places) {
    // Written so that NaN fails too.
    if (!(start >= at && end >= start))
      throw new ToolError(`The language service gave changes for ${label} that do not fit its text. Nothing changed.`);
    result += text.slice(at, start) + inserted;
    at = end;
  }
  return result + text.slice(at);
}

/** The lines of a text as editors count them, without their ends. */
export function editorLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((end) => end.index + end[0].length)];
}

/** Past the text's end counts as NaN, which fits nowhere. */
function offsetOf(starts: readonly number[], length: number, line: number, column: number): number {
  // A whole last line may be given by the beginning of the one behind it.
  if (line === starts.length + 1 && column === 1) return length;
  const offset = (starts[line - 1] ?? Number.NaN) + column - 1;
  return offset <= length ? offset : Number.NaN;
}
