import { describe, expect, it } from 'vitest';
import type { HistoryEntry } from '../../../src/memory/historyEntry.js';
import {
  DAY_STEP,
  entryDocument,
  fits,
  historyRows,
  type DayRow,
  type EntryRow,
  type HistoryPicture,
  type HistoryRow,
} from '../../../src/vscode/historyItems.js';

const present = { now: Date.UTC(2026, 3, 15, 12), zone: 'UTC' };

function entry(cursor: number, timestamp: string, content = `- fact ${String(cursor)}`): HistoryEntry {
  return { cursor, timestamp, content };
}

/** The rows of these entries, which are given oldest first as they stand in the file. */
function rowsOf(entries: HistoryEntry[], more: Partial<HistoryPicture> = {}): HistoryRow[] {
  const picture = { complete: true, dreamCursor: 0, filter: '', shown: new Map(), present, ...more };
  return historyRows({ ...picture, entries: entries.toReversed() });
}

/** The rows in short, as a person reads them. */
function drawn(rows: readonly (HistoryRow | EntryRow)[], indent = ''): string[] {
  return rows.flatMap((row) => {
    if (row.kind === 'day')
      return [`${indent}${row.label} (${row.description})`, ...drawn(row.children, `${indent}  `)];
    if (row.kind === 'entry')
      return [`${indent}${row.time} ${row.text}${row.unread ? ' *' : ''}${row.raw ? ' [raw]' : ''}`];
    return [`${indent}--- ${row.kind === 'divider' && row.everything ? 'everything' : row.kind}`];
  });
}

const first = (rows: HistoryRow[]): EntryRow => (rows[0] as DayRow).children[0] as EntryRow;

describe('the rows of the history', () => {
  const three = [
    entry(1, '2026-04-13 09:00'),
    entry(2, '2026-04-15 10:00'),
    entry(3, '2026-04-15 11:30', '## Facts\n- **Releases** on Thursdays\n- more'),
  ];

  it('are days with their entries, the newest first, each with its time and first line', () => {
    expect(drawn(rowsOf(three, { dreamCursor: 3 }))).toEqual([
      '--- everything',
      'Today (2)',
      '  11:30 Facts',
      '  10:00 fact 2',
      'Monday 13 April (1)',
      '  09:00 fact 1',
    ]);
  });

  it('show where Dream has read to inside a day', () => {
    expect(drawn(rowsOf(three, { dreamCursor: 2 })).slice(0, 4)).toEqual([
      'Today (2 · 1 new)',
      '  11:30 Facts *',
      '  --- divider',
      '  10:00 fact 2',
    ]);
  });

  it('show it between two days, where a folded day does not hide it', () => {
    expect(drawn(rowsOf(three, { dreamCursor: 1 }))).toEqual([
      'Today (2 · 2 new)',
      '  11:30 Facts *',
      '  10:00 fact 2 *',
      '--- divider',
      'Monday 13 April (1)',
      '  09:00 fact 1',
    ]);
  });

  it('show it nowhere before Dream has read anything', () => {
    expect(drawn(rowsOf(three)).join()).not.toContain('divider');
  });

  it('mark entries that nobody summarised, and begin with what was said', () => {
    const raw =
      '[RAW] 4 messages that could not be summarised\n[2026-04-13 09:00] PERSON: why does it fail?\nAGENT: so';
    expect(drawn(rowsOf([entry(1, '2026-04-13 09:00', raw)]))[1]).toBe('  09:00 PERSON: why does it fail? * [raw]');
    expect(drawn(rowsOf([entry(1, '2026-04-13 09:00', '[RAW] only this')]))[1]).toBe('  09:00 only this * [raw]');
  });

  it('open the newest day only', () => {
    expect(rowsOf(three).map((row) => row.kind === 'day' && row.expanded)).toEqual([true, false]);
  });

  it('offer more of a day that is long, and of a history that goes on', () => {
    const long = Array.from({ length: DAY_STEP + 1 }, (_, n) => entry(n + 1, '2026-04-15 10:00'));
    const [day, more] = rowsOf(long, { complete: false }) as [DayRow, HistoryRow];
    expect(day.children).toHaveLength(DAY_STEP + 1);
    expect(day.children.at(-1)).toEqual({ kind: 'more', id: 'more 2026-04-15', date: '2026-04-15' });
    expect(day.description).toBe('201+ · 201+ new');
    expect(more).toEqual({ kind: 'more', id: 'more' });
    const whole = rowsOf(long, { shown: new Map([['2026-04-15', 400]]) })[0] as DayRow;
    expect(whole.children).toHaveLength(DAY_STEP + 1);
    expect(whole.children.every((row) => row.kind === 'entry')).toBe(true);
  });

  it('keep an entry without a time, an odd date and an empty text', () => {
    const odd = [entry(1, '', ''), entry(2, 'soon'), entry(3, '2026-04-15T10:00:30', '   ')];
    expect(drawn(rowsOf(odd))).toEqual([
      'Today (1 · 1 new)',
      '  10:00 (empty) *',
      'soon (1 · 1 new)',
      '   fact 2 *',
      'Without a date (1 · 1 new)',
      '   (empty) *',
    ]);
  });

  it('never give two rows one id, also where days come twice', () => {
    const mixed = [entry(1, '2026-04-15 10:00'), entry(2, '2026-04-14 10:00'), entry(3, '2026-04-15 10:00')];
    const rows = rowsOf(mixed, { dreamCursor: 2, complete: false });
    const ids = rows.flatMap((row) => [row.id, ...(row.kind === 'day' ? row.children.map(({ id }) => id) : [])]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('show with a filter the line that fits, with its words marked, and no divider', () => {
    const rows = rowsOf([entry(1, '2026-04-13 09:00', '- one\n- The Docker image of docker.io')], {
      filter: 'docker image',
      dreamCursor: 1,
    });
    const row = first(rows);
    expect(row.text).toBe('The Docker image of docker.io');
    expect(row.marks.map(([from, to]) => row.text.slice(from, to))).toEqual(['Docker', 'image', 'docker']);
    expect((rows[0] as DayRow).expanded).toBe(true);
  });

  it('begin a long line shortly before the word that was looked for', () => {
    const row = first(rowsOf([entry(1, '', `${'x '.repeat(200)}needle${' y'.repeat(200)}`)], { filter: 'needle' }));
    expect(row.text.length).toBeLessThan(170);
    expect(row.text).toMatch(/^….*needle.*…$/);
    expect(row.marks.map(([from, to]) => row.text.slice(from, to))).toEqual(['needle']);
  });

  it('mark nothing at wrong places where a letter changes its length', () => {
    const row = first(rowsOf([entry(1, '', 'İstanbul office')], { filter: 'office' }));
    expect(row.marks).toEqual([]);
  });
});

describe('the filter', () => {
  const given: HistoryEntry = {
    ...entry(1, '2026-04-13 09:00', '- Likes TEA'),
    project: '/home/me/shop',
    session_key: 'vscode:7',
  };

  it('asks for every word, in text, date, project or chat, in any case', () => {
    expect(['tea', 'likes tea', '2026-04 tea', 'shop', 'vscode:7', ''].map((words) => fits(given, words))).toEqual(
      Array(6).fill(true),
    );
    expect(['coffee', 'tea coffee'].map((words) => fits(given, words))).toEqual([false, false]);
  });
});

describe('an entry as a document', () => {
  it('says when, of which chat and project, and whether Dream has read it', () => {
    const given = { ...entry(7, '2026-04-13 09:00', '- a\n- b'), project: '/home/me/shop', session_key: 'vscode:7' };
    expect(entryDocument(given, { isRead: true, present })).toBe(
      [
        '# Monday 13 April, 09:00',
        '',
        '- Entry 7 of history.jsonl, read by Dream',
        '- Chat: `vscode:7`',
        '- Project: `/home/me/shop`',
        '',
        '---',
        '',
        '- a',
        '- b',
        '',
      ].join('\n'),
    );
  });

  it('says so where nobody summarised it', () => {
    const text = entryDocument(entry(7, '', '[RAW] 2 messages\nPERSON: hi'), { isRead: false, present });
    expect(text).toContain('# Without a date\n');
    expect(text).toContain('not read by Dream yet');
    expect(text).toContain('- Not summarised');
    expect(text).toMatch(/---\n\n2 messages\nPERSON: hi\n$/);
  });
});
