import { readFileSync, statSync } from 'node:fs';
import ts from 'typescript';
import type { Languages, Spot, TextChange } from '../../src/platform/languages.js';

/** TypeScript's own language service over real files, in the form the tools ask. Other files have no service. */
export function tsLanguages(files: string[]): Languages {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => files,
    getScriptVersion: (name) => String(statSync(name).mtimeMs),
    getScriptSnapshot: (name) =>
      ts.sys.fileExists(name) ? ts.ScriptSnapshot.fromString(readFileSync(name, 'utf8')) : undefined,
    getCurrentDirectory: () => '/',
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: (name) => ts.sys.fileExists(name),
    readFile: (name) => ts.sys.readFile(name),
    directoryExists: (name) => ts.sys.directoryExists(name),
  });
  const source = (path: string) => ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const offset = ({ path, line, column }: Spot) => source(path).getPositionOfLineAndCharacter(line - 1, column - 1);
  const place = (path: string, at: number) => {
    const { line, character } = source(path).getLineAndCharacterOfPosition(at);
    return { line: line + 1, column: character + 1 };
  };
  const spots = (found: readonly { fileName: string; textSpan: ts.TextSpan }[] | undefined): Spot[] =>
    (found ?? []).map(({ fileName, textSpan }) => ({ path: fileName, ...place(fileName, textSpan.start) }));
  return {
    documentSymbols: async (path) => {
      if (!path.endsWith('.ts')) return undefined;
      const below = (tree: ts.NavigationTree, container?: string): ReturnType<typeof symbolOf>[] => [
        symbolOf(path, tree, container),
        ...(tree.childItems ?? []).flatMap((child) => below(child, tree.text)),
      ];
      return (service.getNavigationTree(path).childItems ?? []).flatMap((child) => below(child));
    },
    workspaceSymbols: async (query) =>
      service.getNavigateToItems(query).map((item) => ({
        ...{ name: item.name, kind: item.kind, path: item.fileName },
        ...place(item.fileName, item.textSpan.start),
      })),
    definitions: async (spot) => spots(service.getDefinitionAtPosition(spot.path, offset(spot))),
    references: async (spot) => spots(service.getReferencesAtPosition(spot.path, offset(spot))),
    rename: async (spot, newName) => {
      const at = offset(spot);
      const info = service.getRenameInfo(spot.path, at, { allowRenameOfImportPath: true });
      if (!info.canRename) throw new Error(info.localizedErrorMessage);
      if (info.fileToRename !== undefined) {
        const to = new URL(newName, `file://${info.fileToRename}`).pathname;
        const edits = service.getEditsForFileRename(info.fileToRename, to, {}, {});
        return { movesFiles: true, files: edits.map(({ fileName, textChanges }) => changesOf(fileName, textChanges)) };
      }
      const found = service.findRenameLocations(spot.path, at, false, false, {}) ?? [];
      const names = [...new Set(found.map((one) => one.fileName))];
      const changes = (name: string) =>
        found
          .filter(({ fileName }) => fileName === name)
          .map(({ textSpan: span, prefixText = '', suffixText = '' }) => ({
            span,
            newText: prefixText + newName + suffixText,
          }));
      return { movesFiles: false, files: names.map((name) => changesOf(name, changes(name))) };
    },
  };

  function symbolOf(path: string, { text, kind, nameSpan, spans }: ts.NavigationTree, container?: string) {
    const start = (nameSpan ?? spans[0])?.start ?? 0;
    return { path, ...place(path, start), name: text, kind, ...(container === undefined ? {} : { container }) };
  }

  function changesOf(path: string, changes: readonly ts.TextChange[]): { path: string; changes: TextChange[] } {
    return {
      path,
      changes: changes.map(({ span, newText }) => {
        const [start, end] = [place(path, span.start), place(path, span.start + span.length)];
        return { ...start, endLine: end.line, endColumn: end.column, text: newText };
      }),
    };
  }
}
