import type * as vscode from 'vscode';
import { describe, expect, it } from 'vitest';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import type { Child, Clock } from '../../../src/platform/ports.js';
import { IntegratedShell, type ShellTerminals } from '../../../src/vscode/integratedShell.js';

interface Scripted {
  terminal: vscode.Terminal;
  lines: string[];
  sent: string[];
  disposed: boolean;
}

/** A window whose terminals do what a test says, since a real one reports what it likes. */
function scriptedWindow(shell: string | undefined, integration = true) {
  const made: Scripted[] = [];
  const ends = new Set<(event: vscode.TerminalShellExecutionEndEvent) => void>();
  const closes = new Set<(terminal: vscode.Terminal) => void>();
  const on =
    <T>(listeners: Set<(event: T) => void>) =>
    (listener: (event: T) => void) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    };
  const executions: vscode.TerminalShellExecution[] = [];
  const window = {
    createTerminal: () => {
      const one: Scripted = { lines: [], sent: [], disposed: false, terminal: undefined as never };
      const executeCommand = (line: string) => {
        one.lines.push(line);
        const execution = {
          read: async function* () {
            yield `out of ${line}`;
          },
        } as unknown as vscode.TerminalShellExecution;
        executions.push(execution);
        return execution;
      };
      one.terminal = {
        state: { shell },
        shellIntegration: integration ? { cwd: { fsPath: '/project' }, executeCommand } : undefined,
        sendText: (text: string) => one.sent.push(text),
        dispose: () => {
          one.disposed = true;
          for (const listener of [...closes]) listener(one.terminal);
        },
      } as unknown as vscode.Terminal;
      made.push(one);
      return one.terminal;
    },
    onDidCloseTerminal: on(closes),
    onDidChangeTerminalShellIntegration: on(new Set<(event: unknown) => void>()),
    onDidEndTerminalShellExecution: on(ends),
  } as unknown as ShellTerminals;
  const end = (index: number, exitCode: number | undefined) => {
    const event = { execution: executions[index], exitCode } as vscode.TerminalShellExecutionEndEvent;
    for (const listener of [...ends]) listener(event);
  };
  return { window, made, end };
}

/** A clock on which every wait is over at once, and remembered. */
function quickClock(): Clock & { waits: number[] } {
  const waits: number[] = [];
  const after = (ms: number, run: () => void) => {
    waits.push(ms);
    queueMicrotask(run);
    return { dispose: () => undefined };
  };
  return { ...nodeClock(), waits, after };
}

describe("the person's own shell", () => {
  const shellOver = (window: ShellTerminals, clock: Clock = nodeClock()) =>
    new IntegratedShell({ window, clock, posix: true, defaultShell: () => '/bin/zsh', realPath: async (path) => path });
  const started = (child: Child | string): Child => {
    if (typeof child === 'string') throw new Error(child);
    return child;
  };

  it('gives status and output; an end without a status is not known, never success', async () => {
    const { window, end } = scriptedWindow('bash');
    const shell = shellOver(window);
    const first = started(await shell.start('s', 'one', '/project'));
    const output: string[] = [];
    first.onData((bytes) => output.push(new TextDecoder().decode(bytes)));
    end(0, 7);
    expect(await first.exited).toEqual({ code: 7, signal: null });
    expect(output).toEqual(['out of one']);
    const second = started(await shell.start('s', 'two', '/project'));
    end(1, undefined);
    expect(await second.exited).toMatchObject({ code: null, signal: null });
    expect((await second.exited).why).toContain('unknown');
  });

  it('keeps one terminal a session and takes no second command while one runs', async () => {
    const { window, made, end } = scriptedWindow('bash');
    const shell = shellOver(window);
    const first = started(await shell.start('s', 'one', '/project'));
    expect(await shell.start('s', 'two', '/project')).toBe('another command runs in the terminal');
    end(0, 0);
    await first.exited;
    started(await shell.start('s', 'two', '/project'));
    started(await shell.start('other', 'three', '/project'));
    expect(made.map(({ lines }) => lines)).toEqual([['one', 'two'], ['three']]);
    shell.end('s');
    expect(made.map(({ disposed }) => disposed)).toEqual([true, false]);
  });

  it('goes to another folder first, and gives up the terminal where that fails', async () => {
    const { window, made, end } = scriptedWindow('zsh');
    const shell = shellOver(window);
    const going = shell.start('s', 'ls', "/it's");
    await expect.poll(() => made[0]?.lines).toEqual([`eval $'cd -- \\'/it\\'\\\\\\'\\'s\\''`]);
    end(0, 1);
    expect(await going).toBe('the terminal did not change to the folder');
    expect(made[0]).toMatchObject({ disposed: true, lines: [expect.any(String)] });
  });

  it('is ended with Ctrl-C, and its terminal with it', async () => {
    const { window, made, end } = scriptedWindow('bash');
    const shell = shellOver(window);
    const child = started(await shell.start('s', 'sleep 600', '/project'));
    await child.kill(1);
    expect(made[0]).toMatchObject({ sent: ['\u0003'], disposed: true });
    expect(await child.exited).toMatchObject({ code: null, why: 'its terminal was closed' });
    expect(await child.running()).toBe(false);
    const next = started(await shell.start('s', 'ls', '/project'));
    end(1, 0);
    expect((await next.exited).code).toBe(0);
    expect(made).toHaveLength(2);
  });

  it('does without a terminal that has no integration, or another shell, and asks no second time', async () => {
    const clock = quickClock();
    const without = scriptedWindow('bash', false);
    const shell = shellOver(without.window, clock);
    expect(await shell.start('s', 'ls', '/project')).toContain('no shell integration');
    expect(await shell.start('s', 'ls', '/project')).toContain('no shell integration');
    expect(clock.waits).toEqual([3_000]);
    expect(without.made.map(({ disposed }) => disposed)).toEqual([true]);
    const fish = scriptedWindow('fish');
    expect(await shellOver(fish.window).start('s', 'ls', '/project')).toBe(
      "the terminal's shell is fish, not bash or zsh",
    );
    expect(fish.made[0]).toMatchObject({ lines: [], disposed: true });
    // A terminal that does not say runs the shell that VS Code starts.
    expect(typeof (await shellOver(scriptedWindow('node').window).start('s', 'ls', '/project'))).toBe('object');
    expect(typeof (await shellOver(scriptedWindow(undefined).window).start('s', 'ls', '/project'))).toBe('object');
  });
});
