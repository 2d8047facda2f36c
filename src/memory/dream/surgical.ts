import { likeness, wordsOf } from './words.js';

/** The share of a file's lines that one Dream may take out or change, usually and when it was told to condense. */
const MAY_LOSE = { usual: 0.5, condense: 0.7 };
const MAY_TOUCH = { usual: 0.6, condense: 0.9 };
/** The share that may go although no finding asked to remove anything. */
const UNASKED_SHARE = 0.2;
/** Lines that one finding that asks for a removal may take out, and lines that any finding may touch. */
const LOST_A_FINDING = 6;
const TOUCHED_A_FINDING = 3;
const TOUCHED_BESIDE = 2;
/** Lines compared with lines; about 10 ms. Beyond, a text counts as written anew. */
const MAX_PAIRS = 20_000;
/** A new line that says so much of an old one is that line, changed. */
const CHANGED = 0.5;

/** What became of the lines of a file. Blank lines, headings and lines that only wait to be filled in ("- Name:") do not count. */
export interface LineChange {
  /** Lines there were. */
  of: number;
  /** Not there any more as they were. */
  touched: number;
  /** Of those, the ones that no new line stands for. */
  lost: number;
}

/** What the findings ask for in one file. */
export interface Asked {
  findings: number;
  /** Those of them that ask to remove something. */
  removals: number;
  condense: boolean;
}

/**
 * Whether a change is surgical: why not, as words for the model; undefined where it is. One Dream may change a part of a file only, more where
 * more findings ask for it, so that a model that writes a file anew cannot take with it what it forgot.
 */
export function tooMuch(before: string, after: string, asked: Asked): string | undefined {
  const change = changeOf(before, after);
  const most = mayChange(change.of, asked);
  const share = `of the ${String(change.of)} lines of this file that say something`;
  if (change.lost > most.lost) {
    return `this would take out ${String(change.lost)} ${share}; ${String(most.lost)} may go. Keep what no finding asks to remove.`;
  }
  if (change.touched > most.touched) {
    return `this would rewrite ${String(change.touched)} ${share}; ${String(most.touched)} may change. Edit only the lines that the findings are about.`;
  }
  return undefined;
}

/** Compares two texts line by line. */
export function changeOf(before: string, after: string): LineChange {
  const old = sayings(before);
  const added = new Map<string, number>();
  for (const line of sayings(after)) added.set(line, (added.get(line) ?? 0) + 1);
  const touched = old.filter((line) => {
    const left = added.get(line) ?? 0;
    if (left > 0) added.set(line, left - 1);
    return left === 0;
  });
  const came = [...added].flatMap(([line, count]) => Array.from({ length: count }, () => line));
  if (touched.length * came.length > MAX_PAIRS)
    return { of: old.length, touched: touched.length, lost: touched.length };
  const successors = came.map(wordsOf);
  const lost = touched.filter((line) => !takeSuccessor(successors, wordsOf(line)));
  return { of: old.length, touched: touched.length, lost: lost.length };
}

function mayChange(lines: number, { findings, removals, condense }: Asked): { lost: number; touched: number } {
  if (condense) return { lost: Math.ceil(lines * MAY_LOSE.condense), touched: Math.ceil(lines * MAY_TOUCH.condense) };
  const asked = removals === 0 ? Math.max(1, Math.floor(lines * UNASKED_SHARE)) : removals * LOST_A_FINDING;
  const touched = Math.min(Math.ceil(lines * MAY_TOUCH.usual), TOUCHED_BESIDE + findings * TOUCHED_A_FINDING);
  const lost = Math.max(removals, Math.min(Math.ceil(lines * MAY_LOSE.usual), asked));
  return { lost, touched: Math.max(findings, touched, lost) };
}

/** Each new line stands for one old line only. */
function takeSuccessor(successors: Set<string>[], words: ReadonlySet<string>): boolean {
  const at = successors.findIndex((candidate) => likeness(words, candidate) >= CHANGED);
  if (at < 0) return false;
  successors.splice(at, 1);
  return true;
}

function sayings(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#') && !/^[-*][^:：]*[:：]$/.test(line));
}
