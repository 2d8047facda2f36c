import { describe, expect, it } from 'vitest';
import { batchText, chooseBatch, MAX_BATCH_TOKENS } from '../../../../src/memory/dream/batch.js';
import type { HistoryEntry } from '../../../../src/memory/historyEntry.js';
import { estimateText } from '../../../../src/memory/tokens.js';

const entry = (cursor: number, content = `- fact ${String(cursor)}`, project?: string): HistoryEntry => ({
  cursor,
  timestamp: '2026-04-15 10:00',
  content,
  ...(project === undefined ? {} : { project }),
});
const entries = (count: number) => Array.from({ length: count }, (_, n) => entry(n + 1));
const cursors = (list: readonly HistoryEntry[] | undefined) => list?.map(({ cursor }) => cursor);
const whole = { maxTokens: MAX_BATCH_TOKENS };

describe('a batch', () => {
  it('is the 20 oldest entries', () => {
    expect(chooseBatch(entries(50), whole)).toMatchObject({ from: 1, to: 20 });
    expect(chooseBatch(entries(7), whole)).toMatchObject({ from: 1, to: 7 });
    expect(chooseBatch([], whole)).toBeUndefined();
  });

  it('ends where its tokens end', () => {
    const long = Array.from({ length: 20 }, (_, n) => entry(n + 1, 'word '.repeat(5_000)));
    const batch = chooseBatch(long, whole);
    expect(batch?.entries.length).toBeLessThan(5);
    expect(batch?.entries.length).toBeGreaterThan(2);
  });

  it('takes one entry that is too long by itself, and shows its head and tail', () => {
    const huge = entry(1, `begin ${'word '.repeat(60_000)} end`);
    const batch = chooseBatch([huge, entry(2)], whole);
    expect(cursors(batch?.entries)).toEqual([1]);
    if (!batch) return;
    const text = batchText(batch, new Map(), MAX_BATCH_TOKENS);
    expect(estimateText(text)).toBeLessThan(MAX_BATCH_TOKENS * 1.05);
    expect(text).toMatch(/begin[\s\S]*end$/);
  });

  it('never parts entries with the same cursor, since the cursor moves past all of them', () => {
    const list = [...entries(19), entry(20), entry(20, '- twin'), entry(21)];
    expect(cursors(chooseBatch(list, whole)?.entries)?.at(-1)).toBe(19);
    const twins = Array.from({ length: 30 }, () => entry(1));
    expect(chooseBatch([...twins, entry(2)], whole)?.entries).toHaveLength(30);
  });

  it('that failed is tried again as it was, whatever came since', () => {
    expect(chooseBatch(entries(10), { ...whole, upTo: 4 })).toMatchObject({ from: 1, to: 4 });
  });

  it('is shown with cursor, time and the project under its name', () => {
    const batch = chooseBatch([entry(1, '- a fact', '/projects/tea'), entry(2, '- another')], whole);
    expect(batch && batchText(batch, new Map([['/projects/tea', 'tea']]), MAX_BATCH_TOKENS)).toBe(
      '### Entry 1, 2026-04-15 10:00, project tea\n- a fact\n\n### Entry 2, 2026-04-15 10:00\n- another',
    );
  });
});
