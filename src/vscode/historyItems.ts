import { t } from '@vscode/l10n';
import type { HistoryEntry } from '../memory/historyEntry.js';
import { dayTitle, type Present } from './dates.js';

/** What an entry of history.jsonl begins with that no model has summarised. */
const RAW = '[RAW]';
/** Entries a day shows before it offers more, and how many more at a time. */
export const DAY_STEP = 200;
/** Characters of a row's label. */
const MAX_LABEL = 160;

/** An entry of history.jsonl as a row. */
export interface EntryRow {
  kind: 'entry';
  id: string;
  entry: HistoryEntry;
  /** `HH:MM`, or nothing where the entry has no time. */
  time: string;
  /** Its first line, or with a filter the first line that fits. */
  text: string;
  /** Parts of `text` that fit the filter: from, to (exclusive). */
  marks: [number, number][];
  unread: boolean;
  /** No model summarised it. */
  raw: boolean;
}

/** Stands where Dream has read to: what comes after it is read. */
export interface DividerRow {
  kind: 'divider';
  id: string;
  /** Whether nothing stands above it. */
  everything: boolean;
}

/** Offers older entries: of one day, or of all. */
export interface MoreRow {
  kind: 'more';
  id: string;
  date?: string;
}

export interface DayRow {
  kind: 'day';
  id: string;
  label: string;
  description: string;
  expanded: boolean;
  children: (EntryRow | DividerRow | MoreRow)[];
}

export type HistoryRow = DayRow | DividerRow | MoreRow;

/** What the rows are made from. */
export interface HistoryPicture {
  /** Newest first; only those that fit the filter. */
  entries: readonly HistoryEntry[];
  /** Whether nothing older is left on the disk. */
  complete: boolean;
  /** Up to where Dream has read. */
  dreamCursor: number;
  filter: string;
  /** Entries that a day shows, by its date, where a person asked for more. */
  shown: ReadonlyMap<string, number>;
  present: Present;
}

/** The rows of the history, newest first: days with their entries, and where Dream has read to. */
export function historyRows(picture: HistoryPicture): HistoryRow[] {
  const { entries, complete, dreamCursor, filter } = picture;
  const days = byDay(entries);
  // With a filter there may be unread entries above that do not fit it, so nothing is said of them.
  const firstRead = filter === '' ? entries.find(({ cursor }) => cursor <= dreamCursor) : undefined;
  const rows: HistoryRow[] = [];
  const dates = [...days.keys()];
  for (const [date, found] of days) {
    if (firstRead && found[0] === firstRead) rows.push(divider(firstRead === entries[0]));
    rows.push(
      dayRow(picture, { date, found, firstRead, isNewest: date === dates[0], isOldest: date === dates.at(-1) }),
    );
  }
  if (!complete) rows.push({ kind: 'more', id: 'more' });
  return rows;
}

function byDay(entries: readonly HistoryEntry[]): Map<string, HistoryEntry[]> {
  const days = new Map<string, HistoryEntry[]>();
  for (const entry of entries) {
    const date = entry.timestamp.slice(0, 10);
    const day = days.get(date);
    if (day) day.push(entry);
    else days.set(date, [entry]);
  }
  return days;
}

interface Day {
  date: string;
  found: readonly HistoryEntry[];
  firstRead: HistoryEntry | undefined;
  isNewest: boolean;
  isOldest: boolean;
}

function dayRow(picture: HistoryPicture, { date, found, firstRead, isNewest, isOldest }: Day): DayRow {
  const { complete, dreamCursor, filter, present } = picture;
  const shown = picture.shown.get(date) ?? DAY_STEP;
  const whole = complete || !isOldest;
  const children: DayRow['children'] = [];
  for (const entry of found.slice(0, shown)) {
    if (entry === firstRead && entry !== found[0]) children.push(divider(false));
    children.push(entryRow(entry, dreamCursor, filter));
  }
  if (found.length > shown || (!whole && found.length === shown)) {
    children.push({ kind: 'more', id: `more ${date}`, date });
  }
  const unread = found.filter(({ cursor }) => cursor > dreamCursor).length;
  const count = `${found.length.toLocaleString('en')}${whole ? '' : '+'}`;
  return {
    kind: 'day',
    id: `day ${date}${filter === '' ? '' : ` ${filter}`}`,
    label: date === '' ? t('Without a date') : dayTitle(date, present),
    description:
      unread > 0 && filter === ''
        ? `${count} · ${t('{0} new', `${unread.toLocaleString('en')}${whole ? '' : '+'}`)}`
        : count,
    expanded: isNewest || filter !== '',
    children,
  };
}

function divider(everything: boolean): DividerRow {
  return { kind: 'divider', id: 'divider', everything };
}

function entryRow(entry: HistoryEntry, dreamCursor: number, filter: string): EntryRow {
  const raw = isRaw(entry);
  const lines = linesOf(entry.content);
  const words = wordsOf(filter);
  const fitting = words.length === 0 ? undefined : lines.find((line) => words.some((word) => has(line, word)));
  const text = cut(fitting ?? lines[0] ?? t('(empty)'), words);
  return {
    kind: 'entry',
    id: `entry ${String(entry.cursor)}`,
    entry,
    time: /^\d\d:\d\d/.exec(entry.timestamp.slice(11))?.[0] ?? '',
    text,
    marks: marksIn(text, words),
    unread: entry.cursor > dreamCursor,
    raw,
  };
}

/** Whether an entry holds messages as they were, which no model has summarised. */
export function isRaw({ content }: HistoryEntry): boolean {
  return content.startsWith(RAW);
}

/** Whether an entry has every word of the filter: in its text, its time, its project or its chat's key. Upper and lower case are the same. */
export function fits({ content, timestamp, project = '', session_key = '' }: HistoryEntry, filter: string): boolean {
  const text = [timestamp, project, session_key, content].join('\n').toLowerCase();
  return wordsOf(filter).every((word) => text.includes(word));
}

function wordsOf(filter: string): string[] {
  return filter.toLowerCase().split(/\s+/).filter(Boolean);
}

function has(line: string, word: string): boolean {
  return line.toLowerCase().includes(word);
}

/** Lines that say something, without their Markdown. Of an entry that nobody summarised the messages, without their times. */
function linesOf(content: string): string[] {
  const lines = content.startsWith(RAW) ? content.split('\n').slice(1) : content.split('\n');
  const plain = lines.map((line) =>
    line
      .replace(/^\s*(?:[-*+]|\d+[.)]|#{1,6}|>)\s+/, '')
      .replace(/^\[\d{4}-\d\d-\d\d[T ]\d\d:\d\d\]\s*/, '')
      .replaceAll('**', '')
      .replace(/\s+/g, ' ')
      .trim(),
  );
  const said = plain.filter((line) => line !== '');
  return said.length > 0 || !content.startsWith(RAW) ? said : [content.slice(RAW.length).trim()];
}

/** A long line begins shortly before the first word that fits, unless that stands near its beginning. */
function cut(line: string, words: string[]): string {
  if (line.length <= MAX_LABEL) return line;
  const places = words.map((word) => line.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const at = places.length > 0 ? Math.min(...places) : 0;
  const from = at > MAX_LABEL - 60 ? at - 20 : 0;
  return `${from > 0 ? '…' : ''}${line.slice(from, from + MAX_LABEL)}${from + MAX_LABEL < line.length ? '…' : ''}`;
}

function marksIn(text: string, words: string[]): [number, number][] {
  const lower = text.toLowerCase();
  // Some letters change their length in lower case; then places in one are none in the other.
  if (lower.length !== text.length) return [];
  const found = words.flatMap((word) => {
    const marks: [number, number][] = [];
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length))
      marks.push([at, at + word.length]);
    return marks;
  });
  const merged: [number, number][] = [];
  for (const [from, to] of found.sort((left, right) => left[0] - right[0])) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** An entry as a document for people, in Markdown. */
export function entryDocument(entry: HistoryEntry, { isRead, present }: { isRead: boolean; present: Present }): string {
  const { cursor, timestamp, content, session_key, project } = entry;
  const [date = '', time = ''] = timestamp.split(/[ T]/);
  const facts = [
    isRead
      ? t('Entry {0} of history.jsonl, read by Dream', cursor)
      : t('Entry {0} of history.jsonl, not read by Dream yet', cursor),
    ...(session_key === undefined ? [] : [t('Chat: {0}', `\`${session_key}\``)]),
    ...(project === undefined ? [] : [t('Project: {0}', `\`${project}\``)]),
    ...(isRaw(entry)
      ? [t('Not summarised: the model gave no usable summary, so these are the messages in short.')]
      : []),
  ];
  const day = date === '' ? t('Without a date') : dayTitle(date, present);
  const title = date === '' || time === '' ? day : t('{0}, {1}', day, time.slice(0, 5));
  const body = isRaw(entry) ? content.slice(RAW.length).trim() : content.trim();
  return `# ${title}\n\n${facts.map((fact) => `- ${fact}`).join('\n')}\n\n---\n\n${body}\n`;
}
