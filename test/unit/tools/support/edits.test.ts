import { describe, expect, it } from 'vitest';
import { applyEdits, minimalEdit, type Edit } from '../../../../src/tools/support/edits.js';

function edit(text: string, ...edits: Edit[]): string {
  return applyEdits(text, edits, 'a.ts').text;
}

describe('applyEdits', () => {
  it('makes several edits in order, each on the result of the one before', () => {
    expect(edit('a b c', { old_text: 'a', new_text: 'x' }, { old_text: 'x b', new_text: 'y' })).toBe('y c');
  });

  it('puts in text as it is, dollar signs too', () => {
    expect(edit('a', { old_text: 'a', new_text: "$& $1 $' $$" })).toBe("$& $1 $' $$");
  });

  it('finds text whatever its line ends, and keeps those of the file', () => {
    expect(edit('a\r\nb\r\nc\r\n', { old_text: 'a\nb', new_text: 'x\ny\nz' })).toBe('x\r\ny\r\nz\r\nc\r\n');
    expect(edit('a\nb\n', { old_text: 'a\r\nb', new_text: 'x\r\ny' })).toBe('x\ny\n');
    expect(edit('a\r\nb\nc\n', { old_text: 'b', new_text: 'x' })).toBe('a\r\nx\nc\n');
    expect(edit('a\r\nb\r\nc\n', { old_text: 'b\nc\n', new_text: 'x\n' })).toBe('a\r\nx\r\n');
  });

  it('replaces all where asked, and says how often', () => {
    const result = applyEdits('a-a-a', [{ old_text: 'a', new_text: 'bb', replace_all: true }], 'a.ts');
    expect(result).toEqual({ text: 'bb-bb-bb', notes: ['replaced 3×'] });
  });

  it('lists the lines where a text is found several times', () => {
    expect(() => edit('x\ny\nx\n', { old_text: 'x', new_text: 'z' })).toThrow('2 times, at lines 1, 3');
  });

  it('ignores blanks at line ends where that leaves one place, and says so', () => {
    const result = applyEdits('if a:  \n\tb\t\nc\n', [{ old_text: 'if a:\n\tb\n', new_text: 'z\n' }], 'a.py');
    expect(result).toEqual({ text: 'z\nc\n', notes: ['matched at line 1 with blanks at line ends ignored'] });
    expect(() => edit('a  \nb \na \nb\t\n', { old_text: 'a\nb', new_text: 'x' })).toThrow('2 times, at lines 1, 3');
    expect(edit('a\nb', { old_text: 'a  \nb', new_text: 'x' })).toBe('x');
  });

  it('shows the nearest text as a diff where nothing matches', () => {
    const text = 'import x\n\nfunction add(a, b) {\n  return a + b;\n}\n';
    const wanted = 'function add(a, c) {\n  return a + c;\n}';
    expect(() => edit(text, { old_text: wanted, new_text: 'y' })).toThrow(
      /lines 3–5[\s\S]*-function add\(a, c\)[\s\S]*\+function add\(a, b\)/,
    );
  });

  it('says so where nothing is even alike, and where line numbers were copied along', () => {
    expect(() => edit('aaa\n', { old_text: 'something else entirely', new_text: '' })).toThrow('nor anything like it');
    expect(() => edit('one\ntwo\n', { old_text: '1| one\n2| two', new_text: 'x' })).toThrow(
      'leave out the line numbers',
    );
  });

  it('refuses the same text and an empty one', () => {
    expect(() => edit('a', { old_text: 'a', new_text: 'a' })).toThrow('the same');
    expect(() => edit('a\r\n', { old_text: 'a\r\n', new_text: 'a\n' })).toThrow('the same');
    expect(() => edit('a', { old_text: '', new_text: 'x' })).toThrow('empty');
  });

  it('makes none of the edits where one fails, and names it', () => {
    expect(() => edit('a b', { old_text: 'a', new_text: 'x' }, { old_text: 'q', new_text: 'y' })).toThrow(
      /^Edit 2 of 2: .*None of the edits was made/s,
    );
  });

  it('finds the nearest text in a large file by a line that is the same', () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `const value${index} = compute(${index * 7});`);
    lines[30_000] = '  unique line here;';
    const wanted = 'unique line here;\nconst other = 1;';
    expect(() => edit(lines.join('\n'), { old_text: wanted, new_text: '' })).toThrow('lines 30001–30002');
  });

  it('finds the nearest line of a file where none is the same', () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `const value${index} = compute(${index * 7});`);
    expect(() => edit(lines.join('\n'), { old_text: 'const value1900 = compute(13301);', new_text: '' })).toThrow(
      'line 1901;',
    );
  });
});

describe('minimalEdit', () => {
  it.each([
    ['abc', 'abXc', { start: 2, end: 2, text: 'X' }],
    ['abc', 'ac', { start: 1, end: 2, text: '' }],
    ['aaa', 'aaaa', { start: 3, end: 3, text: 'a' }],
    ['', 'x', { start: 0, end: 0, text: 'x' }],
    ['a\r\nb', 'a\nb', { start: 1, end: 3, text: '\n' }],
    ['a\r\n', 'a\r\n\r\n', { start: 3, end: 3, text: '\r\n' }],
    ['x😀y', 'x😁y', { start: 1, end: 3, text: '😁' }],
  ])('from %j to %j', (before, after, expected) => {
    expect(minimalEdit(before, after)).toEqual(expected);
  });

  it('always gives the new text when it is made, and never splits a pair', () => {
    const alphabet = ['a', 'b', '\r\n', '\n', '😀', '😁', '\r'];
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const text = (): string => Array.from({ length: random(8) }, () => alphabet[random(alphabet.length)]).join('');
    for (let round = 0; round < 3_000; round++) {
      const [before, after] = [text(), text()];
      const change = minimalEdit(before, after);
      if (!change) {
        expect(before).toBe(after);
        continue;
      }
      expect(before.slice(0, change.start) + change.text + before.slice(change.end)).toBe(after);
      for (const at of [change.start, change.end]) {
        expect(/\r$/.test(before.slice(0, at)) && before.slice(at).startsWith('\n')).toBe(false);
        expect(/[\ud800-\udbff]$/.test(before.slice(0, at)) && /^[\udc00-\udfff]/.test(before.slice(at))).toBe(false);
      }
    }
  });
});
