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
  /** Begins a command there, as the person would by typing it. Gives what ends it. */
  personRuns: (line: string) => () => void;
}

/** A window whose terminals do what a test says, since a real one reports what it likes. */
function scriptedWindow(shell: string | undefined, { integration = true, interacted = false, reported = 'same' } = {}) {
  const made: Scripted[] = [];
  const starts = new Set<(event: vscode.TerminalShellExecutionStartEvent) => void>();
  const ends = new Set<(event: vscode.TerminalShellExecutionEndEvent) => void>();
  const closes = new Set<(terminal: vscode.Terminal) => void>();
  const on =
    <T>(listeners: Set<(event: T) => void>) =>
    (listener: (event: T) => void) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    };
  const executions: vscode.TerminalShellExecution[] = [];
  const executionOf = (line: string) =>
    ({
      commandLine: { value: line, isTrusted: true, confidence: 2 },
      read: async function* () {
        yield `out of ${line}`;
      },
    }) as unknown as vscode.TerminalShellExecution;
  const report = (terminal: vscode.Terminal, execution: vscode.TerminalShellExecution) => {
    for (const listener of [...starts]) listener({ terminal, execution } as vscode.TerminalShellExecutionStartEvent);
  };
  const window = {
    createTerminal: () => {
      const personRuns = (line: string) => {
        const execution = executionOf(line);
        report(one.terminal, execution);
        return () => {
          for (const listener of [...ends]) listener({ execution, terminal: one.terminal, exitCode: 0 } as never);
        };
      };
      const one: Scripted = { lines: [], sent: [], disposed: false, terminal: undefined as never, personRuns };
      const executeCommand = (line: string) => {
        one.lines.push(line);
        const execution = executionOf(line);
        executions.push(execution);
        // The terminal tells of its start when the shell has; not always as the one that was asked for.
        if (reported === 'same') queueMicrotask(() => report(one.terminal, execution));
        return execution;
      };
      one.terminal = {
        state: { shell, isInteractedWith: interacted },
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
    onDidStartTerminalShellExecution: on(starts),
    onDidEndTerminalShellExecution: on(ends),
  } as unknown as ShellTerminals;
  const end = (index: number, exitCode: number | undefined) => {
    const event = { execution: executions[index], exitCode } as vscode.TerminalShellExecutionEndEvent;
    for (const listener of [...ends]) listener(event);
  };
  return {
    window,
    made,
    end,
    report,
    executionOf,
    announce: (event: vscode.TerminalShellExecutionEndEvent) => {
      for (const listener of [...ends]) listener(event);
    },
  };
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
    const without = scriptedWindow('bash', { integration: false });
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

  it('leaves a terminal to the person who runs something there, and takes a new one', async () => {
    const { window, made, end } = scriptedWindow('bash');
    const shell = shellOver(window);
    const first = started(await shell.start('s', 'one', '/project'));
    end(0, 0);
    await first.exited;
    made[0]?.personRuns('ssh prod');
    started(await shell.start('s', 'rm -r build', '/project'));
    expect(made.map(({ lines }) => lines)).toEqual([['one'], ['rm -r build']]);
    shell.end('s');
    shell.dispose();
    expect(made.map(({ disposed }) => disposed)).toEqual([false, true]);
  });

  it('goes on in its terminal when what the person ran there has ended', async () => {
    const { window, made, end } = scriptedWindow('bash');
    const shell = shellOver(window);
    const first = started(await shell.start('s', 'one', '/project'));
    end(0, 0);
    await first.exited;
    made[0]?.personRuns('ls')();
    started(await shell.start('s', 'two', '/project'));
    expect(made.map(({ lines }) => lines)).toEqual([['one', 'two']]);
  });

  it('types nothing where the person was quicker, neither a folder nor a command', async () => {
    const { window, made, end } = scriptedWindow('bash');
    const shell = shellOver(window);
    const going = shell.start('s', 'rm -r build', '/deep');
    await expect.poll(() => made[0]?.lines).toEqual(['cd -- /deep']);
    end(0, 0);
    made[0]?.personRuns('psql');
    expect(await going).toBe('the person runs something in the terminal');
    expect(made[0]).toMatchObject({ disposed: false, lines: ['cd -- /deep'], sent: [] });

    const early = scriptedWindow('bash', { interacted: true });
    const other = shellOver(early.window);
    expect(await other.start('s', 'ls', '/project')).toBe('the person types in the terminal');
    expect(early.made[0]).toMatchObject({ disposed: false, lines: [] });
  });

  it('does not close a terminal without integration in which the person typed', async () => {
    const { window, made } = scriptedWindow('bash', { integration: false, interacted: true });
    expect(await shellOver(window, quickClock()).start('s', 'ls', '/project')).toContain('no shell integration');
    expect(made[0]?.disposed).toBe(false);
  });

  it("sends no Ctrl-C into the person's program and never ends it with its own command", async () => {
    const { window, made } = scriptedWindow('bash', { reported: 'never' });
    const shell = shellOver(window);
    const child = started(await shell.start('s', 'sleep 600', '/project'));
    // Typed in the same moment: the shell took the person's line, and the command went nowhere.
    made[0]?.personRuns('npm run dev');
    child.write('y\n');
    await child.kill(1);
    expect(made[0]).toMatchObject({ sent: [], disposed: false });
    expect(await child.exited).toMatchObject({ code: null, why: 'the person runs something in its terminal' });
    started(await shell.start('s', 'ls', '/project'));
    expect(made).toHaveLength(2);
  });

  it('knows its own command where the shell reports it in other quotes', async () => {
    const { window, made, report, executionOf, announce } = scriptedWindow('bash', { reported: 'never' });
    const shell = shellOver(window);
    const child = started(await shell.start('s', 'echo one; false', '/project'));
    const execution = executionOf("eval 'echo one; false'");
    const terminal = made[0]?.terminal as vscode.Terminal;
    report(terminal, execution);
    announce({ execution, terminal, exitCode: 1 } as vscode.TerminalShellExecutionEndEvent);
    expect(await child.exited).toEqual({ code: 1, signal: null });
    started(await shell.start('s', 'two', '/project'));
    expect(made).toHaveLength(1);
  });
});
