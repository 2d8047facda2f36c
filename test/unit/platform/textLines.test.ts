import { describe, expect, it } from 'vitest';
import { changedLines, countChanges, hunksOf, linesOf, mergeLines, textLike } from '../../../src/platform/textLines.js';
import { seeded } from '../../support/killProcess.js';

function applied(before: readonly string[], after: readonly string[]): string[] {
  const made: string[] = [];
  let next = 0;
  for (const { from, to, lines, at } of hunksOf(before, after)) {
    made.push(...before.slice(next, from));
    expect(made.length).toBe(at);
    made.push(...lines);
    next = to;
  }
  return [...made, ...before.slice(next)];
}

describe('counting changes', () => {
  const cases: [string, string, string, number][] = [
    ['lines that came', '- a\n', '- a\n- b\n- c\n', 2],
    ['lines that went', '- a\n- b\n- c\n', '- b\n', 2],
    ['an edited line once', '- a\n- b\n', '- a\n- B\n', 1],
    ['an edited line and a new one below', '- a\n- b\n', '- a\n- B\n- c\n', 2],
    ['a project with one fact as one', '- a\n', '- a\n\n## Project x\n\n- b\n', 1],
    ['a new heading alone', '- a\n', '- a\n\n## Project x\n', 1],
    ['blank lines alone', '- a\n- b\n', '- a\n\n- b\n', 1],
    ['other line ends alone', '- a\n- b\n', '- a\r\n- b\r\n', 1],
    ['three places', '- a\n- b\n- c\n- d\n- e\n', '- A\n- b\n- d\n- e\n- f\n', 3],
  ];
  it.each(cases)('counts %s', (_what, before, after, count) => {
    expect(countChanges(before, after)).toBe(count);
  });

  it('tells which lines came and which went', () => {
    expect(changedLines('- a\n- b\n\n- c\n', '- a\n- B\n- c\n- d\n')).toEqual({
      added: ['- B', '- d'],
      removed: ['- b'],
    });
  });
});

describe('comparing', () => {
  it('finds what makes the one text of the other, in small and in large texts', () => {
    const random = seeded(3);
    const line = (kinds: number) => (random() < 0.2 ? '' : `line ${String(Math.floor(random() * kinds))}`);
    for (const size of [0, 1, 5, 40, 900, 3_000]) {
      for (const kinds of [3, 100_000]) {
        const before = Array.from({ length: size }, () => line(kinds));
        const after = before.flatMap((each) => (random() < 0.1 ? [] : random() < 0.1 ? [line(kinds), each] : [each]));
        expect(applied(before, after)).toEqual(after);
        expect(applied(after, before)).toEqual(before);
      }
    }
  });

  it('keeps the changes of a large text small, so that they can be taken back one by one', () => {
    const before = Array.from({ length: 5_000 }, (_, n) => (n % 4 === 0 ? '' : `fact ${String(n)}`));
    const after = before.map((each, n) => (n % 1_000 === 501 ? 'changed' : each));
    expect(hunksOf(before, after)).toHaveLength(5);
    const later = after.map((each, n) => (n % 1_000 === 503 ? 'later' : each));
    const merged = mergeLines(after, later, before);
    expect(merged).toEqual(before.map((each, n) => (n % 1_000 === 503 ? 'later' : each)));
  });

  it('stays quick with texts of equal lines that differ all over', () => {
    const before = Array.from({ length: 20_000 }, (_, n) => `fact ${String(n % 150)}`);
    const after = Array.from({ length: 22_000 }, (_, n) => `fact ${String((n * 7) % 151)}`);
    const began = performance.now();
    expect(applied(before, after)).toEqual(after);
    // A full comparison takes seconds.
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('is not misled by lines named as parts of objects', () => {
    const before = ['constructor', '__proto__', 'toString'];
    expect(applied(before, ['toString', '__proto__'])).toEqual(['toString', '__proto__']);
  });
});

describe('merging', () => {
  const merge = (base: string, ours: string, theirs: string) => mergeLines([...base], [...ours], [...theirs])?.join('');
  const cases: [string, string, string, string, string | undefined][] = [
    ['takes back a line', 'abc', 'abc', 'ac', 'ac'],
    ['keeps later lines beside it', 'abc', 'abXc', 'ac', 'aXc'],
    ['keeps later lines before it', 'abc', 'aXbc', 'ac', 'aXc'],
    ['does both where neighbours changed', 'abc', 'aBc', 'abC', 'aBC'],
    ['refuses where the same line changed', 'abc', 'aBc', 'aXc', undefined],
    ['refuses where a line was edited that is to go', 'abc', 'aBc', 'ac', undefined],
    ['refuses where something was put within what is to go', 'abcd', 'abXcd', 'ad', undefined],
    ['agrees where both did the same', 'abc', 'aXc', 'aXc', 'aXc'],
    ['puts what comes back before what came later', 'ad', 'aXd', 'abcd', 'abcXd'],
    ['makes of everything nothing', 'abc', 'abc', '', ''],
    ['keeps all where nothing is to be taken back', 'abc', 'xbz', 'abc', 'xbz'],
  ];
  it.each(cases)('%s', (_what, base, ours, theirs, merged) => {
    expect(merge(base, ours, theirs)).toBe(merged);
  });

  it('compares what is masked and keeps what is not', () => {
    const base = ['key ***', 'a', 'b', 'key ***'];
    const ours = ['key one', 'a', 'b', 'new', 'key two'];
    const masked = ['key ***', 'a', 'b', 'new', 'key ***'];
    expect(mergeLines(base, ours, ['key ***', 'b', 'key ***'], masked)).toEqual(['key one', 'b', 'new', 'key two']);
  });

  it('gives lines the form of the file they belong to', () => {
    expect(textLike(['a', 'b'], 'x\r\ny\r\n')).toBe('a\r\nb\r\n');
    expect(textLike(['a', 'b'], '\ufeffx\ny')).toBe('\ufeffa\nb');
    expect(textLike([], 'x\n')).toBe('');
    expect(linesOf('\ufeffa\r\n\r\nb')).toEqual(['a', '', 'b']);
    expect(linesOf('')).toEqual([]);
    expect(linesOf('\n\n')).toEqual(['', '']);
  });
});
