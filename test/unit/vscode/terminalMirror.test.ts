import type * as vscode from 'vscode';
import { describe, expect, it } from 'vitest';
import { TerminalMirrors, type Terminals } from '../../../src/vscode/terminalMirror.js';

interface Seen {
  pty: vscode.Pseudoterminal;
  name: string;
  text: string;
  shown: number;
  terminal: vscode.Terminal;
}

/** The editor's terminals, with what a person would see in each. */
function fakeTerminals() {
  const seen: Seen[] = [];
  const closing = new Set<(terminal: vscode.Terminal) => void>();
  const terminals = {
    createTerminal: (options: vscode.ExtensionTerminalOptions) => {
      const entry = { pty: options.pty, name: options.name, text: '', shown: 0 } as Seen;
      entry.terminal = {
        show: () => entry.shown++,
        dispose: () => close(entry),
      } as unknown as vscode.Terminal;
      options.pty.onDidWrite((text) => (entry.text += text));
      seen.push(entry);
      return entry.terminal;
    },
    onDidCloseTerminal: (listener: (terminal: vscode.Terminal) => void) => {
      closing.add(listener);
      return { dispose: () => closing.delete(listener) };
    },
  } as unknown as Terminals;
  const close = (entry: Seen) => {
    entry.pty.close();
    for (const listener of closing) listener(entry.terminal);
  };
  return { terminals, seen, close, closing };
}

describe('the terminal of a session', () => {
  it('is one a session, named Nanobot, and never brought to the front', () => {
    const { terminals, seen } = fakeTerminals();
    const mirrors = new TerminalMirrors(terminals);
    mirrors.mirror('a').write('one\n');
    mirrors.mirror('a').write('two\n');
    mirrors.mirror('b').write('three\n');
    for (const entry of seen) entry.pty.open(undefined);
    expect(seen.map(({ name, text, shown }) => ({ name, text, shown }))).toEqual([
      { name: 'Nanobot', text: 'one\r\ntwo\r\n', shown: 0 },
      { name: 'Nanobot', text: 'three\r\n', shown: 0 },
    ]);
  });

  it('keeps what comes before it is open, a bounded part of it', () => {
    const { terminals, seen } = fakeTerminals();
    const mirror = new TerminalMirrors(terminals).mirror('a');
    for (let n = 0; n < 100; n++) mirror.write('x'.repeat(10_000));
    mirror.write('end');
    expect(seen[0]?.text).toBe('');
    seen[0]?.pty.open(undefined);
    expect(seen[0]?.text.length).toBeLessThanOrEqual(64_000);
    expect(seen[0]?.text.endsWith('end')).toBe(true);
  });

  it('echoes typed lines and hands them on, with corrections made', () => {
    const { terminals, seen } = fakeTerminals();
    const mirror = new TerminalMirrors(terminals).mirror('a');
    const lines: string[] = [];
    mirror.onInput((line) => lines.push(line));
    seen[0]?.pty.open(undefined);
    for (const key of ['y', 'e', 'z', '\u007f', 's', '\u001b[A', '\r']) seen[0]?.pty.handleInput?.(key);
    seen[0]?.pty.handleInput?.('你\u007fpasted\rlines\r\n');
    expect(lines).toEqual(['yes', 'pasted', 'lines']);
    expect(seen[0]?.text).toBe('yez\b \bs\r\n你\b \b\b \bpasted\r\nlines\r\n');
  });

  it('says so where no command runs', () => {
    const { terminals, seen } = fakeTerminals();
    const mirror = new TerminalMirrors(terminals).mirror('a');
    mirror.onInput(() => expect.unreachable()).dispose();
    seen[0]?.pty.open(undefined);
    seen[0]?.pty.handleInput?.('ls\r');
    expect(seen[0]?.text).toBe('ls\r\n(no command is running)\r\n');
  });

  it('interrupts at Ctrl-C and forgets the line', () => {
    const { terminals, seen } = fakeTerminals();
    const mirror = new TerminalMirrors(terminals).mirror('a');
    const happened: string[] = [];
    mirror.onInput((line) => happened.push(line));
    mirror.onInterrupt(() => happened.push('interrupt'));
    seen[0]?.pty.open(undefined);
    seen[0]?.pty.handleInput?.('half\u0003whole\r');
    expect(happened).toEqual(['interrupt', 'whole']);
    expect(seen[0]?.text).toBe('half^C\r\nwhole\r\n');
  });

  it('is made anew at the next command after a person closed it', () => {
    const { terminals, seen, close } = fakeTerminals();
    const mirrors = new TerminalMirrors(terminals);
    const mirror = mirrors.mirror('a');
    const lines: string[] = [];
    mirror.onInput((line) => lines.push(line));
    const [first] = seen;
    if (first) close(first);
    mirror.write('lost');
    expect(seen).toHaveLength(1);
    expect(mirrors.mirror('a')).toBe(mirror);
    expect(seen).toHaveLength(2);
    mirror.write('next');
    seen[1]?.pty.open(undefined);
    seen[1]?.pty.handleInput?.('still heard\r');
    expect(seen[1]?.text).toBe('nextstill heard\r\n');
    expect(lines).toEqual(['still heard']);
  });

  it('goes away with the extension', () => {
    const { terminals, seen, closing } = fakeTerminals();
    const mirrors = new TerminalMirrors(terminals);
    mirrors.mirror('a');
    seen[0]?.pty.open(undefined);
    mirrors.dispose();
    mirrors.dispose();
    expect(closing.size).toBe(0);
  });
});
