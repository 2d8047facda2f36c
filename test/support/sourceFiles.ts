import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');

/** The project's TypeScript files below a folder of its root, as paths from there, in order. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

/** The same without those that only declare. */
export function codeFiles(folder: string): string[] {
  return sourceFiles(folder).filter((path) => !path.endsWith('.d.ts'));
}

/** A file by its path from the root, with parents set. */
export function parseSource(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true);
}
