import { english, type Words } from '../platform/words.js';

/** One word of a command as the program would get it, or as much of it as can be known before it runs. */
export interface Word {
  /** Quotes and escapes removed. Unknown parts stand as `${NAME}`, `${NAME:-default}` or `$(…)`. */
  text: string;
  /** True where an expansion or substitution decides (part of) the word when the line runs; it may become several words. */
  dynamic: boolean;
  /** True where `*`, `?` or `[` stands unquoted, so that file names decide. */
  pattern: boolean;
  /** True where the word begins with an unquoted `~`. */
  tilde: boolean;
}

export interface Redirection {
  /** `>`, `>>`, `>|`, `&>`, `&>>`, `>&`, `<`, `<&`. */
  operator: string;
  target: Word;
  /** True where the target is a file that is created or changed; false for reading and for descriptors such as `2>&1`. */
  writes: boolean;
}

export interface Assignment {
  name: string;
  value: Word;
}

/** One program run by a line, wherever in the line it stands. */
export interface SimpleCommand {
  words: Word[];
  assignments: Assignment[];
  redirections: Redirection[];
  /** True where a word, an assignment or a redirection is not fully known. */
  dynamic: boolean;
  /** Targets of the `cd`s before it, to be resolved one after another from the line's own folder; null where that cannot be known. */
  folders: readonly Word[] | null;
  /** Commands whose output it gets through a pipe. */
  pipedFrom: readonly SimpleCommand[];
  /** Commands whose output stands in its words, or is handed over as a file by `<(…)`. */
  substitutes: readonly SimpleCommand[];
  /** Text of a here-document or here-string. */
  stdin: Word | null;
  /** Programs that run this one: `sudo`, `xargs`, `bash`. */
  runBy: readonly string[];
  /** Why what it really runs is unknown ("Runs text that is known only when it runs"). */
  opaque: Words | null;
  /** True for a reading of the line that is only possible: it counts against a line, never for it. */
  guess: boolean;
}

/** Everything a line would run, or why that cannot be said. */
export type ParsedLine =
  | {
      kind: 'parsed';
      commands: SimpleCommand[];
      /** Values that the line itself gives to variables; several where it does so more than once. */
      variables: ReadonlyMap<string, readonly Word[]>;
      /** A function that starts itself again in a pipe or in the background. */
      forkBomb: boolean;
    }
  | { kind: 'unparsable'; reason: Words };

/** Thrown inside the reader of a line; never leaves `parse`. */
export class UnparsableError extends Error {
  override readonly name = 'UnparsableError';

  constructor(readonly words: Words) {
    super(words(english));
  }
}

/** A word that is known, letter by letter. */
export function literalWord(text: string): Word {
  return { text, dynamic: false, pattern: false, tilde: false };
}

/** A word of which nothing is known before the line runs. */
export function unknownWord(text = '$(…)'): Word {
  return { text, dynamic: true, pattern: false, tilde: false };
}

/** A command with these words and nothing else. */
export function bareCommand(words: Word[]): SimpleCommand {
  return {
    words,
    assignments: [],
    redirections: [],
    dynamic: words.some((word) => word.dynamic),
    folders: [],
    pipedFrom: [],
    substitutes: [],
    stdin: null,
    runBy: [],
    opaque: null,
    guess: false,
  };
}
