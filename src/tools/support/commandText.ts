import type { Taken } from './outputWindow.js';
import { plainText } from './terminalText.js';

/** Characters of a command's output that the model is shown at most. */
const SHOWN = 10_000;

/** How a command ended, as far as it was seen. */
export type Ending =
  | { kind: 'status'; code: number }
  | { kind: 'signal'; signal: string }
  /** Nobody saw it end: never to be taken for success. */
  | { kind: 'unknown'; why: string };

/** Signals by number, as shells add them to 128; the ones that mean the same on every POSIX system. */
const SIGNALS: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  6: 'SIGABRT',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
};

/** "Exit status 1", "Ended by signal SIGKILL", "How it ended is not known (…)". */
export function endingText(ending: Ending): string {
  if (ending.kind === 'signal') return `Ended by signal ${ending.signal}`;
  if (ending.kind === 'unknown') return `How it ended is not known (${ending.why}); do not take it as done`;
  const name = SIGNALS[ending.code - 128];
  return `Exit status ${String(ending.code)}${name ? ` (a process in it was ended by ${name})` : ''}`;
}

/** "0.4 s", "42 s", "2 min 5 s". */
export function durationText(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${String(seconds)} s`;
  const rest = seconds % 60;
  return `${String(Math.floor(seconds / 60))} min${rest > 0 ? ` ${String(rest)} s` : ''}`;
}

/** The command as one line of at most 100 characters, for people. */
export function commandLine(command: string): string {
  const line = plainText(command)
    .trim()
    .replace(/\s*\n\s*/g, ' ⏎ ');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

/** Output as the model gets it: at most 10,000 characters of beginning and end, with what is left out and where all of it is in between. */
export function shownOutput(taken: Taken, whole: string): string {
  const head = plainText(taken.head);
  if (taken.dropped === 0 && head.length <= SHOWN) return head.trim() === '' ? '' : head.replace(/\s+$/, '');
  const tail = taken.dropped === 0 ? head : plainText(taken.tail);
  const first = beginning(head, SHOWN / 2);
  const last = end(tail, SHOWN / 2);
  const seen = taken.dropped === 0 ? head.length : head.length + tail.length;
  const left = taken.dropped + seen - first.length - last.length;
  return `${first.trimEnd()}\n\n… ${String(left)} characters left out, ${whole} …\n\n${last.trimEnd()}`;
}

/** At most `size` characters, up to a line's end if one is near, and no half of a surrogate pair. */
function beginning(text: string, size: number): string {
  if (text.length <= size) return text;
  const line = text.lastIndexOf('\n', size - 1) + 1;
  if (line > size * 0.8) return text.slice(0, line);
  return text.slice(0, isLow(text.charCodeAt(size)) ? size - 1 : size);
}

function end(text: string, size: number): string {
  if (text.length <= size) return text;
  const from = text.length - size;
  const line = text.indexOf('\n', from) + 1;
  if (line > 0 && line < from + size * 0.2) return text.slice(line);
  return text.slice(isLow(text.charCodeAt(from)) ? from + 1 : from);
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
