import { diffArrays, structuredPatch, type StructuredPatchHunk } from 'diff';
import { linesOf, toLf } from './text.js';

/** Changes beyond which a difference is no longer searched for line by line: the search takes quadratic time. */
const searchedChanges = 1_000;
const longestDiff = 60_000;

/**
 * A unified diff for people and models, with three lines of context; empty where the texts differ in their line ends only. Texts that differ
 * in more than about a thousand lines, and diffs over 60,000 characters, end with a line that says so.
 */
export function unifiedDiff(label: string, before: string | undefined, after: string | undefined): string {
  const [old, now] = [toLf(before ?? ''), toLf(after ?? '')];
  if (old === now) return '';
  const names = `--- ${before === undefined ? '/dev/null' : label}\n+++ ${after === undefined ? '/dev/null' : label}`;
  const patch = structuredPatch(label, label, old, now, undefined, undefined, {
    context: 3,
    maxEditLength: searchedChanges,
  });
  if (!patch) {
    const { added, removed } = lineDelta(before, after);
    return `${names}\n(too different to show: +${added} −${removed} lines)\n`;
  }
  const body = patch.hunks.map(hunkText).join('\n');
  return `${names}\n${cutAtLine(body, longestDiff)}\n`;
}

/** The hunks alone, without file names, cut to about `limit` characters at a line: for results that a model reads. */
export function shortDiff(before: string, after: string, limit: number): string {
  const diff = unifiedDiff('', before, after).split('\n').slice(2).join('\n').trimEnd();
  return cutAtLine(diff, limit);
}

/** How many lines were added and removed. Undefined stands for no file. Beyond about a thousand changes it counts whole blocks. */
export function lineDelta(before: string | undefined, after: string | undefined): { added: number; removed: number } {
  const [old, now] = withoutCommonEnds(linesOf(before ?? ''), linesOf(after ?? ''));
  if (old.length === 0 || now.length === 0) return { added: now.length, removed: old.length };
  const changes = diffArrays(old, now, { maxEditLength: searchedChanges });
  if (!changes) return { added: now.length, removed: old.length };
  const count = (kind: 'added' | 'removed'): number =>
    changes.reduce((sum, change) => sum + (change[kind] ? change.value.length : 0), 0);
  return { added: count('added'), removed: count('removed') };
}

function withoutCommonEnds(old: string[], now: string[]): [string[], string[]] {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return [old.slice(start, old.length - end), now.slice(start, now.length - end)];
}

function hunkText(hunk: StructuredPatchHunk): string {
  // The form counts from the line before where there are no lines.
  const range = (start: number, lines: number): string => `${lines === 0 ? start - 1 : start},${lines}`;
  const head = `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`;
  return [head, ...hunk.lines].join('\n');
}

function cutAtLine(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = text.lastIndexOf('\n', limit);
  return `${text.slice(0, end > 0 ? end : limit)}\n… (diff cut)`;
}
