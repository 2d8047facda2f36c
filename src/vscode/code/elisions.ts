/** A comment in any of the usual forms, around what it says. */
const COMMENT =
  /^\s*(?:\/\/+|#+|--+|;+|%+|\/\*+|<!--|\{\/\*|\*|'|REM\b|"""|\(\*)\s*(.*?)\s*(?:\*+\/\}?|-->|"""|\*\))?\s*$/i;
const DOTS = /^[[(<{]?\s*(?:\.{3}|…)/;
const DOTS_AT_END = /(?:\.{3}|…)\s*[\])>}]?$/;
const SAID =
  /\b(?:existing|unchanged|rest|remain(?:s|ing|der)?|other|same|previous|omitted|as before|more|before|after|above|below)\b|代码|不变|其余|省略|现有/i;

/**
 * Whether a line stands for code that is left out: a comment such as `// ... existing code ...`, `# … rest of the function`, `<!-- unchanged ... -->`, or
 * nothing but dots. In Python three dots alone are a statement.
 */
export function isElision(line: string, language: string): boolean {
  if (line.length > 200) return false;
  const bare = line.trim();
  if (bare === '…' || bare === '[...]' || bare === '[…]') return true;
  if (bare === '...') return !/^(?:py|python|pyi)\d?$/.test(language);
  const said = COMMENT.exec(line)?.[1];
  if (said === undefined || said === '') return false;
  if (DOTS.test(said)) {
    const words = said.replaceAll(/[.…[\](){}<>]/g, '').trim();
    return words === '' || SAID.test(words);
  }
  return (DOTS_AT_END.test(said) && SAID.test(said)) || /^existing code(?: here)?$/i.test(said);
}

/** The pieces of a block between the lines that stand for what is left out; one piece where nothing is. */
export function piecesOf(lines: readonly string[], language: string): string[][] {
  const pieces: string[][] = [[]];
  for (const line of lines) {
    if (isElision(line, language)) pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  return pieces.map(withoutBlankEnds).filter((piece) => piece.length > 0);
}

function withoutBlankEnds(lines: string[]): string[] {
  let start = 0;
  let end = lines.length;
  while (start < end && lines[start]?.trim() === '') start++;
  while (end > start && lines[end - 1]?.trim() === '') end--;
  return lines.slice(start, end);
}
