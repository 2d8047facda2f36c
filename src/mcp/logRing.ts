import { maskKeys } from '../platform/maskSecrets.js';
import type { Clock } from '../platform/ports.js';
import type { Translate } from '../platform/words.js';

const MOST_LINES = 200;
const LONGEST = 500;
/** Lines of our own, which are no words of the server. */
const OURS = /^(connecting|ready|failed|error|its tools)\b/;

/** The newest lines of what a server said and of what happened to it. Known forms of keys are masked. */
export class LogRing {
  private readonly lines: string[] = [];
  private said: string[] = [];

  constructor(private readonly clock: Clock) {}

  add(line: string): void {
    const text = maskKeys(line.slice(0, LONGEST));
    this.lines.push(`${new Date(this.clock.now()).toISOString()} ${text}`);
    if (this.lines.length > MOST_LINES) this.lines.shift();
    this.said = OURS.test(text) ? this.said : [...this.said, text].slice(-5);
  }

  /** A new connection begins: what was said before is not its last words. */
  begin(): void {
    this.said = [];
  }

  text(): string {
    return this.lines.join('\n');
  }

  /** The last words, for an error's message: " Its last words: …", or nothing. */
  tail(t: Translate): string {
    return this.said.length === 0 ? '' : t(' Its last words: {0}', this.said.join(' / ').slice(-400));
  }
}
