import { isInterpreter, isReader, nameOf } from './programs.js';
import { deletesAll } from './blocked.js';
import { absolute, argumentsOf, folderOf, operandsOf, textsOf, type Variables, type Where } from './resolve.js';
import { sensitiveName } from './sensitive.js';
import type { SimpleCommand, Word } from './shellTypes.js';

/** What a command does to a path it names. `remove` takes along all below it; `unknown`: the program decides. */
export type UseKind = 'read' | 'write' | 'remove' | 'unknown';

export interface PathUse {
  /** Absolute, symbolic links not yet followed. */
  path: string;
  /** As it stands in the line. */
  shown: string;
  kind: UseKind;
}

/** Paths of one command that are looked at; a command that names more is judged by the rest of what it is. */
export const MAX_PATHS = 200;

const CHANGERS =
  'rm rmdir unlink shred truncate touch tee chmod chown chgrp mkdir remove-item ri del erase rd set-content add-content out-file new-item'.split(
    ' ',
  );
const COPIERS = 'cp install ln rsync scp ditto copy-item copy cpi xcopy robocopy'.split(' ');
const MOVERS = 'mv move-item move mi rename ren rename-item'.split(' ');
const PATTERN_FIRST = 'grep egrep fgrep rg ag sed awk gawk mawk nawk jq yq select-string'.split(' ');
/** Programs of the system run from anywhere. */
const SYSTEM_FOLDER = /^\/(usr\/(local\/)?)?s?bin\/|^\/opt\/homebrew\/bin\/|^[a-z]:\\windows\\/i;
const STANDARD_DEVICE = /^\/dev\/(null|zero|u?random|tty|std(in|out|err)|fd\/\d+)$/;
/** Names that a pattern is tried against: `.e*` may mean `.env`. */
const SECRET_NAMES = [
  '.env',
  '.env.local',
  '.npmrc',
  '.pypirc',
  '.netrc',
  '.git-credentials',
  'id_rsa',
  'id_ed25519',
  'a.pem',
  'a.key',
  '.ssh',
  '.aws',
  '.gnupg',
];

/** Every path that a command names: words, values glued to options, redirections, the program itself, paths within inline programs. */
export function pathUses(command: SimpleCommand, variables: Variables, where: Where): PathUse[] {
  const folder = folderOf(command, variables, where);
  const uses: PathUse[] = [];
  const [program, ...args] = command.words;
  const name = nameOf(command) ?? '';
  // In `-v /here:/there` only the first is a path of this machine.
  const inContainer = /^(docker|podman|nerdctl)$/.test(name);
  const add = (word: Word, kind: UseKind, shown = word.text) => {
    for (const text of candidates(word, variables, where, inContainer)) {
      const path = absolute(text, folder, where, word.tilde || text.startsWith('~'));
      if (path !== undefined && !STANDARD_DEVICE.test(path)) uses.push({ path, shown, kind });
    }
  };
  if (program && /[\\/]/.test(program.text) && !SYSTEM_FOLDER.test(program.text)) add(program, 'unknown');
  const kinds = kindsOf(command, name, args);
  for (const [index, word] of args.entries()) {
    if (!kinds.skip.has(index)) add(word, kinds.kind(index));
    if (isInterpreter(name) && /[\s'"(]/.test(word.text))
      inlinePaths(word.text, kinds.skip.has(index)).forEach((text) =>
        add({ ...word, text, dynamic: false }, 'unknown'),
      );
  }
  for (const each of command.redirections) {
    if (/^\d+-?$|^-$/.test(each.target.text) && each.operator.endsWith('&')) continue;
    add(each.target, each.writes ? 'write' : 'read');
  }
  for (const each of command.assignments)
    add({ ...each.value, text: `=${each.value.text}` }, 'unknown', each.value.text);
  uses.push(...intoFolder(command, name, uses));
  return distinct(uses);
}

/** `cp a/history.jsonl memory/` writes `memory/history.jsonl`. */
function intoFolder(command: SimpleCommand, name: string, uses: readonly PathUse[]): PathUse[] {
  const target = uses.findLast((use) => use.kind === 'write');
  if (!target || !(COPIERS.includes(name) || MOVERS.includes(name))) return [];
  const names = operandsOf(command.words.slice(1)).map((word) => word.text.slice(word.text.search(/[^\\/]*[\\/]*$/)));
  return names.map((base) => ({
    ...target,
    path: `${target.path.replace(/[\\/]+$/, '')}/${base.replace(/[\\/]+$/, '')}`,
  }));
}

function distinct(uses: readonly PathUse[]): PathUse[] {
  const seen = new Map(uses.map((use) => [`${use.kind} ${use.path}`, use]));
  return [...seen.values()].slice(0, MAX_PATHS + 1);
}

function kindsOf(
  command: SimpleCommand,
  name: string,
  args: Word[],
): { skip: Set<number>; kind: (index: number) => UseKind } {
  const texts = argumentsOf(command);
  const skip = new Set<number>();
  const operands = [...args.keys()].filter((index) => !/^-./.test(texts[index] ?? ''));
  const inPlace = /^(sed|perl|ruby)$/.test(name) && texts.some((text) => /^-[a-zA-Z]*i|^--in-place/.test(text));
  const ownPattern = texts.some((text) => /^-[a-zA-Z]*[ef]$|^--(regexp|file|expression)/.test(text));
  if (PATTERN_FIRST.includes(name) && !ownPattern && operands[0] !== undefined) skip.add(operands[0]);
  if (name === 'echo' || name === 'printf') operands.forEach((index) => skip.add(index));
  const last = operands.at(-1);
  const targetFolder = texts.findIndex((text) => /^(-t|--target-directory)/.test(text));
  const kind = (index: number): UseKind => {
    const text = texts[index] ?? '';
    if (deletesAll(name, texts) || MOVERS.includes(name))
      return MOVERS.includes(name) && index === last ? 'write' : 'remove';
    if (CHANGERS.includes(name) || inPlace || (name === 'dd' && text.startsWith('of='))) return 'write';
    if (COPIERS.includes(name)) {
      const into = targetFolder >= 0 ? index === targetFolder || index === targetFolder + 1 : index === last;
      return into ? 'write' : 'read';
    }
    return (isReader(name) || name === 'sed' || name === 'cd') && !/^-o/.test(text) ? 'read' : 'unknown';
  };
  return { skip, kind };
}

/** The texts of a word that may be paths: itself, the value after `=`, `@` or an option's letter, and parts between colons. */
function candidates(word: Word, variables: Variables, where: Where, inContainer: boolean): string[] {
  const texts = textsOf(word, variables, where) ?? [knownStart(word.text)];
  return texts.flatMap((text) => {
    const whole = word.pattern ? beforePattern(text) : [text];
    return whole.flatMap((each) => [...new Set(partsOf(each, inContainer))]);
  });
}

/** `/etc/$NAME` is at least something in `/etc`. */
function knownStart(text: string): string {
  const start = text.slice(0, text.indexOf('$'));
  return start.slice(0, start.lastIndexOf('/') + 1);
}

function beforePattern(text: string): string[] {
  const at = text.search(/[*?[]/);
  const folder = text.slice(0, text.lastIndexOf('/', at) + 1);
  const segment = text.slice(folder.length).split('/')[0] ?? '';
  const secret = /[A-Za-z0-9.]/.test(segment.replace(/\[[^\]]*\]/g, 'a'))
    ? SECRET_NAMES.filter((name) => globMatches(segment, name))
    : [];
  return [...(folder === '' ? [] : [folder]), ...secret.map((name) => folder + name)];
}

function globMatches(glob: string, name: string): boolean {
  const source = glob.replace(/\[[!^]?[^\]]*\]|\*+|\?|[^*?[]+|\[/g, (part) => {
    if (part.startsWith('*')) return '.*';
    if (part === '?' || part.startsWith('[')) return '.';
    return part.replace(/[.+^${}()|\\\]]/g, '\\$&');
  });
  return new RegExp(`^${source}$`, 'i').test(name);
}

function partsOf(text: string, inContainer: boolean): string[] {
  const url = /^file:\/\/(\/.*)$/.exec(text)?.[1];
  if (url !== undefined) return [url];
  if (text === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return [];
  const [first = '', ...rest] = text.split(/[:,]/);
  const isVolume = rest.length > 0 && /^(\/|~\/|\.\.)/.test(first);
  const value = /^[^=\s]*=([^]+)$/.exec(text)?.[1];
  const glued = /^-[A-Za-z]((?:\/|~|\.\.)[^]*)$/.exec(text)?.[1];
  const from = /^@([^]+)$/.exec(text)?.[1];
  const named = [value, glued, from].filter((part) => part !== undefined);
  const rooted = inContainer ? [] : rest.filter((part) => /^(\/|~|\.\.\/)/.test(part));
  const whole = text.startsWith('-') ? [] : [isVolume ? first : text];
  return [...whole, ...named, ...rooted];
}

/**
 * Paths in the text of `python -c` and its like: absolute or leading upwards, or sensitive by name. In a script of `awk` or `sed` (`script`)
 * slashes mostly enclose patterns, so only what stands in double quotes counts.
 */
function inlinePaths(text: string, script: boolean): string[] {
  const parts = script ? [...text.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '') : [text];
  const tokens = parts.flatMap((part) => part.split(/[\s'"`(),;=<>[\]{}]+/));
  return tokens.filter((token) => /^(\/[^/]|~\/|\.\.\/)/.test(token) || sensitiveName(token) !== undefined);
}
