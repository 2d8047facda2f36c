/** A file name in running text, with the line it names. `line` is 1-based. */
export interface PathMatch {
  text: string;
  path: string;
  line?: number;
}

const LINE = /:(\d{1,7})(?::\d{1,7})?$/;

/** Endings that make a name without a folder a file and not a property such as `console.log`. */
const ENDINGS = new Set(
  (
    'ts tsx mts cts js jsx mjs cjs json jsonc jsonl md mdx py pyi rs go java kt kts c h cc cpp hpp cs rb php swift sh bash zsh ps1 bat ' +
    'yml yaml toml html htm css scss less sql txt csv vue svelte lock xml ini cfg conf gradle ipynb lua dart ex exs svg png pdf vsix'
  ).split(' '),
);

const WHOLE =
  /^(?:[A-Za-z]:[\\/]|~?\/|\.{1,2}[\\/])?(?:[\p{L}\p{N}_@.+()[\]-]+[\\/])*[\p{L}\p{N}_@.+()[\]-]+(?::\d{1,7}){0,2}$/u;
const WITH_ENDING = /\.([A-Za-z]\w{0,7})$/;
const HOST = /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|co|de|cn|uk)[\\/]/i;

/** Reads a whole piece of inline code as a file, with or without a line. Null if it is something else. */
export function pathOf(code: string): PathMatch | null {
  if (code.length > 260 || !WHOLE.test(code) || HOST.test(code)) return null;
  const line = LINE.exec(code);
  const path = line ? code.slice(0, line.index) : code;
  const ending = WITH_ENDING.exec(path)?.[1]?.toLowerCase();
  if (!ending || (!/[\\/]/.test(path) && !ENDINGS.has(ending))) return null;
  return { text: code, path, ...(line ? { line: Number(line[1]) } : {}) };
}

const IN_TEXT =
  /(?<![\p{L}\p{N}_@/\\.:~-])(?:(?:[A-Za-z]:[\\/]|~?\/|\.{1,2}\/)?(?:[\p{L}\p{N}_@.+-]+\/)+[\p{L}\p{N}_@.+-]*\.[A-Za-z]\w{0,7}(?::\d{1,7}){0,2}|[\p{L}\p{N}_.-]+\.[A-Za-z]\w{0,7}(?::\d{1,7}){1,2})(?![\p{L}\p{N}_/])/gu;

/** Splits running text at the file names in it: names with a folder, or with a line. */
export function splitAtPaths(text: string): (string | PathMatch)[] {
  if (!/[/:]/.test(text)) return [text];
  const pieces: (string | PathMatch)[] = [];
  let end = 0;
  for (const found of text.matchAll(IN_TEXT)) {
    const match = pathOf(found[0]);
    if (!match) continue;
    if (found.index > end) pieces.push(text.slice(end, found.index));
    pieces.push(match);
    end = found.index + found[0].length;
  }
  if (end < text.length) pieces.push(text.slice(end));
  return pieces;
}
