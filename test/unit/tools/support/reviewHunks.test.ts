import { describe, expect, it } from 'vitest';
import { reviewHunks, sameHunk, withHunk, withoutHunk } from '../../../../src/tools/support/reviewHunks.js';
import { seeded } from '../../../support/killProcess.js';

const places = (before: string, now: string) =>
  reviewHunks(before, now).map(({ start, end, beforeStart, beforeEnd }) => [start, end, beforeStart, beforeEnd]);

describe('the places where a text differs', () => {
  it('are found where lines came, went and changed', () => {
    expect(places('a\nb\nc\nd\ne\nf\ng\n', 'a\nB\nc\nd\ne\ng\nh\n')).toEqual([
      [1, 2, 1, 2],
      [5, 7, 5, 7],
    ]);
    expect(places('', 'a\nb\n')).toEqual([[0, 2, 0, 0]]);
    expect(places('a\nb\n', '')).toEqual([[0, 0, 0, 2]]);
    expect(places('a\n', 'a')).toEqual([]);
    expect(places('a\r\nb\r\n', 'a\nb\n')).toEqual([]);
  });

  it('are one where only a line lies between', () => {
    expect(places('a\n}\nb\nc\nd\n', 'A\n}\nB\nc\nd\n')).toEqual([[0, 3, 0, 3]]);
  });

  it('are found again after the text moved, the nearest of several', () => {
    const before = 'x\n\n\n\nx\n';
    const hunks = reviewHunks(before, 'y\n\n\n\ny\n');
    const second = hunks[1];
    if (!second) throw new Error('two hunks were expected');
    const moved = reviewHunks(`new\n${before}`, 'new\ny\n\n\n\ny\n');
    expect(sameHunk(moved, second)?.start).toBe(5);
    expect(sameHunk([], second)).toBeUndefined();
  });
});

describe('taking a place back, or in', () => {
  const texts: [string, string, string][] = [
    ['lines that came', 'a\nb\n', 'a\nnew\nb\n'],
    ['lines that went', 'a\ngone\nb\n', 'a\nb\n'],
    ['the end', 'a\n', 'a\nb\n'],
    ['the end without a line end', 'a\nb', 'a\nb\nc'],
    ['a last line end that went with the change', 'a\nb\n', 'a\nc'],
    ['a last line end that came with the change', 'a\nb', 'a\nc\n'],
    ['everything', 'a\nb\n', 'x\ny\nz\n'],
    ['a new file', '', 'x\n'],
    ['an emptied file', 'x\ny\n', ''],
    ['CRLF', 'a\r\nb\r\n', 'a\r\nB\r\nc\r\n'],
    ['a BOM', '\ufeffa\nb\n', '\ufeffa\nB\n'],
  ];
  it.each(texts)('puts back and takes in %s', (_what, before, now) => {
    const [hunk] = reviewHunks(before, now);
    if (!hunk) throw new Error('a hunk was expected');
    expect(withoutHunk(before, now, hunk)).toBe(before);
    expect(withHunk(before, now, hunk)).toBe(now);
  });

  it('leaves every other byte of a text with mixed line ends', () => {
    const before = 'a\r\nb\nc\r\nd\ne\n';
    const now = 'A\r\nb\nc\r\nd\nE\n';
    const [, second] = reviewHunks(before, now);
    if (!second) throw new Error('two hunks were expected');
    expect(withoutHunk(before, now, second)).toBe('A\r\nb\nc\r\nd\ne\r\n');
  });

  it('ends at either text, whatever the order of the places', () => {
    const random = seeded(7);
    const pick = (most: number) => Math.floor(random() * most);
    for (let round = 0; round < 200; round++) {
      const line = () => 'abcdef'[pick(6)] ?? '';
      const before = Array.from({ length: pick(12) }, line)
        .map((text) => `${text}\n`)
        .join('');
      const now = Array.from({ length: pick(12) }, line)
        .map((text) => `${text}\n`)
        .join('');
      let [kept, left] = [before, now];
      for (let hunks = reviewHunks(kept, left); hunks.length > 0; hunks = reviewHunks(kept, left)) {
        const hunk = hunks[pick(hunks.length)];
        if (!hunk) break;
        const count = hunks.length;
        if (pick(2) === 0) kept = withHunk(kept, left, hunk);
        else left = withoutHunk(kept, left, hunk);
        expect(reviewHunks(kept, left).length).toBeLessThan(count);
      }
      expect(left).toBe(kept);
    }
  });
});
