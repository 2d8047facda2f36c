import type * as vscode from 'vscode';

/** What is needed of `vscode.window`. */
export type ExecutionEvents = Pick<
  typeof vscode.window,
  'onDidStartTerminalShellExecution' | 'onDidEndTerminalShellExecution' | 'onDidCloseTerminal'
>;

/**
 * What the person runs in terminals right now: each command that began there and is not Nanobot's own. A terminal runs one at a time. Only shells with
 * integration tell; of one without, nothing is known.
 */
export class PersonsPrograms {
  private readonly running = new Map<vscode.Terminal, vscode.TerminalShellExecution>();
  private readonly listeners: readonly vscode.Disposable[];

  /** `isOwn` says of a command that begins whether Nanobot typed it. */
  constructor(
    events: ExecutionEvents,
    isOwn: (terminal: vscode.Terminal, execution: vscode.TerminalShellExecution) => boolean,
  ) {
    this.listeners = [
      events.onDidStartTerminalShellExecution(({ terminal, execution }) => {
        if (isOwn(terminal, execution)) this.running.delete(terminal);
        else this.running.set(terminal, execution);
      }),
      events.onDidEndTerminalShellExecution(({ terminal, execution }) => {
        if (this.running.get(terminal) === execution) this.running.delete(terminal);
      }),
      events.onDidCloseTerminal((terminal) => {
        this.running.delete(terminal);
      }),
    ];
  }

  runIn(terminal: vscode.Terminal): boolean {
    return this.running.has(terminal);
  }

  dispose(): void {
    for (const listener of this.listeners) listener.dispose();
  }
}
