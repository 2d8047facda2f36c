/**
 * What the editor's language services know, as an interface. Paths are those of `Workspace`; lines and columns count from 1, columns in UTF-16
 * units. No call can be stopped on the other side: who asks sets a limit of time and stops listening.
 */
export interface Languages {
  /** The symbols of a file in their order, nested ones after what holds them. Undefined where no language service takes the file. */
  documentSymbols(path: string): Promise<LanguageSymbol[] | undefined>;
  /** Symbols of all open projects whose names resemble the query. */
  workspaceSymbols(query: string): Promise<LanguageSymbol[]>;
  definitions(spot: Spot): Promise<Spot[]>;
  /** Every use, the declaration too. */
  references(spot: Spot): Promise<Spot[]>;
  /** What a rename would change. Changes nothing. Rejects with the service's own words where it refuses. */
  rename(spot: Spot, newName: string): Promise<RenameEdits>;
}

/** A place in a file. */
export interface Spot {
  path: string;
  line: number;
  column: number;
}

export interface LanguageSymbol extends Spot {
  name: string;
  /** In one lower-case word: `class`, `method`. */
  kind: string;
  /** What holds it, where the service says so. */
  container?: string;
}

/** One range of a text and what comes in its place. The end is behind the last character. */
export interface TextChange {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  text: string;
}

export interface FileEdits {
  path: string;
  changes: TextChange[];
  /** The text that the changes are meant for, as the editor has it. Left out where that is the text of the workspace. */
  text?: string;
}

export interface RenameEdits {
  files: FileEdits[];
  /** Whether the service would also move, create or delete files, which is not in `files`. */
  movesFiles: boolean;
}
