import { isReader, nameOf, neverByPrefix } from './programs.js';
import { gitParts } from './gitDangers.js';
import type { SimpleCommand, Word } from './shellTypes.js';

/**
 * Beginnings of long options that write files, run programs or change where a program looks. Options may be abbreviated, so a shorter form
 * counts as well.
 */
const RISKY_STEMS =
  'output exec ext-diff upload-pack receive-pack config command eval require import loader pager open-files-in-pager textconv to-command use-compress-program checkpoint-action rsh extcmd editor script-shell git-dir work-tree directory rcfile init-file plugin preload template node-options shell server-command remote-cmd hostname-bin filter-command post-file upload write save compress-program userconfig globalconfig edit'.split(
    ' ',
  );
/** The same, but only as whole words or abbreviations of them: their beginnings are shared by harmless options. */
const RISKY_NAMES = 'pre file prefix cwd cmd call paginate in-place delete dest out outfile outdir out-dir'.split(' ');
const RISKY_SINGLE =
  /^-(exec|execdir|ok|okdir|delete|fprint.*|fls|toolexec|exec=.*|toolexec=.*|overlay.*|vettool.*|modfile.*)$/;
/** Short options that write (`-o`), run (`-x`, `-c`, `-e`, `git grep -O`) or change the folder (`-C`) in some program. */
const RISKY_LETTERS = 'oOcCxXe';
/** Programs whose `-o` only shapes what they print, and those whose `-c` counts or compares. */
const HARMLESS_O = ['grep', 'egrep', 'fgrep', 'rg', 'ls', 'ps', 'pgrep', 'df', 'id'];
const HARMLESS_C = [
  'wc',
  'grep',
  'egrep',
  'fgrep',
  'rg',
  'head',
  'tail',
  'ls',
  'sort',
  'cut',
  'stat',
  'uniq',
  'cmp',
  'du',
  'cat',
];
/** Git's subcommands that "commands that start with …" is offered for: they neither reach out nor run what they are given. */
const GIT_OFFERED =
  'status diff log show add commit branch stash blame ls-files ls-tree rev-parse describe tag switch merge-base shortlog grep cat-file rev-list show-ref'.split(
    ' ',
  );
const NEVER_SECOND =
  /^(install|i|add|exec|x|dlx|create|init|link|config|set|ci|update|upgrade|get|publish|login|adduser|token|run-script|npm|env)$/;

/** The words of a rule as a person wrote it in the settings. */
export function ruleWords(rule: string): string[] {
  return rule.trim().split(/\s+/).filter(Boolean);
}

/**
 * Whether a command is allowed by words: these words exactly, or a prefix of them. Strict: nothing unknown, no assignment before it, no file
 * written, and beyond a prefix no option that writes or runs. `dangerous` commands are allowed by their exact words only.
 */
export function allowedByWords(command: SimpleCommand, rule: readonly string[], dangerous: boolean): boolean {
  if (rule.length === 0 || command.guess || command.dynamic || command.opaque !== null) return false;
  if (command.assignments.length > 0 || command.runBy.includes('xargs') || command.runBy.includes('find')) return false;
  if (command.redirections.some((each) => each.writes && each.target.text !== '/dev/null')) return false;
  if (command.words.length < rule.length || rule.some((text, index) => !isPlain(command.words[index], text)))
    return false;
  if (command.words.length === rule.length && (!dangerous || standsAlone(command))) return true;
  return !dangerous && command.words.slice(rule.length).every((word) => isHarmless(word, nameOf(command) ?? ''));
}

/** Whether the danger of a command lies in its words, and not in what it is fed, where it stands or where its output goes. */
function standsAlone(command: SimpleCommand): boolean {
  const fed = command.pipedFrom.length + command.substitutes.length + command.redirections.length;
  return fed === 0 && command.stdin === null && command.folders?.length === 0;
}

function isPlain(word: Word | undefined, text: string): boolean {
  return word !== undefined && word.text === text && !word.dynamic && !word.pattern && !word.tilde;
}

/** Whether a word after a prefix stays within what the prefix stands for. */
function isHarmless(word: Word, program: string): boolean {
  const { text } = word;
  // File names decide, and one of them may look like an option.
  if (word.dynamic || (word.pattern && /^[*?[-]/.test(text))) return false;
  if (text.startsWith('--')) return text === '--' || !isRiskyLong(text.slice(2).replace(/=[^]*$/, ''));
  if (text.startsWith('-')) return !isRiskyShort(text, program);
  return !/^[A-Za-z_][\w.-]*=/.test(text);
}

function isRiskyLong(name: string): boolean {
  const lower = name.toLowerCase();
  const stem = RISKY_STEMS.some((risky) => lower.startsWith(risky) || risky.startsWith(lower));
  return stem || RISKY_NAMES.some((risky) => risky === lower || (lower.length > 1 && risky.startsWith(lower)));
}

function isRiskyShort(text: string, program: string): boolean {
  if (RISKY_SINGLE.test(text)) return true;
  const letters = /^-([A-Za-z]*)/.exec(text)?.[1] ?? '';
  const harmless = harmlessLetters(program);
  return [...letters].some((letter) => RISKY_LETTERS.includes(letter) && !harmless.includes(letter));
}

function harmlessLetters(program: string): string {
  return `${HARMLESS_O.includes(program) ? 'oOxXe' : ''}${HARMLESS_C.includes(program) ? 'cCxe' : ''}`;
}

/** Whether a command falls under a rule that refuses. Generous where an allowing rule is strict. */
export function deniedByWords(command: SimpleCommand, rule: readonly string[]): boolean {
  const [program, ...wanted] = rule;
  const name = nameOf(command);
  if (program === undefined || name === undefined) return false;
  if (name !== program.toLowerCase() && command.words[0]?.text !== program) return false;
  const args = command.words.slice(1).map((word) => word.text);
  if (wanted.every((text, index) => args[index] === text)) return true;
  const { sub, rest } = name === 'git' ? gitParts(args) : { sub: undefined, rest: args };
  const operands = [...(sub === undefined ? [] : [sub]), ...rest.filter((arg) => !arg.startsWith('-'))];
  const options = wanted.filter((text) => text.startsWith('-'));
  const words = wanted.filter((text) => !text.startsWith('-'));
  return options.every((text) => args.includes(text)) && words.every((text, index) => operands[index] === text);
}

/** The words of the prefix that may be offered for a command, or undefined where none is safe, or none would cover the command itself. */
export function offeredPrefix(command: SimpleCommand): string[] | undefined {
  const prefix = prefixOf(command.words.map((word) => word.text));
  return prefix && allowedByWords(command, prefix, false) ? prefix : undefined;
}

const MANAGERS =
  /^(npm|pnpm|yarn|pip|pip3|cargo|go|composer|gem|brew|apt|apt-get|dnf|yum|pacman|mvn|gradle|dotnet|bundle|poetry)$/;
const PLAIN_WORD = /^[a-z][\w:-]*$/;

function prefixOf(words: string[]): string[] | undefined {
  const [program, ...rest] = words;
  if (program === undefined || !/^[a-z][a-z0-9_.-]*$/.test(program) || neverByPrefix(program)) return undefined;
  const [second, third] = rest.map((word) => (PLAIN_WORD.test(word) ? word : undefined));
  if (program === 'git') return second !== undefined && GIT_OFFERED.includes(second) ? [program, second] : undefined;
  if (!MANAGERS.test(program)) return second === undefined || isReader(program) ? [program] : [program, second];
  if (second === undefined || NEVER_SECOND.test(second)) return undefined;
  if (second !== 'run') return [program, second];
  return third !== undefined && /^(npm|pnpm|yarn|composer)$/.test(program) ? [program, second, third] : undefined;
}
