import type { HistoryEntry } from '../historyEntry.js';
import type { Rejection } from '../undone.js';
import type { Finding } from './findings.js';
import { likeness, shared, wordsOf } from './words.js';

/** How alike a finding and a rejected line are that are about the same thing, and the share of a finding's words in newer entries that brings it back. */
const SAME = 0.5;
const SUPPORTED = 0.5;

/**
 * An entry without its quotations: lines that open with `>` are text from outside (pages, servers, other people's files), as the consolidator
 * marks it. The model that finds facts never sees them, so nothing they say can become one.
 */
export function withoutQuotations(content: string): string {
  return content
    .split('\n')
    .map((line) =>
      isQuotation(line) ? `> (quoted from outside, ${String(line.trim().length)} characters, left out)` : line,
    )
    .join('\n');
}

/** Findings apart by where they come from. */
export interface Sifted {
  kept: Finding[];
  /** Say what only a quotation says. */
  quoted: Finding[];
  /** Say what a person rejected, and newer entries do not. */
  rejected: Finding[];
}

/**
 * Takes out findings that say what stands in quotations and not in the words of the person or the agent, and those that the person rejected
 * before, unless entries that came after say it again. A second guard: the model is told both, and does not see quotations.
 */
export function sift(
  findings: readonly Finding[],
  batch: readonly HistoryEntry[],
  rejections: readonly Rejection[],
): Sifted {
  const sifted: Sifted = { kept: [], quoted: [], rejected: [] };
  const quoted = wordsOf(batch.flatMap(({ content }) => content.split('\n').filter(isQuotation)).join('\n'));
  const own = quoted.size > 0 ? wordsOf(batch.map(ownText).join('\n')) : quoted;
  const undone = rejections.map((rejection) => undoneOf(rejection, batch));
  for (const finding of findings) {
    const words = wordsOf(finding.kind === 'skill' ? `${finding.name} ${finding.text}` : withoutProject(finding.text));
    if (isOnlyQuoted(words, own, quoted)) sifted.quoted.push(finding);
    else if (undone.some((each) => isUndone(finding, words, each))) sifted.rejected.push(finding);
    else sifted.kept.push(finding);
  }
  return sifted;
}

/** Whether a person rejected what Dream made of each of these entries. */
export function allRejected(entries: readonly HistoryEntry[], rejections: readonly Rejection[]): boolean {
  const cursors = new Set(rejections.flatMap((rejection) => rejection.cursors));
  return entries.length > 0 && entries.every((entry) => cursors.has(entry.cursor));
}

/** A finding without the project it names first, which is a heading in the file. */
function withoutProject(text: string): string {
  return text.replace(/^\(project [^)]*\)\s*/i, '');
}

function isQuotation(line: string): boolean {
  return /^\s*>/.test(line);
}

function ownText({ content }: HistoryEntry): string {
  return content
    .split('\n')
    .filter((line) => !isQuotation(line))
    .join('\n');
}

function isOnlyQuoted(words: ReadonlySet<string>, own: ReadonlySet<string>, quoted: ReadonlySet<string>): boolean {
  let fromQuotation = 0;
  let fromOwn = 0;
  for (const word of words) {
    if (quoted.has(word) && !own.has(word)) fromQuotation++;
    if (own.has(word) && !quoted.has(word)) fromOwn++;
  }
  return fromQuotation > fromOwn;
}

/** A rejection as findings are compared with it. */
interface Undone {
  file: string;
  /** What each line is about that was added, or taken out. */
  added: Set<string>[];
  removed: Set<string>[];
  /** What entries say that came after those the undone Dream had read. */
  newer: ReadonlySet<string>;
}

function undoneOf({ file, lines, removed, cursors }: Rejection, batch: readonly HistoryEntry[]): Undone {
  const last = Math.max(-1, ...cursors);
  const about = (list: readonly string[]) => list.filter((line) => !line.startsWith('#')).map(wordsOf);
  const newer = batch.filter((entry) => entry.cursor > last).map(ownText);
  return { file, added: about(lines), removed: about(removed), newer: wordsOf(newer.join('\n')) };
}

/** In whatever file: a fact that was undone in one is not to come back in another. */
function isUndone(finding: Finding, words: ReadonlySet<string>, { file, added, removed, newer }: Undone): boolean {
  if (shared(words, newer) >= words.size * SUPPORTED) return false;
  if (finding.kind === 'skill') return file === `skills/${finding.name}/SKILL.md`;
  const lines = finding.kind === 'add' ? added : removed;
  return lines.some((line) => likeness(words, line) >= SAME);
}
