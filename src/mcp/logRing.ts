import { maskKeys } from '../platform/maskSecrets.js';
import type { Clock } from '../platform/ports.js';

const MOST_LINES = 200;
const LONGEST = 500;

/** The newest lines of what a server said and of what happened to it. Known forms of keys are masked. */
export class LogRing {
  private readonly lines: string[] = [];
  private said: string[] = [];

  constructor(private readonly clock: Clock) {}

  add(line: string): void {
    const text = maskKeys(line.slice(0, LONGEST));
    this.lines.push(`${new Date(this.clock.now()).toISOString()} ${text}`);
    if (this.lines.length > MOST_LINES) this.lines.shift();
    this.said = [...this.said, text].slice(-5);
  }

  text(): string {
    return this.lines.join('\n');
  }

  /** The last words, for an error's message: " Its last words: …", or nothing. */
  tail(): string {
    const words = this.said.filter((line) => !/^(connecting|ready|failed|error)\b/.test(line));
    return words.length === 0 ? '' : ` Its last words: ${words.join(' / ').slice(-400)}`;
  }
}
