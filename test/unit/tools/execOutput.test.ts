import { describe, expect, it } from 'vitest';
import { durationText, shownOutput } from '../../../src/tools/support/commandText.js';
import { OutputWindow } from '../../../src/tools/support/outputWindow.js';
import { plainText, tailLines } from '../../../src/tools/support/terminalText.js';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('OutputWindow', () => {
  it('gives the same for every way the bytes are cut, split letters and wrapped rings included', () => {
    const text = Array.from({ length: 400 }, (_each, n) => `${String(n)} é你😀\n`).join('');
    const whole = bytes(text);
    for (const step of [1, 2, 3, 5, 7, 64, 1_000, whole.length]) {
      const window = new OutputWindow(300, 200);
      for (let at = 0; at < whole.length; at += step) window.push(whole.subarray(at, at + step));
      const { head, tail, dropped } = window.take(true);
      expect(text.startsWith(head)).toBe(true);
      expect(text.endsWith(tail)).toBe(true);
      expect(head + tail).not.toContain('\ufffd');
      expect([...head].length + [...tail].length + dropped).toBeGreaterThanOrEqual([...text].length - 2);
      expect([...head].length + [...tail].length + dropped).toBeLessThanOrEqual([...text].length);
    }
  });

  it('gives everything as one where nothing was dropped', () => {
    const window = new OutputWindow(10, 10);
    window.push(bytes('0123456789'));
    window.push(bytes('abcdefghij'));
    expect(window.take(true)).toEqual({ head: '0123456789abcdefghij', tail: '', dropped: 0 });
    expect(window.isEmpty).toBe(true);
    expect(window.take(true)).toEqual({ head: '', tail: '', dropped: 0 });
  });

  it('keeps an unfinished letter for the next taking', () => {
    const window = new OutputWindow(10, 10);
    const [first = 0, ...rest] = bytes('你');
    window.push(Uint8Array.of(97, first));
    expect(window.take(false).head).toBe('a');
    window.push(Uint8Array.from(rest));
    expect(window.take(false).head).toBe('你');
    window.push(Uint8Array.of(first));
    expect(window.take(true).head).toBe('\ufffd');
  });

  it('looks at the newest without taking it', () => {
    const window = new OutputWindow(4, 4);
    window.push(bytes('abcdefgh'));
    expect(window.newest(3)).toBe('fgh');
    expect(window.newest(8)).toBe('abcdefgh');
    window.push(bytes('ijk'));
    expect(window.newest(4)).toBe('hijk');
    expect(window.take(true)).toEqual({ head: 'abcd', tail: 'hijk', dropped: 3 });
  });
});

describe('output for the model', () => {
  it('shows up to 10,000 characters whole and cuts in the middle beyond, never through a letter', () => {
    expect(shownOutput({ head: 'x'.repeat(10_000), tail: '', dropped: 0 }, 'in F')).toBe('x'.repeat(10_000));
    const cut = shownOutput({ head: `a${'😀'.repeat(6_000)}`, tail: '', dropped: 0 }, 'all of it in F');
    expect(cut).not.toMatch(/\p{Surrogate}/u);
    expect(cut).toMatch(/… 200\d characters left out, all of it in F …/);
  });

  it('leaves no control characters and takes no long time for odd ones', () => {
    const esc = '\u001b';
    expect(plainText(`a${esc}[1;31mb${esc}[0m${esc}]8;;http://x${esc}\\c\u0007\b\0d${esc}(B\te`)).toBe('abcd\te');
    expect(plainText(`cut ${esc}[31`)).toBe('cut ');
    const began = performance.now();
    for (const odd of [`${esc}]`, `${esc}[`, '\r', `${esc}P`, 'x']) plainText(odd.repeat(40_000));
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('has the last lines without blank ones, each of a bounded length', () => {
    expect(tailLines(`1\n2\n\n3\n${'x'.repeat(500)}\n`, 3)).toBe(`2\n3\n${'x'.repeat(199)}…`);
  });

  it('says durations as people do', () => {
    expect([40, 1_240, 42_000, 125_000, 1_800_000].map(durationText)).toEqual([
      '0.0 s',
      '1.2 s',
      '42 s',
      '2 min 5 s',
      '30 min',
    ]);
  });
});
