/** How an editor or a file indents. */
export interface IndentStyle {
  tabs: boolean;
  /** Columns of one step. */
  size: number;
}

/** The blanks a line begins with. */
export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** The lines without the blanks that all of them begin with; blank lines do not count. */
export function dedented(lines: readonly string[]): string[] {
  let common: string | undefined;
  for (const line of lines) {
    if (line.trim() === '') continue;
    const own = indentOf(line);
    if (common === undefined) common = own;
    while (!own.startsWith(common)) common = common.slice(0, -1);
  }
  const cut = common?.length ?? 0;
  return lines.map((line) => (line.trim() === '' ? '' : line.slice(cut)));
}

/** How lines are indented; undefined where none is. */
export function styleOf(lines: readonly string[]): IndentStyle | undefined {
  let tabs = 0;
  let least = Infinity;
  let spaces = 0;
  for (const line of lines) {
    if (line.startsWith('\t')) tabs++;
    // A single blank begins the lines of a block comment.
    else if (/^ {2,}\S/.test(line)) {
      spaces++;
      least = Math.min(least, indentOf(line).length);
    }
  }
  if (tabs === 0 && spaces === 0) return undefined;
  return tabs > spaces ? { tabs: true, size: 4 } : { tabs: false, size: Math.min(8, least) };
}

/** The lines with tabs where the style has tabs, and with blanks in their place where it has none. What is no whole step stays. */
export function restyled(lines: readonly string[], from: IndentStyle | undefined, to: IndentStyle): string[] {
  // Steps of two blanks among steps of four may as well align something: they stay.
  if (!from || from.tabs === to.tabs) return [...lines];
  const step = from.tabs ? '\t' : ' '.repeat(from.size);
  const wanted = to.tabs ? '\t' : ' '.repeat(to.size);
  return lines.map((line) => {
    const own = indentOf(line);
    let steps = 0;
    while (own.startsWith(step, steps * step.length)) steps++;
    return wanted.repeat(steps) + line.slice(steps * step.length);
  });
}

/**
 * Code as it goes in at a cursor: its own common indentation gone, its steps those of the editor, and each line behind the first indented as the line
 * it goes into. `before` is what stands in that line before the cursor. Ends without a line break.
 */
export function atCursor(code: string, before: string, style: IndentStyle): string {
  const lines = code.replaceAll('\r\n', '\n').replace(/\n+$/, '').split('\n');
  const own = restyled(dedented(lines), styleOf(lines), style);
  const indent = indentOf(before);
  return own.map((line, at) => (at === 0 || line === '' ? line : indent + line)).join('\n');
}
