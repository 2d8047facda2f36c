import type { Files } from '../platform/ports.js';
import { readLines, textOfBytes } from '../session/lines.js';
import { parseEntry, type HistoryEntry } from './historyEntry.js';
import { lineStart } from './historyIndex.js';

/** A stretch that is read through and not halved any more; also how far a probe looks for a line that holds an entry. */
const STRETCH = 1024 * 1024;

/**
 * Entries of a large history.jsonl that lie before `end`, the part that is known, with a cursor greater than this one: the oldest of them, at most
 * `limit`. Finds them by halving, for cursors ascend; lines that hold no entry are passed over.
 */
export async function entriesBefore(
  files: Pick<Files, 'readRange'>,
  path: string,
  end: number,
  cursor: number,
  limit: number,
): Promise<HistoryEntry[]> {
  let low = 0;
  let high = end;
  while (high - low > STRETCH) {
    const middle = Math.floor((low + high) / 2);
    const found = await firstFrom(files, path, middle, high);
    if (found && found.entry.cursor <= cursor) low = found.end;
    else high = middle;
  }
  const entries: HistoryEntry[] = [];
  let last = cursor;
  for await (const batch of readLines(files, path, { offset: low, number: low === 0 ? 1 : 2 }, end)) {
    for (const { bytes } of batch) {
      const entry = parseEntry(textOfBytes(bytes));
      if (!entry || entry.cursor <= last) continue;
      last = entry.cursor;
      entries.push(entry);
      if (entries.length === limit) return entries;
    }
  }
  return entries;
}

async function firstFrom(
  files: Pick<Files, 'readRange'>,
  path: string,
  from: number,
  end: number,
): Promise<{ entry: HistoryEntry; end: number } | undefined> {
  const until = Math.min(end, from + STRETCH);
  const start = await lineStart(files, path, from, until);
  for await (const batch of readLines(files, path, { offset: start, number: 2 }, until)) {
    for (const line of batch) {
      const entry = line.ended ? parseEntry(textOfBytes(line.bytes)) : undefined;
      if (entry) return { entry, end: line.end };
    }
  }
  return undefined;
}
