import { isWindowsPath, styleOf } from './pathText.js';
import type { SimpleCommand, Word } from './shellTypes.js';

/** Where a line runs, for turning its words into paths. All absolute. */
export interface Where {
  cwd: string;
  userHome: string;
}

export type Variables = ReadonlyMap<string, readonly Word[]>;

/** Texts that one word is tried as at most, when the line gives its variables several values. */
const MAX_TEXTS = 16;

/**
 * What a word may be when the line runs, as far as the line itself and the person's home folder tell: `$HOME`, `~`, variables that the line
 * sets, `${X:-default}`. Undefined where something else decides it.
 */
export function textsOf(word: Word, variables: Variables, where: Where, depth = 0): string[] | undefined {
  if (!word.dynamic) return [word.text];
  let texts = [''];
  let rest = word.text;
  while (rest !== '') {
    const match = /\$\{(\w+)([^{}]*)\}|\$\(…\)|\$\{/.exec(rest);
    const before = match ? rest.slice(0, match.index) : rest;
    texts = texts.map((text) => text + before);
    if (!match) break;
    rest = rest.slice(match.index + match[0].length);
    const values = match[1] === undefined ? undefined : valuesOf(match[1], match[2] ?? '', variables, where, depth);
    if (!values) return undefined;
    texts = texts.flatMap((text) => values.map((value) => text + value));
    if (texts.length > MAX_TEXTS) return undefined;
  }
  return texts;
}

function valuesOf(
  name: string,
  operation: string,
  variables: Variables,
  where: Where,
  depth: number,
): string[] | undefined {
  if (depth > 4) return undefined;
  const set = variables.get(name);
  const defaults = /^:?[-=](.*)$/.exec(operation)?.[1];
  if (set) {
    const values = set.map((word) => textsOf(word.tilde ? expanded(word, where) : word, variables, where, depth + 1));
    return values.every((value) => value !== undefined) ? values.flat() : undefined;
  }
  if (name === 'HOME') return [where.userHome];
  if (name === 'PWD') return [where.cwd];
  return defaults === undefined ? undefined : [defaults];
}

function expanded(word: Word, where: Where): Word {
  return { ...word, text: expandTilde(word.text, where) };
}

/** `~` and `~/x` as the person's home folder, `~name` as a folder beside it. */
function expandTilde(text: string, where: Where): string {
  const style = styleOf(where.userHome);
  const match = /^~([^/\\]*)(.*)$/s.exec(text);
  if (!match) return text;
  const base = match[1] ? style.join(style.dirname(where.userHome), match[1]) : where.userHome;
  return match[2] ? style.join(base, match[2]) : base;
}

/** The absolute path of a text in a folder; undefined for a relative one where the folder is not known. */
export function absolute(text: string, folder: string | undefined, where: Where, tilde: boolean): string | undefined {
  const path = tilde ? expandTilde(text, where) : text;
  if (path.startsWith('/') && !isWindowsPath(where.cwd)) return styleOf(where.cwd).normalize(path);
  if (isWindowsPath(path)) return styleOf(path).normalize(path);
  return folder === undefined ? undefined : styleOf(folder).resolve(folder, path);
}

/** The folder that a command runs in; undefined where a `cd` before it is not known. */
export function folderOf(command: SimpleCommand, variables: Variables, where: Where): string | undefined {
  let folder: string | undefined = where.cwd;
  for (const target of command.folders ?? [undefined]) {
    const texts = target && !target.pattern ? textsOf(target, variables, where) : undefined;
    const text = texts?.length === 1 ? texts[0] : undefined;
    folder = text === undefined || !target ? undefined : absolute(text, folder, where, target.tilde);
    if (folder === undefined) return undefined;
  }
  return folder;
}

/** Words after the program, as texts; what is not known stands as it was written. */
export function argumentsOf(command: SimpleCommand): string[] {
  return command.words.slice(1).map((word) => word.text);
}

/** Arguments that are not options: everything after `--`, and what does not begin with `-`. */
export function operandsOf(words: readonly Word[]): Word[] {
  const end = words.findIndex((word) => word.text === '--' && !word.dynamic);
  const before = end < 0 ? words : words.slice(0, end);
  return [...before.filter((word) => !/^-./.test(word.text)), ...(end < 0 ? [] : words.slice(end + 1))];
}

/** Whether one of these arguments is the short option (alone or in a cluster) or the long one (abbreviated, with a value). */
export function hasOption(args: readonly string[], short: string, long = ''): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => {
    if (arg.startsWith('--')) {
      const name = arg.replace(/=[^]*$/, '');
      return long !== '' && name.length > 3 && (long.startsWith(name) || name.startsWith(long));
    }
    return short !== '' && /^-[A-Za-z0-9]+$/.test(arg) && [...short].some((letter) => arg.includes(letter));
  });
}
