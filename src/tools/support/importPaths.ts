import { posix } from 'node:path';
import type { TextChange } from '../../platform/languages.js';

/** Files whose imports can be told by their form, for ripgrep. */
export const SOURCE_GLOB = '*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,vue,svelte}';

const sourceEnd = /\.(d\.)?(ts|tsx|mts|cts|js|jsx|mjs|cjs)$/;

/** A file or folder that gets another path. Paths are absolute, with slashes. */
export interface Move {
  from: string;
  to: string;
}

/** Whether a file is one that others import by its path. */
export function isSource(path: string): boolean {
  return sourceEnd.test(path) || /\.(vue|svelte)$/.test(path);
}

/** The words of a move's old path of which an import of it holds one. */
export function namesOf({ from }: Move): string[] {
  const name = posix.basename(withoutEnd(from));
  return name === 'index' ? [name, posix.basename(posix.dirname(from))] : [name];
}

/**
 * What has to change in the relative imports of one file when something moves: in a file that imports it, and in a file that moves itself. Imports
 * by other names (packages, aliases) are not touched. The changes refer to the text as it is.
 */
export function importChanges(path: string, text: string, move: Move): TextChange[] {
  const folder = posix.dirname(path);
  const newFolder = posix.dirname(isMoved(path, move) ? move.to + path.slice(move.from.length) : path);
  return relativeImports(text).flatMap(({ specifier, line, column }) => {
    const target = posix.join(folder, specifier);
    const newTarget = moved(target, move);
    if (newTarget === target && newFolder === folder) return [];
    const way = posix.relative(newFolder, newTarget) || '.';
    const changed = way.startsWith('.') ? way : `./${way}`;
    const end = { endLine: line, endColumn: column + specifier.length };
    return changed === specifier || posix.normalize(changed) === posix.normalize(specifier)
      ? []
      : [{ line, column, ...end, text: changed }];
  });
}

/** Where an import of what moves stands in a file, if there is one. */
export function importerSpot(path: string, text: string, move: Move): { line: number; column: number } | undefined {
  const folder = posix.dirname(path);
  return relativeImports(text).find(({ specifier }) => {
    const target = posix.join(folder, specifier);
    return moved(target, move) !== target;
  });
}

/** An imported path after the move. Importers leave out the ending, or write that of the compiled file. */
function moved(target: string, move: Move): string {
  if (isMoved(target, move) && !isSource(move.from)) return move.to + target.slice(move.from.length);
  const [from, to] = [withoutEnd(move.from), withoutEnd(move.to)];
  if (!isSource(move.from)) return target;
  if (withoutEnd(target) === from) {
    const end = target.slice(withoutEnd(target).length);
    return to + (end === posix.extname(move.from) ? posix.extname(move.to) : end);
  }
  if (posix.basename(from) !== 'index' || target !== posix.dirname(from)) return target;
  return posix.basename(to) === 'index' ? posix.dirname(to) : to;
}

function isMoved(path: string, { from }: Move): boolean {
  return path === from || path.startsWith(`${from}/`);
}

function withoutEnd(path: string): string {
  return path.replace(sourceEnd, '');
}

/** Every relative path in an import, export, require or import(), with the place of its first character. */
function relativeImports(text: string): { specifier: string; line: number; column: number }[] {
  const found: { specifier: string; line: number; column: number }[] = [];
  text.split(/\r\n|\r|\n/).forEach((one, index) => {
    for (const match of one.matchAll(/(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*(['"])(\.[^'"]*)\1/g)) {
      const specifier = match[2] ?? '';
      const column = match.index + match[0].length - specifier.length;
      found.push({ specifier, line: index + 1, column });
    }
  });
  return found;
}
