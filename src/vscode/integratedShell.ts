import type * as vscode from 'vscode';
import type { Child, Clock } from '../platform/ports.js';
import type { TerminalShell } from '../platform/terminalShell.js';
import { PersonsPrograms, type ExecutionEvents } from './personsPrograms.js';
import { posixLine, powerShellTerminalLine, quotedFolder } from './terminalLine.js';
import { TerminalChild } from './terminalChild.js';

/** Milliseconds a new terminal has for its shell integration. */
const INTEGRATION_MS = 3_000;
/** Milliseconds for a change of folder. */
const FOLDER_MS = 5_000;

const otherShells = new Set(['cmd', 'csh', 'fish', 'ksh', 'nu', 'gitbash', 'wsl', 'bash', 'zsh', 'pwsh']);

/** What is needed of `vscode.window`. */
export type ShellTerminals = ExecutionEvents &
  Pick<typeof vscode.window, 'createTerminal' | 'onDidChangeTerminalShellIntegration'>;

const PERSON_RUNS = 'the person runs something in the terminal';

export interface IntegratedShellNeeds {
  window: ShellTerminals;
  clock: Clock;
  /** Whether commands are written for a POSIX shell, else for PowerShell. */
  posix: boolean;
  /** The shell that VS Code would start, for terminals that do not say which one runs. */
  defaultShell: () => string;
  realPath: (path: string) => Promise<string>;
}

/**
 * The person's own shell through VS Code's shell integration: one terminal a session, named `Nanobot`, opened hidden and never brought to the
 * front. Only a shell that reads commands as they were approved is used: bash or zsh, on Windows PowerShell. A terminal in which the person runs
 * something is left to them: nothing is typed there, and it is never closed from here; the session's next command gets a new one.
 */
export class IntegratedShell implements TerminalShell {
  private readonly terminals = new Map<string, vscode.Terminal>();
  private readonly running = new Map<vscode.Terminal, TerminalChild>();
  private readonly closing: vscode.Disposable;
  private readonly persons: PersonsPrograms;
  /** Why there is none in this window: waiting again for each command would cost seconds each time. */
  private missing: string | undefined;

  constructor(private readonly needs: IntegratedShellNeeds) {
    this.closing = needs.window.onDidCloseTerminal((terminal) => {
      this.forget(terminal);
    });
    this.persons = new PersonsPrograms(
      needs.window,
      (terminal, execution) => this.running.get(terminal)?.owns(execution) ?? false,
    );
  }

  async start(sessionKey: string, command: string, cwd: string, signal?: AbortSignal): Promise<Child | string> {
    const { posix } = this.needs;
    const line = posix ? posixLine(command) : powerShellTerminalLine(command);
    if (line === undefined) return 'the command is too long for a terminal, or has several lines';
    if (this.missing !== undefined) return this.missing;
    const known = this.terminals.get(sessionKey);
    if (known && this.running.has(known)) return 'another command runs in the terminal';
    const isOurs = known !== undefined && !this.persons.runIn(known);
    const terminal = isOurs ? known : this.open(sessionKey, cwd);
    const integration = await this.integrationOf(terminal);
    const wrong = integration ? this.wrongShell(terminal) : 'the terminal has no shell integration (none within 3 s)';
    if (!integration || wrong !== undefined) {
      this.missing = wrong;
      this.close(terminal);
      return wrong ?? '';
    }
    // Keys that were pressed before the first prompt run as soon as it stands there, and only then is it told.
    if (!isOurs && terminal.state.isInteractedWith) return this.leave(terminal, 'the person types in the terminal');
    if (this.persons.runIn(terminal)) return this.leave(terminal, PERSON_RUNS);
    const isThere = await this.goTo(terminal, integration, cwd);
    if (this.persons.runIn(terminal)) return this.leave(terminal, PERSON_RUNS);
    if (!isThere) {
      this.close(terminal);
      return 'the terminal did not change to the folder';
    }
    signal?.throwIfAborted();
    return this.run(terminal, integration, line);
  }

  end(sessionKey: string): void {
    const terminal = this.terminals.get(sessionKey);
    if (terminal) this.close(terminal);
  }

  dispose(): void {
    for (const terminal of [...this.terminals.values()]) this.close(terminal);
    this.closing.dispose();
    this.persons.dispose();
  }

  private open(sessionKey: string, cwd: string): vscode.Terminal {
    // A pager would wait for keys that nobody presses; everything else is the person's own environment.
    const env = { PAGER: 'cat', GIT_PAGER: 'cat' };
    const terminal = this.needs.window.createTerminal({ name: 'Nanobot', cwd, env, isTransient: true });
    this.terminals.set(sessionKey, terminal);
    return terminal;
  }

  private run(terminal: vscode.Terminal, integration: vscode.TerminalShellIntegration, line: string): TerminalChild {
    const child = new TerminalChild(this.needs.window, terminal, this.needs.clock, {
      line,
      execute: () => integration.executeCommand(line),
      isPersons: () => this.persons.runIn(terminal),
      close: () => {
        this.close(terminal);
      },
    });
    this.running.set(terminal, child);
    void child.exited.then(() => {
      if (this.running.get(terminal) === child) this.running.delete(terminal);
    });
    return child;
  }

  private integrationOf(terminal: vscode.Terminal): Promise<vscode.TerminalShellIntegration | undefined> {
    if (terminal.shellIntegration) return Promise.resolve(terminal.shellIntegration);
    const { window, clock } = this.needs;
    return new Promise((resolve) => {
      const done = (found: vscode.TerminalShellIntegration | undefined) => {
        change.dispose();
        timer.dispose();
        resolve(found);
      };
      const timer = clock.after(INTEGRATION_MS, () => {
        done(terminal.shellIntegration);
      });
      const change = window.onDidChangeTerminalShellIntegration((event) => {
        if (event.terminal === terminal) done(event.shellIntegration);
      });
    });
  }

  /** Commands are judged by the grammar of one shell; another may read them otherwise. */
  private wrongShell(terminal: vscode.Terminal): string | undefined {
    const { posix, defaultShell } = this.needs;
    const byDefault = (/([^\\/]+?)(\.exe)?$/i.exec(defaultShell())?.[1] ?? '').toLowerCase();
    // What the terminal says is the name of its process at some moment, at its start even VS Code's own: only another shell's counts.
    const { shell = '' } = terminal.state;
    const said = otherShells.has(shell) ? shell : byDefault;
    const fits = posix ? ['bash', 'zsh'] : ['pwsh', 'powershell'];
    return fits.includes(said) ? undefined : `the terminal's shell is ${said || 'unknown'}, not ${fits.join(' or ')}`;
  }

  private async goTo(
    terminal: vscode.Terminal,
    integration: vscode.TerminalShellIntegration,
    cwd: string,
  ): Promise<boolean> {
    const real = (path: string) => this.needs.realPath(path).catch(() => path);
    const isThere = async () =>
      integration.cwd !== undefined && (await real(integration.cwd.fsPath)) === (await real(cwd));
    if (await isThere()) return true;
    const { posix, clock } = this.needs;
    const line = `cd ${posix ? '-- ' : ''}${quotedFolder(cwd, posix)}`;
    const child = this.run(terminal, integration, posix ? (posixLine(line) ?? line) : line);
    const timer = new AbortController();
    const late = clock.sleep(FOLDER_MS, timer.signal).then(
      () => ({ code: null }),
      () => ({ code: null }),
    );
    const { code } = await Promise.race([child.exited, late]);
    timer.abort();
    this.running.delete(terminal);
    return code === 0;
  }

  /** Closes a terminal, except where the person runs something in it, or may without that it is known. */
  private close(terminal: vscode.Terminal): void {
    this.forget(terminal);
    const isUnknown = !terminal.shellIntegration && terminal.state.isInteractedWith;
    if (!isUnknown && !this.persons.runIn(terminal)) terminal.dispose();
  }

  /** Leaves a terminal to the person. Gives why. */
  private leave(terminal: vscode.Terminal, why: string): string {
    this.forget(terminal);
    return why;
  }

  private forget(terminal: vscode.Terminal): void {
    this.running.delete(terminal);
    for (const [key, one] of this.terminals) if (one === terminal) this.terminals.delete(key);
  }
}
