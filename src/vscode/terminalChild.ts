import type * as vscode from 'vscode';
import type { Child, Clock } from '../platform/ports.js';
import type { ExecutionEvents } from './personsPrograms.js';

/** Milliseconds for output that is still under way when the command has ended. */
const DRAIN_MS = 1_000;

interface Start {
  /** What is typed. */
  line: string;
  execute: () => vscode.TerminalShellExecution;
  /** Ends the terminal with everything in it. */
  close: () => void;
  /** Whether the person runs something in the terminal now, which then gets no key and no end from here. */
  isPersons: () => boolean;
}

type End = Awaited<Child['exited']>;

/** One command in a terminal with shell integration. Its end is what the terminal reports, and never taken for success without a status. */
export class TerminalChild implements Child {
  /** A terminal's commands have no process of their own that we know. */
  readonly pid: number;
  readonly exited: Promise<End>;
  private listener: ((bytes: Uint8Array) => void) | undefined;
  /** Output from before somebody listened. */
  private early: Uint8Array[] = [];
  private ended = false;
  private execution: vscode.TerminalShellExecution;
  /** Whether the terminal has told that the command began. */
  private begun = false;
  private reading: Promise<void>;
  private settle: (end: End) => void = () => undefined;

  constructor(
    window: ExecutionEvents,
    private readonly terminal: vscode.Terminal,
    private readonly clock: Clock,
    private readonly start: Start,
  ) {
    this.pid = 0;
    const end = new Promise<End>((resolve) => {
      this.settle = resolve;
    });
    const listeners = [
      window.onDidStartTerminalShellExecution((event) => {
        if (event.terminal === terminal && this.owns(event.execution)) this.begin(event.execution);
      }),
      window.onDidEndTerminalShellExecution((event) => {
        if (event.execution === this.execution) this.settle(endOf(event.exitCode));
      }),
      window.onDidCloseTerminal((closed) => {
        if (closed === terminal) this.settle({ code: null, signal: null, why: 'its terminal was closed' });
      }),
    ];
    this.execution = start.execute();
    this.reading = this.read(this.execution.read());
    this.exited = end.then(async (how) => {
      for (const one of listeners) one.dispose();
      const limit = new AbortController();
      await Promise.race([this.reading, clock.sleep(DRAIN_MS, limit.signal).catch(() => undefined)]);
      limit.abort();
      this.ended = true;
      return how;
    });
  }

  /** Whether this is the command as the terminal reports it: another object than was asked for where the shell writes the line in its own way. */
  owns(execution: vscode.TerminalShellExecution): boolean {
    if (execution === this.execution) return true;
    return !this.begun && isSameLine(this.start.line, execution.commandLine.value);
  }

  onData(listener: (bytes: Uint8Array) => void): void {
    this.listener = listener;
    for (const bytes of this.early.splice(0)) listener(bytes);
  }

  /** A terminal cannot be slowed down from here. */
  pause(): void {
    return;
  }

  resume(): void {
    return;
  }

  write(text: string): void {
    if (!this.ended && !this.start.isPersons()) this.terminal.sendText(text, false);
  }

  endInput(): void {
    this.write('\u0004');
  }

  interrupt(): void {
    this.write('\u0003');
  }

  /** Ctrl-C, and after `graceMs` at most the end of the terminal. Neither where the person runs something there: then this one runs no more. */
  async kill(graceMs: number): Promise<void> {
    if (this.ended) return;
    if (this.start.isPersons()) {
      this.settle({ code: null, signal: null, why: 'the person runs something in its terminal' });
      this.start.close();
      return;
    }
    this.interrupt();
    const limit = new AbortController();
    await Promise.race([this.exited, this.clock.sleep(graceMs, limit.signal).catch(() => undefined)]);
    limit.abort();
    this.start.close();
    this.settle({ code: null, signal: null, why: 'its terminal was closed' });
  }

  running(): Promise<boolean> {
    return Promise.resolve(!this.ended);
  }

  private begin(execution: vscode.TerminalShellExecution): void {
    this.begun = true;
    if (execution === this.execution) return;
    this.execution = execution;
    this.reading = this.read(execution.read());
  }

  private async read(output: AsyncIterable<string>): Promise<void> {
    for await (const text of output) {
      const bytes = new TextEncoder().encode(text);
      if (this.listener) this.listener(bytes);
      else this.early.push(bytes);
    }
  }
}

/** Whether a shell that was given `typed` may report it as `told`: some with its aliases resolved or a quoted text in other quotes. */
function isSameLine(typed: string, told: string): boolean {
  const firstWord = (line: string) => line.trim().split(/\s/, 1)[0];
  return firstWord(typed) === firstWord(told);
}

function endOf(code: number | undefined): End {
  if (code !== undefined) return { code, signal: null };
  return { code: null, signal: null, why: 'it finished, status unknown: the terminal did not report it' };
}
