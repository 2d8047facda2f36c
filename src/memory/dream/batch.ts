import { shorten } from '../../runner/toolCalls.js';
import type { HistoryEntry } from '../historyEntry.js';
import { estimateText } from '../tokens.js';
import { withoutQuotations } from './trust.js';

/** Entries and tokens that one Dream reads at most. */
export const MAX_ENTRIES = 20;
export const MAX_BATCH_TOKENS = 24_000;
/** Entries to ask the history for: more than a batch holds, so that entries with the same cursor are seen together. */
export const FETCHED = MAX_ENTRIES * 3;
/** The line in front of an entry. */
const HEADER_TOKENS = 30;

/** Entries that one Dream reads, oldest first, as their cursors go. */
export interface Batch {
  entries: HistoryEntry[];
  from: number;
  to: number;
}

/**
 * The oldest entries that fit, in the order given; at least one, however long it is. Entries with the same cursor are never torn apart, since
 * the cursor moves past all of them. With `upTo` it ends there at the latest: a batch that failed is tried again as it was. Undefined where
 * there are none.
 */
export function chooseBatch(
  entries: readonly HistoryEntry[],
  options: { maxTokens: number; upTo?: number | undefined },
): Batch | undefined {
  const chosen: HistoryEntry[] = [];
  let tokens = 0;
  for (const group of byCursor(entries)) {
    const cursor = group[0]?.cursor ?? 0;
    tokens += group.reduce((sum, entry) => sum + estimateText(entry.content) + HEADER_TOKENS, 0);
    const fits = tokens <= options.maxTokens && chosen.length + group.length <= MAX_ENTRIES;
    const ended = options.upTo !== undefined && cursor > options.upTo;
    if (chosen.length > 0 && (!fits || ended)) break;
    chosen.push(...group);
  }
  const first = chosen[0];
  const last = chosen.at(-1);
  return first && last ? { entries: chosen, from: first.cursor, to: last.cursor } : undefined;
}

/**
 * The batch as the first phase reads it: each entry with its cursor, time and project under its heading's name, without quotations. An entry
 * that alone is over the limit is shown by head and tail.
 */
export function batchText(batch: Batch, headings: ReadonlyMap<string, string>, maxTokens: number): string {
  const texts = batch.entries.map((entry) => withoutQuotations(entry.content));
  const tokens = texts.reduce((sum, text) => sum + estimateText(text), 0);
  const share = Math.min(1, maxTokens / Math.max(1, tokens));
  return batch.entries
    .map((entry, at) => {
      const project = entry.project === undefined ? undefined : headings.get(entry.project);
      const head = [`Entry ${String(entry.cursor)}`, entry.timestamp, ...(project ? [`project ${project}`] : [])];
      const text = texts[at] ?? '';
      return `### ${head.join(', ')}\n${share < 1 ? shorten(text, Math.floor(text.length * share)) : text}`;
    })
    .join('\n\n');
}

function byCursor(entries: readonly HistoryEntry[]): HistoryEntry[][] {
  const groups: HistoryEntry[][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last?.[0]?.cursor === entry.cursor) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}
