import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { childEnvironment } from '../../../src/platform/environment.js';
import { ToolError } from '../../../src/runner/tool.js';
import { until } from '../../support/until.js';
import {
  contextOf,
  FakeMirror,
  lives,
  openBench,
  pidsIn,
  SESSION,
  type Bench,
  type BenchOptions,
} from './execBench.js';

let bench: Bench;

async function open(options?: BenchOptions): Promise<Bench> {
  return (bench = await openBench(options));
}

afterEach(() => bench.close());

describe.skipIf(process.platform === 'win32')('exec', () => {
  it('gives status, duration and output', async () => {
    const { exec } = await open();
    const result = await exec({ command: 'echo out; echo err >&2' });
    expect(result.text).toMatch(/^Exit status 0 \(\d\.\d s\)\.\n\nout\nerr$/);
    expect(result.failed).toBeUndefined();
  });

  it('marks another status as failed', async () => {
    const { exec } = await open();
    const result = await exec({ command: 'echo "2 tests failed"; exit 1' });
    expect(result).toMatchObject({ failed: true, summary: 'echo "2 tests failed"; exit 1: exit status 1' });
    expect(result.text).toContain('Exit status 1');
    expect(result.text).toContain('2 tests failed');
  });

  it('says so where there is no output', async () => {
    const { exec } = await open();
    expect((await exec({ command: 'true' })).text).toMatch(/^Exit status 0 .*\n\n\(no output\)$/);
    expect((await exec({ command: 'echo' })).text).toContain('(no output)');
  });

  it('names the signal of a death, also one inside the line', async () => {
    const { exec } = await open();
    expect(await exec({ command: 'kill -SEGV $$' })).toMatchObject({
      failed: true,
      text: expect.stringContaining('Ended by signal SIGSEGV') as string,
    });
    expect((await exec({ command: "sh -c 'kill -9 $$'; exit $?" })).text).toContain(
      'Exit status 137 (a process in it was ended by SIGKILL)',
    );
  });

  it('runs in the workspace folder or the one that is named', async () => {
    const { exec, folder } = await open();
    expect((await exec({ command: 'mkdir sub && pwd' })).text).toContain(folder);
    expect((await exec({ command: 'pwd', working_dir: 'sub' })).text).toContain(join(folder, 'sub'));
    expect(await bench.tools.exec.access({ command: 'pwd', working_dir: 'sub' }, { sessionKey: SESSION })).toEqual([
      { kind: 'exec', command: 'pwd', cwd: join(folder, 'sub') },
    ]);
  });

  it('refuses a folder that is missing or a file, an empty command and a NUL character', async () => {
    const { exec, folder } = await open();
    writeFileSync(join(folder, 'file.txt'), '');
    await expect(exec({ command: 'pwd', working_dir: 'none' })).rejects.toThrow(
      /working_dir: There is no folder .*none/,
    );
    await expect(exec({ command: 'pwd', working_dir: 'file.txt' })).rejects.toThrow(/is a file, not a folder/);
    await expect(exec({ command: ' \n' })).rejects.toThrow(ToolError);
    await expect(exec({ command: 'echo a\0b' })).rejects.toThrow(/NUL/);
    await expect(exec({ command: `echo ${'x'.repeat(3_000_000)}` })).rejects.toThrow(/too long/);
  });

  it('refuses in Restricted Mode and in a virtual workspace before anybody is asked', async () => {
    await open({ workspace: { trusted: () => false } });
    await expect(bench.tools.exec.access({ command: 'ls' }, { sessionKey: SESSION })).rejects.toThrow(
      /Restricted Mode/,
    );
    await expect(bench.exec({ command: 'touch made' })).rejects.toThrow(/Restricted Mode/);
    expect(existsSync(join(bench.folder, 'made'))).toBe(false);
    await bench.close();
    await open({ workspace: { onDisk: () => false } });
    await expect(bench.exec({ command: 'touch made' })).rejects.toThrow(/virtual/);
  });

  it('gives no keys to the command', async () => {
    const base = { ...process.env, ANTHROPIC_API_KEY: 'sk-secret-1', VSCODE_IPC_HOOK: '/x', ELECTRON_RUN_AS_NODE: '1' };
    const { exec } = await open({ environment: childEnvironment(base, ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY']) });
    const { text } = await exec({ command: 'env' });
    expect(text).not.toMatch(/sk-secret|VSCODE_|ELECTRON_/);
    expect(text).toContain('TERM=dumb');
  });

  it('fails at once where a password or a terminal is asked for', async () => {
    const { exec } = await open();
    const { text } = await exec({
      command: 'read -rs -p "Password:" p </dev/tty || echo "no terminal"; git log 2>&1 | cat',
      timeout: 20,
    });
    expect(text).toContain('no terminal');
    expect(text).toMatch(/\((0|1)\.\d s\)/);
  });

  it('strips escape sequences and redrawn lines', async () => {
    const { exec } = await open();
    const { text } = await exec({
      command: String.raw`printf '\033[31mred\033[0m \033]0;title\007\n10%%\r50%%\r100%%\r\nend\n'`,
    });
    expect(text).toMatch(/\n\nred \n100%\nend$/);
  });

  it('keeps a letter whole that comes in two pieces', async () => {
    const tails: string[] = [];
    const { exec } = await open();
    const { text } = await exec(
      { command: String.raw`printf 'caf\303'; sleep 0.2; printf '\251 \344\275'; sleep 0.2; printf '\240\n'` },
      { update: (tail) => tails.push(tail) },
    );
    expect(text).toMatch(/\n\ncafé 你$/);
    expect(tails.join('')).not.toContain('\ufffd');
  });

  it('keeps head and tail of a long output and all of it in a file', async () => {
    const { exec, results } = await open();
    const { text } = await exec({ command: 'seq 100000' });
    const [, left, path] = /… (\d+) characters left out, all of it in (\S+) …/.exec(text) ?? [];
    expect(text.length).toBeLessThan(10_300);
    expect(text).toMatch(/^Exit status 0 .*\n\n1\n2\n3\n/);
    expect(text).toMatch(/99999\n100000$/);
    expect(path?.startsWith(results)).toBe(true);
    const whole = readFileSync(path ?? '', 'utf8');
    expect(whole).toBe(Array.from({ length: 100_000 }, (_each, n) => `${String(n + 1)}\n`).join(''));
    const [head, tail] = text.split(/\n\n… .* …\n\n/);
    const shown = (head ?? '').replace(/^.*\n\n/, '').length + (tail ?? '').length;
    // A line end on either side of the gap, and the last one, are not shown.
    expect(Number(left)).toBeGreaterThanOrEqual(whole.length - shown - 3);
    expect(Number(left)).toBeLessThanOrEqual(whole.length - shown);
  });

  it('makes no file for a short output', async () => {
    const { exec, results } = await open();
    await exec({ command: 'seq 1000' });
    expect(existsSync(results)).toBe(false);
  });

  it('copes with 100 MB, all of it in the file when the result is there', async () => {
    const { exec } = await open();
    const { text } = await exec({ command: 'yes | head -c 100000000' });
    const [, left, path] = /… (\d+) characters left out, all of it in (\S+) …/.exec(text) ?? [];
    expect(Number(left)).toBeGreaterThan(99_980_000);
    expect(statSync(path ?? '').size).toBe(100_000_000);
  });

  it('makes a command wait for a slow disk instead of keeping its output in memory', async () => {
    const sizes: number[] = [];
    const append = async (_path: string, data: string | Uint8Array) => {
      const size = data.length;
      await new Promise((done) => setTimeout(done, 20));
      sizes.push(size);
    };
    const { exec } = await open({ files: { append } });
    await exec({ command: 'yes | head -c 6000000' });
    // A result that names the file comes after the last byte is in it.
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(6_000_000);
    // The limit, and what reads already under way bring after it: far from all that the command had to say.
    expect(Math.max(...sizes)).toBeLessThan(1_000_000);
  });

  it('goes on where the file cannot be kept, and says so', async () => {
    const { exec } = await open({
      files: { append: () => Promise.reject(new Error('ENOSPC: no space left on device')) },
    });
    const { text, failed } = await exec({ command: 'seq 300000' });
    expect(failed).toBeUndefined();
    expect(text).toMatch(/characters left out, which could not be kept in a file \(ENOSPC/);
    expect(text).toMatch(/300000$/);
  });

  it('shows the last lines while it runs, and not too often', async () => {
    const tails: string[] = [];
    const { exec } = await open();
    await exec(
      { command: 'for n in $(seq 30); do echo "line $n"; sleep 0.02; done' },
      { update: (tail) => tails.push(tail) },
    );
    expect(tails.length).toBeGreaterThan(1);
    expect(tails.length).toBeLessThan(20);
    expect(tails[0]).toContain('line 1');
    expect(tails.every((tail) => tail.split('\n').length <= 5)).toBe(true);
  });

  it('goes on in the background at its time limit and tells how to poll', async () => {
    const { exec, poll } = await open({ defaultTimeout: 0.3 });
    const result = await exec({ command: 'echo before; sleep 0.6; echo after' });
    expect(result.failed).toBeUndefined();
    expect(result.text).toMatch(
      /^Still running after 0\.\d s, in the background as c1\.\n\nbefore\n\npoll_exec with handle "c1"/,
    );
    const ended = await poll('c1', 30);
    const rest = ended.text.startsWith('Still') ? await poll('c1', 30) : ended;
    expect(ended.text).toContain('after');
    expect(rest.text).toContain('Exit status 0');
  });

  it('kills at the time limit in a turn that nobody watches', async () => {
    const { exec, folder } = await open({ defaultTimeout: 0.3 });
    const result = await exec({ command: 'echo $$ >pids; echo before; sleep 300' }, { watched: false });
    expect(result).toMatchObject({
      failed: true,
      text: expect.stringMatching(/^Killed at its time limit.*Ended by signal SIGTERM/) as string,
    });
    expect(result.text).toContain('before');
    expect(pidsIn(join(folder, 'pids'), 1)?.filter(lives)).toEqual([]);
    expect(bench.commands.hadBackground(SESSION)).toBe(false);
  });

  it('ends the input at once where nobody can type', async () => {
    const { exec } = await open();
    expect((await exec({ command: 'cat; echo end' }, { watched: false })).text).toMatch(/Exit status 0 .*\n\nend$/);
  });

  it('stops the whole tree within a second, even one that ignores SIGTERM', async () => {
    const { exec, folder } = await open();
    const stop = new AbortController();
    const running = exec(
      {
        command:
          "trap '' TERM; sleep 300 & echo $! >>pids; setsid sleep 300 & echo $! >>pids; echo $$ >>pids; echo started; wait",
      },
      { signal: stop.signal },
    );
    const pids = await until('the processes', () => pidsIn(join(folder, 'pids'), 3));
    const began = performance.now();
    stop.abort();
    const result = await running;
    expect(performance.now() - began).toBeLessThan(1_500);
    expect(pids.filter(lives)).toEqual([]);
    expect(result).toMatchObject({
      failed: true,
      text: expect.stringMatching(/^Stopped by the person.*\n\nstarted$/s) as string,
    });
  });

  it('starts nothing once the turn is stopped', async () => {
    const { exec, folder } = await open();
    await expect(exec({ command: 'touch made' }, { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('never reports an end that nobody saw as success', async () => {
    const { commands } = await open();
    const running = await commands.start(SESSION, 'true', bench.folder);
    Object.assign(running, { ending: { kind: 'unknown', why: 'nobody saw it end' } });
    commands.keep(SESSION, running);
    const result = await bench.poll('c1', 0);
    expect(result).toMatchObject({
      failed: true,
      text: expect.stringContaining('How it ended is not known') as string,
    });
    expect(result.text).not.toContain('Exit status 0');
  });

  it('keeps what the shell leaves running under a handle', async () => {
    const { exec, kill, folder } = await open();
    const result = await exec({ command: 'sleep 300 & echo $! >pids; echo up' });
    expect(result.text).toMatch(/^Exit status 0 \(.*\)\. What it started still runs, as c1\.\n\nup/);
    await kill('c1');
    expect(pidsIn(join(folder, 'pids'), 1)?.filter(lives)).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('unsaved files before exec', () => {
  it('asks once a turn and saves what the person wants saved', async () => {
    let dirty = ['a.ts', 'b.ts'];
    const saved: (string[] | 'all')[] = [];
    const asked: string[][] = [];
    await open({
      workspace: {
        editorContext: () => ({ visibleFiles: [], dirtyFiles: dirty }),
        save: async (paths) => {
          saved.push(paths ?? 'all');
          dirty = [];
        },
      },
    });
    const context = contextOf({ askSave: async (files) => (asked.push(files), 'save') });
    expect((await bench.exec({ command: 'true' }, context)).text).not.toContain('Unsaved');
    dirty = ['c.ts'];
    const second = await bench.exec({ command: 'true' }, context);
    expect(asked).toEqual([['a.ts', 'b.ts']]);
    // Files are asked about by their labels, which are no paths to save by.
    expect(saved).toEqual(['all']);
    expect(second.text).toContain('Unsaved changes in c.ts');
    await bench.exec({ command: 'true' }, { ...context, turnId: 'turn-2' });
    expect(asked).toHaveLength(2);
  });

  it('runs on what is on the disk where the person says so, or where nobody can be asked', async () => {
    const asked: string[][] = [];
    await open({ workspace: { editorContext: () => ({ visibleFiles: [], dirtyFiles: ['a.ts'] }) } });
    const askSave = async (files: string[]) => (asked.push(files), 'run' as const);
    expect((await bench.exec({ command: 'echo ran' }, { askSave })).text).toMatch(/ran\n\nUnsaved changes in a\.ts/);
    expect((await bench.exec({ command: 'echo ran' }, { askSave, watched: false })).text).toContain('ran');
    expect(asked).toHaveLength(1);
  });
});

describe.skipIf(process.platform === 'win32')('the terminal of a session', () => {
  it('shows the command, its output with colours, and how it ended', async () => {
    const mirror = new FakeMirror();
    const { exec } = await open({ mirror });
    await exec({ command: String.raw`printf '\033[31mred\033[0m'; exit 2` });
    expect(mirror.text.replaceAll('\u001b', 'ESC')).toMatch(
      /\$ printf .*exit 2ESC\[0m\nESC\[31mredESC\[0m\n.*\[Exit status 2, \d\.\d s\]/,
    );
  });

  it('passes on what a person types, and Ctrl-C', async () => {
    const mirror = new FakeMirror();
    const { exec } = await open({ mirror });
    const running = exec({
      command: 'read -r name; echo "hello $name"; trap "exit 5" INT; while :; do sleep 0.05; done',
    });
    await until('the terminal to listen', () => mirror.inputs.size > 0);
    mirror.type('Ada');
    await until('the greeting', () => mirror.text.includes('hello Ada'));
    mirror.interrupt();
    expect((await running).text).toMatch(/Exit status (5|130)/);
    expect([mirror.inputs.size, mirror.interrupts.size]).toEqual([0, 0]);
  });

  it('is not flooded', async () => {
    const mirror = new FakeMirror();
    const { exec } = await open({ mirror });
    await exec({ command: 'yes | head -c 50000000' });
    expect(mirror.text.length).toBeLessThan(2_000_000);
    expect(mirror.text).toMatch(/… \d+ characters not shown here …/);
  });
});
