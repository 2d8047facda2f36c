import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeShell } from '../../../src/platform/nodeShell.js';
import type { Child } from '../../../src/platform/ports.js';
import { until } from '../../support/until.js';
import { lives, pidsIn } from '../tools/execBench.js';

const env = { PATH: process.env['PATH'] ?? '' };
let folder: string;
let children: Child[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'nanobot-shell-')));
  children = [];
});

afterEach(async () => {
  await Promise.all(children.map((child) => child.kill(0)));
  rmSync(folder, { recursive: true, force: true });
});

function start(command: string): { child: Child; output: () => string } {
  const child = nodeShell(process.env).spawn(command, { cwd: folder, env });
  children.push(child);
  const parts: Uint8Array[] = [];
  child.onData((bytes) => parts.push(bytes.slice()));
  return { child, output: () => Buffer.concat(parts).toString() };
}

async function pids(count: number): Promise<number[]> {
  return until(`${String(count)} process ids`, () => pidsIn(join(folder, 'pids'), count));
}

describe.skipIf(process.platform === 'win32')('nodeShell', () => {
  it('runs in the folder and tells the exit status after all output', async () => {
    const { child, output } = start('pwd; echo out; exit 3');
    expect(await child.exited).toEqual({ code: 3, signal: null });
    expect(output()).toBe(`${folder}\nout\n`);
  });

  it('keeps standard output and error in the order they came', async () => {
    const lines = Array.from({ length: 200 }, (_each, n) => `${n % 2 ? 'out' : 'err'} ${String(n)}`);
    const { child, output } = start(
      'for n in $(seq 0 199); do if [ $((n % 2)) = 1 ]; then echo out $n; else echo err $n >&2; fi; done',
    );
    await child.exited;
    expect(output().trimEnd().split('\n')).toEqual(lines);
  });

  it('names the signal that ended the shell', async () => {
    const { child } = start('kill -9 $$');
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('gives the command no terminal: what asks for one fails at once', async () => {
    const { child, output } = start('read -r password </dev/tty; echo "status $?"');
    await child.exited;
    expect(output()).toMatch(/No such device or address|not configured/);
    expect(output()).toContain('status 1');
  });

  it('passes input on, and the end of it', async () => {
    const { child, output } = start('while read -r line; do echo "got $line"; done; echo end');
    child.write('one\ntwo\n');
    child.endInput();
    await child.exited;
    expect(output()).toBe('got one\ngot two\nend\n');
  });

  it('survives writing to a command that has closed its input', async () => {
    const { child } = start('exec <&-; sleep 0.2');
    child.write('x'.repeat(1_000_000));
    expect(await child.exited).toMatchObject({ code: 0 });
  });

  it('interrupts like Ctrl-C', async () => {
    const { child, output } = start('trap "echo interrupted; exit 130" INT; echo ready; while :; do sleep 0.05; done');
    await until('the trap', () => output().includes('ready'));
    child.interrupt();
    expect(await child.exited).toMatchObject({ code: 130 });
    expect(output()).toContain('interrupted');
  });

  it('lets a tree end by itself within the grace', async () => {
    const { child, output } = start('trap "echo cleaning up; exit 0" TERM; echo ready; while :; do sleep 0.05; done');
    await until('the trap', () => output().includes('ready'));
    await child.kill(5_000);
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(output()).toContain('cleaning up');
  });

  it('kills what ignores SIGTERM, with its children', async () => {
    start("trap '' TERM; sleep 300 & echo $! >>pids; (trap '' TERM; sleep 300) & echo $! >>pids; echo $$ >>pids; wait");
    const members = await pids(3);
    const began = performance.now();
    await children[0]?.kill(200);
    expect(members.filter(lives)).toEqual([]);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('kills grandchildren that left the group', async () => {
    start('setsid sleep 300 & echo $! >>pids; set -m; sleep 300 & echo $! >>pids; wait');
    const members = await pids(2);
    await children[0]?.kill(200);
    expect(members.filter(lives)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('kills grandchildren that left the group and lost their parent', async () => {
    start("(setsid sh -c 'echo $$ >>pids; exec sleep 300' &); sleep 300");
    const members = await pids(1);
    await children[0]?.kill(200);
    expect(members.filter(lives)).toEqual([]);
  });

  it('kills nothing but the tree', async () => {
    const other = start('echo $$ >>pids; exec sleep 300');
    await pids(1);
    const one = start('sleep 300');
    await one.child.kill(200);
    expect(await other.child.running()).toBe(true);
    expect(lives(other.child.pid)).toBe(true);
  });

  it('does not wait for what the shell left running, and still knows and ends it', async () => {
    const { child, output } = start('sleep 300 & echo $! >>pids; echo started');
    const began = performance.now();
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(output()).toBe('started\n');
    expect(await child.running()).toBe(true);
    await child.kill(200);
    expect(await child.running()).toBe(false);
    expect((await pids(1)).filter(lives)).toEqual([]);
  });

  it('is not held up by something left running that never stops writing', async () => {
    const { child } = start('yes & sleep 0.05');
    expect(await child.exited).toMatchObject({ code: 0 });
    await child.kill(200);
    expect(await child.running()).toBe(false);
  });

  it('knows that nothing runs after a plain end', async () => {
    const { child } = start('true');
    await child.exited;
    expect(await child.running()).toBe(false);
    await child.kill(0);
  });

  it('makes the command wait while nobody takes its output', async () => {
    const { child } = start('for n in $(seq 40); do head -c 100000 /dev/zero; echo $n >progress; done');
    child.pause();
    const progress = () => {
      try {
        return Number(readFileSync(join(folder, 'progress'), 'utf8'));
      } catch {
        return 0;
      }
    };
    expect(await Promise.race([child.exited, until('a stop', () => progress() > 30, 300).catch(() => 'waits')])).toBe(
      'waits',
    );
    child.resume();
    expect(await child.exited).toMatchObject({ code: 0 });
    expect(progress()).toBe(40);
  });

  it("does not run the person's start-up files, even where no shell ran before", async () => {
    writeFileSync(join(folder, '.bashrc'), 'echo from bashrc\n');
    const child = nodeShell({}).spawn('echo from the command', {
      cwd: folder,
      env: { ...env, HOME: folder, SHLVL: '0' },
    });
    children.push(child);
    let output = '';
    child.onData((bytes) => (output += Buffer.from(bytes).toString()));
    await child.exited;
    expect(output).toBe('from the command\n');
  });

  it('says which folder is missing', () => {
    expect(() => nodeShell(process.env).spawn('true', { cwd: join(folder, 'none'), env })).toThrow(/no folder .*none/);
  });

  it("takes the person's shell if it is bash or zsh, else bash", () => {
    const zsh = join(folder, 'zsh');
    const fish = join(folder, 'fish');
    for (const path of [zsh, fish]) {
      writeFileSync(path, '#!/bin/sh\n');
      chmodSync(path, 0o755);
    }
    expect(nodeShell({ SHELL: zsh }).name()).toBe('zsh');
    expect(nodeShell({ SHELL: fish }).name()).toBe('bash');
    expect(nodeShell({ SHELL: join(folder, 'none/zsh') }).name()).toBe('bash');
    expect(nodeShell({}).name()).toBe('bash');
  });
});
