import { t } from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { Disposable, Mirror } from '../platform/ports.js';

/** Characters kept for a terminal that is not open yet; the beginning goes first. */
const KEPT = 64_000;

/** What is needed of `vscode.window`. */
export type Terminals = Pick<typeof vscode.window, 'createTerminal' | 'onDidCloseTerminal'>;

/**
 * The terminals in which people see the commands of their sessions: one a session, named `Nanobot`, made hidden at the session's first command
 * and never brought to the front from here. One that a person closed is made anew at the next command.
 */
export class TerminalMirrors {
  private readonly mirrors = new Map<string, TerminalMirror>();
  private readonly closing: vscode.Disposable;

  constructor(private readonly terminals: Terminals) {
    this.closing = terminals.onDidCloseTerminal((terminal) => {
      for (const mirror of this.mirrors.values()) mirror.closed(terminal);
    });
  }

  /** The session's terminal, there and ready to be written to. */
  mirror(sessionKey: string): Mirror {
    const mirror = this.mirrors.get(sessionKey) ?? new TerminalMirror();
    this.mirrors.set(sessionKey, mirror);
    mirror.ensure(this.terminals);
    return mirror;
  }

  dispose(): void {
    this.closing.dispose();
    for (const mirror of this.mirrors.values()) mirror.dispose();
    this.mirrors.clear();
  }
}

class TerminalMirror implements Mirror {
  private terminal: vscode.Terminal | undefined;
  /** Hands text to the open terminal; undefined while it is not open, when text is kept. */
  private show: ((text: string) => void) | undefined;
  private kept = '';
  private typed = '';
  private readonly inputs = new Set<(line: string) => void>();
  private readonly interrupts = new Set<() => void>();

  ensure(terminals: Terminals): void {
    if (this.terminal) return;
    this.kept = '';
    this.typed = '';
    const written = new Set<(text: string) => void>();
    const pty: vscode.Pseudoterminal = {
      onDidWrite: (listener, self?: unknown) => {
        const bound = (text: string) => void listener.call(self, text);
        written.add(bound);
        return { dispose: () => written.delete(bound) };
      },
      open: () => {
        // What is written before this moment is lost by VS Code, so it was kept.
        this.show = (text) => {
          for (const listener of written) listener(text);
        };
        this.show(this.kept);
        this.kept = '';
      },
      close: () => {
        this.forget();
      },
      handleInput: (data) => {
        this.receive(data);
      },
    };
    this.terminal = terminals.createTerminal({ name: 'Nanobot', pty, isTransient: true });
  }

  closed(terminal: vscode.Terminal): void {
    if (terminal === this.terminal) this.forget();
  }

  dispose(): void {
    this.terminal?.dispose();
    this.forget();
  }

  write(text: string): void {
    const drawn = text.replace(/\r?\n/g, '\r\n');
    if (this.show) this.show(drawn);
    // Without a terminal, nobody closed it to find the text in the next one.
    else if (this.terminal) this.kept = (this.kept + drawn).slice(-KEPT);
  }

  onInput(listener: (line: string) => void): Disposable {
    this.inputs.add(listener);
    return { dispose: () => this.inputs.delete(listener) };
  }

  onInterrupt(listener: () => void): Disposable {
    this.interrupts.add(listener);
    return { dispose: () => this.interrupts.delete(listener) };
  }

  private forget(): void {
    this.terminal = undefined;
    this.show = undefined;
    this.kept = '';
  }

  /** Keys as they come, pasted text too. Cursor keys and the like mean nothing on a pipe. */
  private receive(data: string): void {
    for (const key of data.replace(keySequences(), '').replace(/\r\n/g, '\r')) {
      if (key === '\r' || key === '\n') this.submit();
      else if (key === '\u0003') this.interrupt();
      else if (key === '\u007f' || key === '\b') this.erase();
      else if (key >= ' ' || key === '\t') {
        this.typed += key;
        this.write(key);
      }
    }
  }

  private submit(): void {
    const line = this.typed;
    this.typed = '';
    this.write('\n');
    if (this.inputs.size === 0) this.write(`${t('(no command is running)')}\n`);
    for (const listener of [...this.inputs]) listener(line);
  }

  private interrupt(): void {
    this.typed = '';
    this.write('^C\n');
    for (const listener of [...this.interrupts]) listener();
  }

  private erase(): void {
    const last = Array.from(this.typed).at(-1);
    if (last === undefined) return;
    this.typed = this.typed.slice(0, -last.length);
    this.write('\b \b'.repeat(isWide(last) ? 2 : 1));
  }
}

/** The sequences that cursor and function keys send. */
function keySequences(): RegExp {
  return new RegExp(`${String.fromCharCode(0x1b)}(?:\\[[0-?]*[ -/]*[@-~]|O.|)`, 'g');
}

/** Letters that take two columns of a terminal: Chinese, Japanese, Korean, and emoji. */
function isWide(letter: string): boolean {
  return /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
    letter,
  );
}
