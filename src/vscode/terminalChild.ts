import type * as vscode from 'vscode';
import type { Child, Clock } from '../platform/ports.js';

/** Milliseconds for output that is still under way when the command has ended. */
const DRAIN_MS = 1_000;

interface Start {
  execute: () => vscode.TerminalShellExecution;
  /** Ends the terminal with everything in it. */
  close: () => void;
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
  private settle: (end: End) => void = () => undefined;

  constructor(
    window: Pick<typeof vscode.window, 'onDidEndTerminalShellExecution' | 'onDidCloseTerminal'>,
    private readonly terminal: vscode.Terminal,
    private readonly clock: Clock,
    private readonly start: Start,
  ) {
    this.pid = 0;
    const end = new Promise<End>((resolve) => {
      this.settle = resolve;
    });
    const listeners = [
      window.onDidEndTerminalShellExecution((event) => {
        if (event.execution === execution) this.settle(endOf(event.exitCode));
      }),
      window.onDidCloseTerminal((closed) => {
        if (closed === terminal) this.settle({ code: null, signal: null, why: 'its terminal was closed' });
      }),
    ];
    const execution = start.execute();
    const reading = this.read(execution.read());
    this.exited = end.then(async (how) => {
      for (const one of listeners) one.dispose();
      const limit = new AbortController();
      await Promise.race([reading, clock.sleep(DRAIN_MS, limit.signal).catch(() => undefined)]);
      limit.abort();
      this.ended = true;
      return how;
    });
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
    if (!this.ended) this.terminal.sendText(text, false);
  }

  endInput(): void {
    this.write('\u0004');
  }

  interrupt(): void {
    this.write('\u0003');
  }

  /** Ctrl-C, and after `graceMs` at most the end of the terminal. */
  async kill(graceMs: number): Promise<void> {
    if (this.ended) return;
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

  private async read(output: AsyncIterable<string>): Promise<void> {
    for await (const text of output) {
      const bytes = new TextEncoder().encode(text);
      if (this.listener) this.listener(bytes);
      else this.early.push(bytes);
    }
  }
}

function endOf(code: number | undefined): End {
  if (code !== undefined) return { code, signal: null };
  return { code: null, signal: null, why: 'it finished, status unknown: the terminal did not report it' };
}
