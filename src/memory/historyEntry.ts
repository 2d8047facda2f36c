/** A line of history.jsonl: one summary. Fields that are not known survive in the file. */
export interface HistoryEntry {
  /** Unique and ascending; 0 or more. */
  cursor: number;
  /** Local time, `YYYY-MM-DD HH:MM`; empty where the line has none. */
  timestamp: string;
  /** Bulleted facts as Markdown, or a text that begins with `[RAW]`. */
  content: string;
  session_key?: string;
  /** The workspace folder's path, or the address of its git remote. */
  project?: string;
}

/** What a new entry is made from; its cursor and time are given when it is written. */
export interface NewEntry {
  content: string;
  session_key?: string;
  project?: string;
}

/** Cursors beyond this count as broken: numbers near the end of exact integers cannot be counted on. */
const MAX_CURSOR = 2 ** 52;

/** Whether a value can be a cursor: an integer of 0 or more that can still be counted on from. */
export function isCursor(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < MAX_CURSOR;
}

/** The entry in a line of history.jsonl; undefined for a line that holds none. */
export function parseEntry(line: string): HistoryEntry | undefined {
  try {
    const value = JSON.parse(line.replace(/^\uFEFF/, '')) as Partial<HistoryEntry> | null;
    if (typeof value !== 'object' || value === null) return undefined;
    const { cursor, timestamp, content, session_key, project } = value;
    if (!isCursor(cursor) || typeof content !== 'string') return undefined;
    return {
      cursor,
      timestamp: typeof timestamp === 'string' ? timestamp : '',
      content,
      ...(typeof session_key === 'string' ? { session_key } : {}),
      ...(typeof project === 'string' ? { project } : {}),
    };
  } catch {
    return undefined; // A torn line; the caller counts it.
  }
}
