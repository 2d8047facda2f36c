import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandLineParser } from '../../../src/approval/commandLine.js';
import type { ParsedLine, SimpleCommand } from '../../../src/approval/shellTypes.js';
import { english } from '../../../src/platform/words.js';
import { keepingLog, loadGrammar, newParser, quietLog } from './kit.js';

const parser = newParser();

async function commandsOf(line: string): Promise<SimpleCommand[]> {
  const parsed = await parser.parse(line);
  if (parsed.kind === 'unparsable') throw new Error(`${line}: ${parsed.reason(english)}`);
  return parsed.commands;
}

/** Commands as `word word`, unknown words with `$` behind, guesses left out. */
async function shown(line: string): Promise<string[]> {
  const commands = (await commandsOf(line)).filter((command) => !command.guess);
  return commands.map((command) => command.words.map((word) => word.text + (word.dynamic ? '$' : '')).join(' '));
}

describe('words', () => {
  const lines: [string, string[]][] = [
    ["r''m \"a\"b'c' \\d", ['rm abc d']],
    ['echo "a \\"b\\" \\$c \\d" \'$x\'', ['echo a "b" $c \\d $x']],
    ["echo $'a\\tb\\x41\\u00e9\\101'", ['echo a\tbAéA']],
    ['echo {a,b{c,d}}e x{,y}', ['echo ae bce bde x xy']],
    ["echo {a} '{a,b}' {a\\,b}", ['echo {a} {a,b} {a,b}']],
    ['echo {1..3}', ['echo {1..3}$']],
    ['echo $HOME/x "${Y}z" $(ls) $((1+1))', ['ls', 'echo ${HOME}/x$ ${Y}z$ $(…)$ $(…)$']],
    ['echo a#b # c', ['echo a#b']],
    ['echo 😀 "世界"', ['echo 😀 世界']],
    ['echo a \\\n  b', ['echo a b']],
    ['echo "" x', ['echo  x']],
  ];
  it.each(lines)('%j', async (line, expected) => {
    expect(await shown(line)).toEqual(expected);
  });

  it('tells file patterns and home folders from quoted text', async () => {
    const [command] = await commandsOf('ls *.ts "*.ts" ~/x "~/x" a~');
    expect(command?.words.slice(1).map(({ pattern, tilde }) => [pattern, tilde])).toEqual([
      [true, false],
      [false, false],
      [false, true],
      [false, false],
      [false, false],
    ]);
  });
});

describe('commands wherever they stand', () => {
  const lines: [string, string[]][] = [
    ['a; b && c || d & e | f', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['a\nb\n\nc', ['a', 'b', 'c']],
    ['(a; b) && { c; }', ['a', 'b', 'c']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['for x in 1 2; do a; done; while b; do c; done; until d; do e; done', ['a', 'b', 'c', 'd', 'e']],
    ['case $(a) in x|y) b;; *) c;; esac', ['a', 'b', 'c']],
    ['f() { a; }; function g { b; }; f', ['a', 'b', 'f']],
    ['echo "$(a "$(b)")" `c`', ['b', 'a $(…)$', 'c', 'echo $(…)$ $(…)$']],
    ['diff <(a) >(b)', ['a', 'b', 'diff $(…)$ $(…)$']],
    ['cat <<EOF\n$(a)\nEOF\nb', ['a', 'cat', 'b']],
    ["cat <<'EOF'\n$(a)\nEOF\nb", ['cat', 'b']],
    ['cat <<EOF | b && c\nx\nEOF', ['cat', 'b', 'c']],
    ['cat <<-EOF\n\tx\n\tEOF\nb', ['cat', 'b']],
    ['! a', ['a']],
    ['X=$(a) b', ['a', 'b']],
    ['arr=(1 $(a)); b', ['a', '', 'b']],
    ['[ -f "$(a)" ]', ['a', '[ [ -f "$(a)" ]$']],
    ['a > $(b)', ['b', 'a']],
  ];
  it.each(lines)('%j', async (line, expected) => {
    expect(await shown(line)).toEqual(expected);
  });
});

describe('commands behind others', () => {
  const lines: [string, string[]][] = [
    ['timeout -k 5 10 nice -n 3 nohup a b', ['a b']],
    ['env A=1 -u B a', ['a']],
    ['sudo -u me -- a b', ['sudo -u me -- a b', 'a b']],
    ['xargs -0 -n 1 a b', ['a b $(…)$']],
    ['find . -name x -exec a {} \\; -exec b {} +', ['find . -name x -exec a {} ; -exec b {} +', 'a {}$', 'b {}$']],
    ['bash -c "a; b"', ['a', 'b']],
    ["bash -euo pipefail -c 'a'", ['a']],
    ['sh -c \'sh -c "a"\'', ['a']],
    ['bash x.sh', ['bash x.sh']],
    ['bash -c "$X"', ['bash -c ${X}$']],
    ['eval a "b; c"', ['a b', 'c']],
    ['command -v a', ['command -v a']],
    ['command a', ['a']],
    ['busybox a b', ['a b']],
    ["su -c 'a' me", ['su -c a me', 'a']],
    ['./timeout 5 a', ['./timeout 5 a']],
  ];
  it.each(lines)('%j', async (line, expected) => {
    expect(await shown(line)).toEqual(expected);
  });

  it('guesses what text with unknown parts runs, and says that it is unknown', async () => {
    const commands = await commandsOf('bash -c "rm -rf $X"');
    expect(commands.map((command) => [command.guess, command.opaque !== null])).toEqual([
      [false, true],
      [true, false],
    ]);
    expect(commands[1]?.words.map((word) => word.text)).toEqual(['rm', '-rf', '${X}']);
  });
});

describe('what surrounds a command', () => {
  it('keeps redirections, assignments and here-documents', async () => {
    const [command] = await commandsOf('X=1 a > f b 2>&1 < g <<EOF\ntext\nEOF'.replace(' < g', ''));
    expect(command?.assignments.map(({ name, value }) => [name, value.text])).toEqual([['X', '1']]);
    expect(command?.words.map((word) => word.text)).toEqual(['a', 'b']);
    expect(command?.redirections.map(({ target, writes }) => [target.text, writes])).toEqual([
      ['f', true],
      ['1', false],
    ]);
    expect(command?.stdin?.text).toBe('text\n');
  });

  it('gives redirections of a group to every command in it', async () => {
    const commands = await commandsOf('{ a; b; } > f');
    expect(commands.map((command) => command.redirections.length)).toEqual([1, 1]);
  });

  it('follows cd, within subshells only there', async () => {
    const commands = await commandsOf('cd a && b; (cd c; d); e; cd -; f');
    const folders = commands.map((command) => command.folders?.map((word) => word.text).join('/') ?? 'unknown');
    expect(folders).toEqual(['', 'a', 'a', 'a/c', 'a', 'a', 'unknown']);
  });

  it.each(['eval "cd a"; b', 'source x; b', '. ./x; b', 'popd; b', 'cd $X; b'])(
    'does not guess the folder after %j',
    async (line) => {
      const last = (await commandsOf(line)).at(-1);
      expect(last?.folders?.every((word) => !word.dynamic) ?? false).toBe(false);
    },
  );

  it('knows what a command gets through pipes and substitutions', async () => {
    const names = (list: readonly SimpleCommand[] | undefined) => list?.map((command) => command.words[0]?.text);
    const commands = await commandsOf('a | b $(c) | d');
    expect(names(commands.find((command) => command.words[0]?.text === 'd')?.pipedFrom)).toEqual(['a', 'c', 'b']);
    expect(names(commands.find((command) => command.words[0]?.text === 'b')?.substitutes)).toEqual(['c']);
  });
});

describe('limits', () => {
  it('takes little time for ordinary lines and not much for the longest', async () => {
    const best = async (line: string) => {
      let least = Infinity;
      for (let round = 0; round < 5; round++) {
        const start = performance.now();
        await parser.parse(line);
        least = Math.min(least, performance.now() - start);
      }
      return least;
    };
    await parser.parse('ls');
    // On an idle machine these take under 1 ms and about 20 ms; the limits leave room for a busy one.
    expect(await best('npm test -- --filter "a b" 2>&1 | tee out.txt && git status')).toBeLessThan(10);
    expect(await best(`cat <<EOF\n${'some text $HOME\n'.repeat(1_200)}\nEOF`)).toBeLessThan(200);
    expect(await best('ls -l "a b" | wc; '.repeat(140))).toBeLessThan(200);
    expect(await best('x=('.repeat(6_000))).toBeLessThan(200);
  });

  it('gives up on more commands than can be judged one by one', async () => {
    const parsed = await parser.parse('a | '.repeat(1_000) + 'b');
    expect(parsed.kind === 'unparsable' && parsed.reason(english)).toBe('it holds too many commands');
  });

  it.each([
    '('.repeat(5000),
    '$('.repeat(3000),
    '"$('.repeat(3000),
    '{ '.repeat(3000),
    'a<<E '.repeat(300),
    `cat <<E\n${'$X '.repeat(6_000)}\nE`,
  ])('gives up at once on what would take long: %#', async (line) => {
    expect((await parser.parse(line)).kind).toBe('unparsable');
  });

  it('says so when the grammar cannot be loaded, and tries again', async () => {
    let broken = true;
    const kept = keepingLog();
    const late = new CommandLineParser(
      (file) => (broken ? Promise.reject(new Error('no such file')) : loadGrammar(file)),
      kept.log,
    );
    const parsed = await late.parse('ls');
    expect(parsed.kind === 'unparsable' && parsed.reason(english)).toContain('could not be loaded');
    expect(kept.lines).toHaveLength(1);
    broken = false;
    expect((await late.parse('ls')).kind).toBe('parsed');
  });

  it('loads nothing before the first line', async () => {
    let loads = 0;
    const lazy = new CommandLineParser((file) => {
      loads++;
      return loadGrammar(file);
    }, quietLog);
    expect(loads).toBe(0);
    await Promise.all([lazy.parse('a'), lazy.parse('b')]);
    expect(loads).toBe(2);
  });
});

describe('compared with bash', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bash-'));
    await mkdir(join(folder, 'work'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const FRAGMENTS =
    'aa|bb x|cc|dd y z|"|"|\'|\'|\\|`|`|$(|)|)|{| }|{p,q}|;| ; | && | \\| |&| & |\n|\n| |\t|#| # hi|<<E\n|\nE\n|E\n|E| E\n|\tE\n|<<-E\n|<<\'E\'\n|<<"E"\n|$\'|\\\'|\\"|\\\n|<(|<<<|>f|2>&1|&>f|(|if aa; then bb; fi|for i in 1 2; do bb $i; done|x)|;;|esac|[[ a|==| ]]|((|))|$((|! |time |eval |eval \'aa;bb\'|command |$x|"$x"|${x:-$(cc)}|${x#|${y//|}|$|*|~|=|x=1 |-f|é|😀|%|^|{ aa; }|done|"$(aa)"|\\&|$"|a[|b]|\\`|$\'\\x41\''
      .replaceAll('\\|', '\u0001')
      .split('|')
      .map((part) => part.replaceAll('\u0001', '|'));

  /**
   * Runs the line with every program replaced by one that notes its arguments. Nothing else can be found. Each process notes in a file of its own:
   * bash writes line by line, and the two sides of a pipe would write into each other's lines.
   */
  async function runInBash(line: string, log: string): Promise<string[][]> {
    const note = `command_not_found_handle() { local a o=; for a in "$@"; do o+="$a"$'\\037'; done; printf '%s' "$o"$'\\036' >> ${log}/$BASHPID; }`;
    const script = `${note}\nexport PATH=/nonexistent; ulimit -t 2\n${line}\n`;
    const options = { cwd: join(folder, 'work'), timeout: 5_000, env: { LC_ALL: 'C.UTF-8' } };
    await mkdir(log);
    const run = promisify(execFile)('bash', ['--norc', '-c', script], options);
    run.child.stdin?.end();
    await run.catch(() => undefined);
    const noted = await Promise.all((await readdir(log)).map((name) => readFile(join(log, name), 'utf8')));
    return noted
      .join('')
      .split('\x1e')
      .filter(Boolean)
      .map((entry) => entry.split('\x1f').slice(0, -1));
  }

  function explains(parsed: Extract<ParsedLine, { kind: 'parsed' }>, argv: string[]): boolean {
    if (parsed.commands.some((command) => command.opaque !== null)) return true;
    return parsed.commands.some((command) => {
      const [program] = command.words;
      if (command.guess) return false;
      if (!program || program.dynamic || program.pattern) return true;
      const known = !command.dynamic && !command.words.some((word) => word.pattern || word.tilde);
      if (!known) return program.text === argv[0];
      return command.words.length === argv.length && command.words.every((word, index) => word.text === argv[index]);
    });
  }

  it('finds every command that bash runs, in lines made of random pieces', async () => {
    let seed = 20_240_501;
    const random = (below: number) => {
      seed = (seed + 0x6d2b79f5) | 0;
      let value = Math.imul(seed ^ (seed >>> 15), 1 | seed);
      value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
      return ((value ^ (value >>> 14)) >>> 0) % below;
    };
    const lines = Array.from({ length: 3_000 }, () =>
      Array.from(
        { length: 2 + random(10) },
        () => (FRAGMENTS[random(FRAGMENTS.length)] ?? '') + (random(3) === 0 ? ' ' : ''),
      ).join(''),
    );
    let compared = 0;
    const missed: string[] = [];
    const work = lines.entries();
    const worker = async () => {
      for (const [index, line] of work) {
        const parsed = await parser.parse(line);
        // `time -x` is the shell's keyword before anything but `-p`; both readings name the same words.
        if (parsed.kind === 'unparsable' || /\btime\s+-/.test(line)) continue;
        compared++;
        for (const argv of await runInBash(line, join(folder, `log${index}`))) {
          if (argv[0] !== 'time' && !explains(parsed, argv))
            missed.push(`${JSON.stringify(line)} ran ${JSON.stringify(argv)}`);
        }
      }
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
    expect(missed).toEqual([]);
    expect(compared).toBeGreaterThan(200);
  });
});
