import type { Clock, Mirror } from '../../platform/ports.js';
import { OutputWindow } from './outputWindow.js';
import { plainText } from './terminalText.js';
import { Throttle } from './throttle.js';

/** Milliseconds between writes to the mirror. */
const EVERY_MS = 50;
/** Bytes of the beginning, and of the end, of what came in between; a terminal that gets more only lags behind. */
const PART = 8_192;

/** Shows one command in the session's terminal, colours and all: its line, its output at a bounded rate, how it ended. */
export class MirrorFeed {
  private readonly window = new OutputWindow(PART, PART);
  private readonly throttle: Throttle;
  private lineOpen = false;

  constructor(
    private readonly mirror: Mirror,
    clock: Clock,
    command: string,
  ) {
    this.throttle = new Throttle(clock, EVERY_MS, () => {
      this.show(false);
    });
    this.mirror.write(`\u001b[1m$ ${plainText(command)}\u001b[0m\n`);
  }

  output(bytes: Uint8Array): void {
    this.window.push(bytes);
    this.throttle.poke();
  }

  end(how: string): void {
    this.throttle.dispose();
    this.show(true);
    this.mirror.write(`${this.lineOpen ? '\n' : ''}\u001b[2m[${how}]\u001b[0m\n`);
  }

  private show(final: boolean): void {
    const { head, tail, dropped } = this.window.take(final);
    const gap = dropped > 0 ? `\n\u001b[2m… ${String(dropped)} characters not shown here …\u001b[0m\n` : '';
    const text = head + gap + tail;
    if (text === '') return;
    this.lineOpen = !text.endsWith('\n');
    this.mirror.write(text);
  }
}
