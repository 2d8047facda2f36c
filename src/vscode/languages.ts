import * as vscode from 'vscode';
import type { FileEdits, Languages, LanguageSymbol, RenameEdits, Spot, TextChange } from '../platform/languages.js';
import { isPersonsFile } from './personsFile.js';
import { toPath, toUri } from './uris.js';

/** Source files that the built-in and the usual language services take, for opening one where none is open. */
const sources = '**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,py,go,rs,java,kt,cs,c,cc,cpp,h,hpp,php,rb,swift}';
const notSources = '**/{node_modules,dist,out,build,target,.git,.venv}/**';

/** The language services of this window, through the commands that VS Code has for extensions. */
export function editorLanguages(): Languages {
  return {
    documentSymbols: async (path) => {
      const { uri } = await ready(path);
      const found = await ask<(vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>(
        'vscode.executeDocumentSymbolProvider',
        uri,
      );
      return found?.flatMap((symbol) => symbolsBelow(symbol, path));
    },
    workspaceSymbols: async (query) => {
      await openSomeSource();
      const found = await ask<vscode.SymbolInformation[] | undefined>('vscode.executeWorkspaceSymbolProvider', query);
      return (found ?? []).map(symbolOf);
    },
    definitions: async (spot) => places('vscode.executeDefinitionProvider', spot),
    references: async (spot) => places('vscode.executeReferenceProvider', spot),
    rename: async (spot, newName) => {
      const { uri } = await ready(spot.path);
      const position = positionOf(spot);
      // Refuses what has no name to change, in better words than the rename itself has.
      await ask('vscode.prepareRename', uri, position);
      const edit = await ask<vscode.WorkspaceEdit | undefined>(
        'vscode.executeDocumentRenameProvider',
        uri,
        position,
        newName,
      );
      return edit ? editsOf(edit) : { files: [], movesFiles: false };
    },
  };
}

/**
 * Opens a file, unseen, and starts the extensions for its language: a service that is still starting would count as none. They would start by
 * themselves as soon as a person opens such a file.
 */
async function ready(path: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(toUri(path));
  const event = `onLanguage:${document.languageId}`;
  const wanted = vscode.extensions.all.filter(({ isActive, packageJSON }) => {
    const { activationEvents } = packageJSON as { activationEvents?: unknown };
    return !isActive && Array.isArray(activationEvents) && activationEvents.includes(event);
  });
  // One that cannot start is one that does not answer; the others may.
  await Promise.allSettled(wanted.map((extension) => extension.activate()));
  return document;
}

/** Language services know the projects of which a file is open: with none, a search for names would find nothing. */
async function openSomeSource(): Promise<void> {
  const open = vscode.workspace.textDocuments.find(({ uri, languageId }) => {
    return isPersonsFile(uri) && !['plaintext', 'markdown', 'json', 'jsonc', 'yaml'].includes(languageId);
  });
  const uri = open?.uri ?? (await vscode.workspace.findFiles(sources, notSources, 1))[0];
  if (uri) await ready(toPath(uri));
}

async function places(command: string, spot: Spot): Promise<Spot[]> {
  const { uri } = await ready(spot.path);
  const found = await ask<(vscode.Location | vscode.LocationLink)[] | undefined>(command, uri, positionOf(spot));
  return (found ?? []).map((place) =>
    'targetUri' in place
      ? spotOf(place.targetUri, (place.targetSelectionRange ?? place.targetRange).start)
      : spotOf(place.uri, place.range.start),
  );
}

function ask<T>(command: string, ...args: unknown[]): Thenable<T> {
  return vscode.commands.executeCommand<T>(command, ...args);
}

async function editsOf(edit: vscode.WorkspaceEdit): Promise<RenameEdits> {
  const files: FileEdits[] = [];
  for (const [uri, edits] of edit.entries()) {
    if (edits.length === 0) continue;
    // The editor may read a file in another encoding than we do, and columns count in its text.
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    files.push({ path: toPath(uri), changes: edits.map(changeOf), text });
  }
  return { files, movesFiles: movesFiles(edit) };
}

/**
 * Whether an edit also moves, creates or deletes files. The public interface shows texts only (its `size` too, whatever its comment says), so this looks
 * inside, where a text's edits are of type 2 and those of files of type 1. Where that changes, an edit counts as one of texts.
 */
function movesFiles(edit: vscode.WorkspaceEdit): boolean {
  const { _allEntries: all } = edit as { _allEntries?: unknown };
  const entries: unknown = typeof all === 'function' ? all.call(edit) : [];
  return Array.isArray(entries) && entries.some((entry: { _type?: unknown } | null) => entry?._type === 1);
}

function changeOf({ range, newText }: vscode.TextEdit): TextChange {
  return {
    line: range.start.line + 1,
    column: range.start.character + 1,
    endLine: range.end.line + 1,
    endColumn: range.end.character + 1,
    text: newText,
  };
}

function symbolsBelow(
  symbol: vscode.DocumentSymbol | vscode.SymbolInformation,
  path: string,
  container?: string,
): LanguageSymbol[] {
  if ('location' in symbol) return [symbolOf(symbol)];
  const { name, kind, selectionRange, children } = symbol;
  const own = { path, ...lineAndColumn(selectionRange.start), name, kind: kindOf(kind) };
  const held = children.flatMap((child) => symbolsBelow(child, path, name));
  return [container === undefined ? own : { ...own, container }, ...held];
}

function symbolOf({ name, kind, containerName, location }: vscode.SymbolInformation): LanguageSymbol {
  const own = { ...spotOf(location.uri, location.range.start), name, kind: kindOf(kind) };
  return containerName ? { ...own, container: containerName } : own;
}

/** `EnumMember` → `enum member`. */
function kindOf(kind: vscode.SymbolKind): string {
  const name = vscode.SymbolKind[kind] as string | undefined;
  return (name ?? 'symbol').replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

function spotOf(uri: vscode.Uri, start: vscode.Position): Spot {
  return { path: toPath(uri), ...lineAndColumn(start) };
}

function lineAndColumn({ line, character }: vscode.Position): { line: number; column: number } {
  return { line: line + 1, column: character + 1 };
}

function positionOf({ line, column }: Spot): vscode.Position {
  return new vscode.Position(line - 1, column - 1);
}
