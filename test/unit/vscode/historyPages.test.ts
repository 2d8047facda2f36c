import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HistoryFile } from '../../../src/memory/history.js';
import { DAY_STEP, type DayRow, type HistoryRow } from '../../../src/vscode/historyItems.js';
import { HistoryPages, PAGE } from '../../../src/vscode/historyPages.js';
import { historyAt } from '../../support/history.js';
import { tempHome } from '../../support/tempHome.js';

const present = () => ({ now: Date.UTC(2026, 3, 15, 12), zone: 'UTC' });

/** Pages over a real history of so many entries, of which so many fall on a day. */
async function pagesOver(count: number, { aDay = count, content = (n: number) => `- fact ${String(n)}` } = {}) {
  const { home } = await tempHome();
  mkdirSync(join(home, 'memory'), { recursive: true });
  const path = join(home, 'memory', 'history.jsonl');
  const line = (n: number) => {
    const date = new Date(Date.UTC(2025, 0, 1 + Math.floor((n - 1) / aDay))).toISOString().slice(0, 10);
    return `${JSON.stringify({ cursor: n, timestamp: `${date} 10:00`, content: content(n) })}\n`;
  };
  writeFileSync(path, Array.from({ length: count }, (_, n) => line(n + 1)).join(''));
  writeFileSync(join(home, 'memory', '.cursor'), String(count));
  writeFileSync(join(home, 'memory', '.dream_cursor'), '0');
  const { history } = historyAt(home);
  const asked: number[] = [];
  const counting: Pick<HistoryFile, 'newest' | 'dreamCursor'> = {
    newest: (many, before) => {
      asked.push(many);
      return history.newest(many, before);
    },
    dreamCursor: () => history.dreamCursor(),
  };
  const append = (n: number) => {
    appendFileSync(path, line(n));
  };
  return { pages: new HistoryPages(counting, present), history, asked, append };
}

const days = (rows: HistoryRow[]) => rows.filter((row): row is DayRow => row.kind === 'day');
const entriesIn = (rows: HistoryRow[]) =>
  days(rows).flatMap(({ children }) => children.filter(({ kind }) => kind === 'entry'));
const offersMore = (rows: HistoryRow[]) => rows.at(-1)?.kind === 'more';

describe('the pages of the history', () => {
  it('reads one page of 10,000 undigested entries for the first picture, and shows 200 of its day', async () => {
    const { pages, asked } = await pagesOver(10_000);
    const rows = await pages.rows();
    expect(asked).toEqual([PAGE]);
    expect(entriesIn(rows)).toHaveLength(DAY_STEP);
    expect(entriesIn(rows)[0]?.id).toBe('entry 10000');
    expect(offersMore(rows)).toBe(true);
    await pages.rows();
    expect(asked).toEqual([PAGE]);
  });

  it('shows more of a day, 200 at a time, and reads on only when it has to', async () => {
    const { pages, asked } = await pagesOver(1_200);
    await pages.rows();
    await pages.more('2025-01-01');
    expect(entriesIn(await pages.rows())).toHaveLength(2 * DAY_STEP);
    expect(asked).toHaveLength(1);
    for (let step = 0; step < 4; step += 1) await pages.more('2025-01-01');
    const rows = await pages.rows();
    expect(entriesIn(rows)).toHaveLength(1_200);
    expect(offersMore(rows)).toBe(false);
    expect(days(rows)[0]?.children.at(-1)?.kind).toBe('entry');
    expect(asked).toHaveLength(3);
  });

  it('goes back until there is another day', async () => {
    const { pages } = await pagesOver(3_000, { aDay: 1_500 });
    expect(days(await pages.rows()).map(({ id }) => id)).toEqual(['day 2025-01-02']);
    await pages.more();
    const rows = await pages.rows();
    expect(days(rows).map(({ id }) => id)).toEqual(['day 2025-01-02', 'day 2025-01-01']);
    expect(days(rows)[0]?.description).toContain('1,500 ');
  });

  it('shows what another process appends, and what it had shown before', async () => {
    const { pages, append } = await pagesOver(700, { aDay: 1_000 });
    await pages.rows();
    await pages.more();
    append(701);
    pages.invalidate();
    const rows = await pages.rows();
    expect(entriesIn(rows)[0]?.id).toBe('entry 701');
    expect(days(rows)[0]?.description).toBe('701 · 701 new');
  });

  it('moves the divider when Dream has read', async () => {
    const { pages, history } = await pagesOver(3);
    expect(JSON.stringify(await pages.rows())).not.toContain('divider');
    await history.setDreamCursor(2);
    pages.invalidate();
    expect(days(await pages.rows())[0]?.children.map(({ id }) => id)).toEqual([
      'entry 3',
      'divider',
      'entry 2',
      'entry 1',
    ]);
  });

  it('finds with a filter what lies far back, and reads no further than it has to', async () => {
    const { pages, asked } = await pagesOver(10_000, {
      content: (n) => (n === 1 ? 'the Needle' : n % 5 ? 'hay' : 'straw'),
    });
    await pages.rows();
    pages.setFilter('  needle ');
    expect(pages.filter).toBe('needle');
    expect(entriesIn(await pages.rows()).map(({ id }) => id)).toEqual(['entry 1']);
    asked.length = 0;
    pages.setFilter('straw');
    const rows = await pages.rows();
    expect(entriesIn(rows).length).toBeGreaterThanOrEqual(DAY_STEP);
    expect(asked.length).toBeLessThanOrEqual(3);
    pages.setFilter('nothing like it');
    expect(await pages.rows()).toEqual([]);
    pages.setFilter('');
    expect(entriesIn(await pages.rows())).toHaveLength(DAY_STEP);
  });

  it('never shows what an earlier filter found, also where it changes while it reads', async () => {
    const { history } = await pagesOver(2_000, { content: (n) => (n % 2 ? 'odd' : 'even') });
    const pages = new HistoryPages(
      {
        newest: (...args) => {
          if (pages.filter === 'odd') pages.setFilter('even');
          return history.newest(...args);
        },
        dreamCursor: () => history.dreamCursor(),
      },
      present,
    );
    pages.setFilter('odd');
    const texts = entriesIn(await pages.rows()).map((row) => (row.kind === 'entry' ? row.text : ''));
    expect(new Set(texts)).toEqual(new Set(['even']));
  });

  it('reads again after it could not', async () => {
    const { pages, history } = await pagesOver(2);
    let broken = true;
    const failing = new HistoryPages(
      {
        newest: (...args) => (broken ? Promise.reject(new Error('EACCES: no')) : history.newest(...args)),
        dreamCursor: () => history.dreamCursor(),
      },
      present,
    );
    await expect(failing.rows()).rejects.toThrow('EACCES');
    broken = false;
    expect(entriesIn(await failing.rows())).toHaveLength(2);
    expect(entriesIn(await pages.rows())).toHaveLength(2);
  });
});
