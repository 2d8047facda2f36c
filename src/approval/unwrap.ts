import type { Words } from '../platform/words.js';
import { isShell, nameOf } from './programs.js';
import {
  bareCommand,
  literalWord,
  unknownWord,
  UnparsableError,
  type ParsedLine,
  type SimpleCommand,
  type Word,
} from './shellTypes.js';
import type { Unwrap } from './shellReader.js';

/** How deep `bash -c "bash -c …"` is followed. */
const MAX_DEPTH = 8;

const UNKNOWN_TEXT: Words = (t) => t('Runs text that is known only when it runs');

/** Options of programs that run another: those with a value in the next word; everything else that starts with `-` stands alone. */
const PREFIXES: Record<string, { values: string; positionals?: number; transparent?: boolean }> = {
  timeout: { values: '-k --kill-after -s --signal', positionals: 1, transparent: true },
  nohup: { values: '', transparent: true },
  nice: { values: '-n --adjustment', transparent: true },
  ionice: { values: '-c --class -n --classdata -t', transparent: true },
  stdbuf: { values: '-i --input -o --output -e --error', transparent: true },
  setsid: { values: '', transparent: true },
  command: { values: '', transparent: true },
  builtin: { values: '', transparent: true },
  exec: { values: '-a', transparent: true },
  time: { values: '', transparent: true },
  caffeinate: { values: '-t -w', transparent: true },
  unbuffer: { values: '', transparent: true },
  busybox: { values: '', transparent: true },
  toybox: { values: '', transparent: true },
  env: { values: '-u --unset -C --chdir', transparent: true },
  sudo: { values: '-u --user -g --group -p --prompt -C -h --host -r --role -t --type -T -U -D --chdir -R --chroot' },
  doas: { values: '-u -C -a' },
  pkexec: { values: '--user' },
  xargs: {
    values: '-a --arg-file -d --delimiter -E -I -L --max-lines -n --max-args -P --max-procs -s --max-chars -R -S',
  },
};

/** Words of the shell's own grammar; the grammar at hand sometimes takes them for programs. */
const RESERVED = '{ } ! if then elif else fi do done case esac for while until select function in coproc'.split(' ');
const SYSTEM_PROGRAM = /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/;

/** Programs that may run what stands in their words; every later word could begin a command. */
const MAY_RUN =
  'strace ltrace chroot flock unshare nsenter systemd-run script parallel firejail bwrap proot fakeroot xvfb-run dbus-run-session setarch chrt taskset runuser npx bunx pnpx pnpm npm yarn uvx uv poetry pipenv bundle direnv entr watchexec rlwrap torsocks proxychains proxychains4 ssh wsl gdb valgrind perf'.split(
    ' ',
  );

/**
 * Finds what a command really runs: `timeout 5 git status` is `git status`; `sudo rm x` is itself and `rm x`; `bash -c "a; b"` is `a` and
 * `b`. Where that depends on text known only later, the command is kept and marked opaque. `parse` reads the inner lines.
 */
export function unwrapper(parse: (line: string, depth: number) => ParsedLine, depth: number): Unwrap {
  let forkBomb = false;
  const inner = (line: string): Extract<ParsedLine, { kind: 'parsed' }> => {
    if (depth >= MAX_DEPTH) throw new UnparsableError((t) => t('it is nested too deeply'));
    const parsed = parse(line, depth + 1);
    if (parsed.kind === 'unparsable') throw new UnparsableError(parsed.reason);
    forkBomb ||= parsed.forkBomb;
    return parsed;
  };
  const run = (command: SimpleCommand, left: number): SimpleCommand[] => {
    if (left <= 0) throw new UnparsableError((t) => t('it is nested too deeply'));
    const name = nameOf(command);
    const written = command.words[0]?.text ?? '';
    if (name === undefined) return [unknownProgram(command)];
    if (RESERVED.includes(written)) throw new UnparsableError((t) => t('`{0}` stands where a command should', written));
    // `./timeout 5 git status` runs whatever lies in that file: it stands for itself, and its words for what they might run.
    if (written !== name && !SYSTEM_PROGRAM.test(written)) {
      const bare = { ...command, words: [literalWord(name), ...command.words.slice(1)] };
      return [command, ...guess(bare, (next) => run(next, left - 1))];
    }
    const again = (next: SimpleCommand) => run(next, left - 1);
    if (name === 'eval') return evaluated(command, command.words.slice(1), 'eval', inner);
    if (name === 'find' || name === 'fd') return found(command, again);
    if (isShell(name)) return shell(command, name, inner);
    if (name === 'su' || name === 'watch' || name === 'trap') return textOf(command, name, inner);
    // Only `-p` belongs to the shell's own `time`; with other options it is a program with options of its own.
    const timed = name === 'time' && /^-./.test(command.words[1]?.text ?? '') && command.words[1]?.text !== '-p';
    const scripts = /^(npm|pnpm|yarn|bun)$/.test(name) && !/^(exec|x|dlx)$/.test(command.words[1]?.text ?? '');
    if (scripts) return [command];
    if (timed || MAY_RUN.includes(name)) return [command, ...guesses(command, again)];
    return prefixed(command, name, again, inner);
  };
  return (command) => {
    const commands = run(command, MAX_DEPTH);
    const own = ['eval', 'source', '.'].includes(nameOf(command) ?? '');
    const changesFolder = own && commands.some((each) => /^(cd|pushd|popd|source|\.|eval)$/.test(nameOf(each) ?? ''));
    return { commands, changesFolder, forkBomb };
  };
}

function unknownProgram(command: SimpleCommand): SimpleCommand {
  if (command.words.length === 0) return command;
  return { ...command, dynamic: true, opaque: (t) => t('Runs a program whose name is known only when it runs') };
}

/** The command that `outer` runs with these words: it shares the folder, the pipe, the redirections and the assignments. */
function within(
  outer: SimpleCommand,
  words: Word[],
  by: string | null,
  more: Partial<SimpleCommand> = {},
): SimpleCommand {
  return {
    ...outer,
    words,
    dynamic: outer.dynamic || words.some((word) => word.dynamic),
    runBy: by === null ? outer.runBy : [...outer.runBy, by],
    ...more,
  };
}

function prefixed(
  command: SimpleCommand,
  name: string,
  again: (next: SimpleCommand) => SimpleCommand[],
  inner: (line: string) => Extract<ParsedLine, { kind: 'parsed' }>,
): SimpleCommand[] {
  const prefix = PREFIXES[name];
  if (!prefix) return [command];
  const values = prefix.values.split(' ');
  let index = 1;
  const assignments = [...command.assignments];
  for (; index < command.words.length; index++) {
    const word = command.words[index];
    if (!word) break;
    const assigned = /^([A-Za-z_]\w*)=([^]*)$/.exec(word.text);
    if (assigned && name === 'time') throw new UnparsableError((t) => t('it is unclear what `time` runs'));
    if ((name === 'env' || name === 'sudo') && assigned?.[1] !== undefined) {
      assignments.push({ name: assigned[1], value: { ...word, text: assigned[2] ?? '' } });
      continue;
    }
    if (!word.text.startsWith('-') || word.dynamic) break;
    if (name === 'command' && /^-[a-z]*[vV]/.test(word.text)) return [command];
    if (name === 'env' && /^(-[a-z0]*S|--split)/.test(word.text)) return splitString(command, index, inner);
    if (word.text === '--') {
      index++;
      break;
    }
    if (values.includes(word.text)) index++;
  }
  const rest = command.words.slice(index + (prefix.positionals ?? 0));
  if (rest.length === 0) return [command];
  const silent = name === 'command' || name === 'builtin' || name === 'exec' || name === 'time';
  const words = name === 'xargs' ? [...rest.map(placeholder), unknownWord()] : rest;
  const next = again(within(command, words, silent ? null : name, { assignments }));
  return prefix.transparent || name === 'xargs' ? next : [{ ...command, assignments }, ...next];
}

/** `{}` stands for what `find` or `xargs` puts there. */
function placeholder(word: Word): Word {
  return word.text.includes('{}') ? { ...word, dynamic: true } : word;
}

function splitString(
  command: SimpleCommand,
  index: number,
  inner: (line: string) => Extract<ParsedLine, { kind: 'parsed' }>,
): SimpleCommand[] {
  const option = command.words[index]?.text ?? '';
  const glued = option.startsWith('--') ? option.replace(/^--[a-z-]*=?/, '') : option.replace(/^-[a-z0]*S/, '');
  const words = [...(glued ? [literalWord(glued)] : []), ...command.words.slice(index + 1)];
  return evaluated(command, words, 'env', inner);
}

/** Words that are joined and read as a line of their own. */
function evaluated(
  command: SimpleCommand,
  words: readonly Word[],
  by: string,
  inner: (line: string) => Extract<ParsedLine, { kind: 'parsed' }>,
): SimpleCommand[] {
  const text = words.map((word) => word.text).join(' ');
  if (words.length === 0) return [command];
  if (!words.some((word) => word.dynamic || word.pattern)) return innerCommands(command, inner(text), by);
  return [{ ...command, opaque: UNKNOWN_TEXT }, ...possible(command, text, by, inner)];
}

function innerCommands(
  outer: SimpleCommand,
  parsed: Extract<ParsedLine, { kind: 'parsed' }>,
  by: string,
): SimpleCommand[] {
  return parsed.commands.map((command) => ({
    ...command,
    assignments: [...outer.assignments, ...command.assignments],
    redirections: [...outer.redirections, ...command.redirections],
    dynamic: outer.dynamic || command.dynamic,
    folders: outer.folders && command.folders ? [...outer.folders, ...command.folders] : null,
    pipedFrom: [...outer.pipedFrom, ...command.pipedFrom],
    substitutes: [...outer.substitutes, ...command.substitutes],
    stdin: command.stdin ?? outer.stdin,
    runBy: [...outer.runBy, by, ...command.runBy],
    guess: outer.guess || command.guess,
  }));
}

/** What a text with unknown parts probably runs; nothing where it cannot be read. */
function possible(
  outer: SimpleCommand,
  text: string,
  by: string,
  inner: (line: string) => Extract<ParsedLine, { kind: 'parsed' }>,
): SimpleCommand[] {
  try {
    const commands = innerCommands(outer, inner(text.replaceAll('$(…)', '${_unknown_}')), by);
    return commands.map((command) => ({ ...command, guess: true }));
  } catch (error) {
    if (error instanceof UnparsableError) return [];
    throw error;
  }
}

/** `bash -c LINE`, `bash FILE`, `bash <<EOF`, `… | bash`. */
function shell(
  command: SimpleCommand,
  name: string,
  inner: (line: string) => Extract<ParsedLine, { kind: 'parsed' }>,
): SimpleCommand[] {
  let line = -1;
  let index = 1;
  let plain = true;
  for (; index < command.words.length; index++) {
    const text = command.words[index]?.text ?? '';
    if (text === '--' || text === '-') {
      index++;
      break;
    }
    if (!/^[-+]./.test(text) || command.words[index]?.dynamic) break;
    if (/^--(rcfile|init-file)/.test(text)) plain = false;
    if (/^--(rcfile|init-file)$/.test(text) || /^[-+][a-zA-Z]*[oO]$/.test(text)) index++;
    if (/^-[a-zA-Z]*i/.test(text)) plain = false;
    if (/^-[a-zA-Z]*c/.test(text)) line = 0;
  }
  const operand = command.words[index];
  if (line === 0) {
    if (!operand) return [command];
    const commands = evaluated(command, [operand], name, inner);
    return plain ? commands : [command, ...commands.filter((each) => each.opaque === null)];
  }
  if (operand || command.words.some((word) => word.dynamic)) return [command];
  return [command, ...standardInput(command, name, inner)];
}

/** Lines that a shell reads from a here-document, or from an `echo` before the pipe. */
function standardInput(
  command: SimpleCommand,
  name: string,
  inner: (line: string) => Extract<ParsedLine, { kind: 'parsed' }>,
): SimpleCommand[] {
  const bare = { ...bareCommand([]), folders: command.folders };
  if (command.stdin) return possible(bare, command.stdin.text, name, inner);
  return command.pipedFrom.flatMap((source) => {
    const writer = nameOf(source) ?? '';
    const echoed = source.words.slice(1).filter((word) => !/^-[neE]+$/.test(word.text));
    if (writer === 'echo') return possible(bare, echoed.map((word) => word.text).join(' '), name, inner);
    if (writer === 'printf') return echoed.flatMap((word) => possible(bare, word.text, name, inner));
    if (writer === 'cat' && source.stdin) return possible(bare, source.stdin.text, name, inner);
    return [];
  });
}

/** Programs that take a line as one of their words: `su -c LINE`, `watch LINE`, `trap LINE EXIT`. */
function textOf(
  command: SimpleCommand,
  name: string,
  inner: (line: string) => Extract<ParsedLine, { kind: 'parsed' }>,
): SimpleCommand[] {
  const words = command.words.slice(1);
  if (name === 'su') {
    const at = words.findIndex((word) => /^(-c|--command|--session-command)$/.test(word.text));
    const glued = words.find((word) => /^--(session-)?command=/.test(word.text));
    const line = glued ? { ...glued, text: glued.text.replace(/^[^=]*=/, '') } : at >= 0 ? words[at + 1] : undefined;
    return line ? [command, ...evaluated(command, [line], name, inner)] : [command];
  }
  if (name === 'trap') {
    const line = words.find((word) => !word.text.startsWith('-'));
    return line && words.length > 1 ? [command, ...evaluated(command, [line], name, inner)] : [command];
  }
  const from = words.findIndex(
    (word, at) => !word.text.startsWith('-') && !/^(-n|--interval)$/.test(words[at - 1]?.text ?? ''),
  );
  return from < 0 ? [command] : [command, ...evaluated(command, words.slice(from), name, inner)];
}

/** `find … -exec CMD ;`, `fd … -x CMD`. The outer command stays: it names folders and may delete by itself. */
function found(command: SimpleCommand, again: (next: SimpleCommand) => SimpleCommand[]): SimpleCommand[] {
  const commands: SimpleCommand[] = [command];
  const { words } = command;
  const starts = nameOf(command) === 'fd' ? /^(-x|-X|--exec|--exec-batch)$/ : /^-(exec|execdir|ok|okdir)$/;
  for (let index = 1; index < words.length; index++) {
    if (!starts.test(words[index]?.text ?? '')) continue;
    const end = words.findIndex((word, at) => at > index && /^[;+]$/.test(word.text));
    const inner = words.slice(index + 1, end < 0 ? undefined : end).map(placeholder);
    if (inner.length > 0) commands.push(...again(within(command, inner, 'find', { dynamic: true })));
  }
  return commands;
}

function guesses(command: SimpleCommand, again: (next: SimpleCommand) => SimpleCommand[]): SimpleCommand[] {
  const found: SimpleCommand[] = [];
  for (const index of command.words.slice(1, 7).keys()) {
    const first = command.words[index + 1];
    if (!first || /^-|=/.test(first.text) || first.dynamic) continue;
    found.push(...guess(within(command, command.words.slice(index + 1), 'guess', { guess: true }), again));
  }
  return found;
}

function guess(command: SimpleCommand, again: (next: SimpleCommand) => SimpleCommand[]): SimpleCommand[] {
  try {
    return again(command).map((each) => ({ ...each, guess: true }));
  } catch (error) {
    if (error instanceof UnparsableError) return [];
    throw error;
  }
}
