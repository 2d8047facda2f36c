import { describe, expect, it } from 'vitest';
import { explainText, fixText, MAX_QUOTE, placeWords, quoted, terminalQuote } from '../../../src/vscode/askTexts.js';
import { enclosingFunction, type SymbolNode } from '../../../src/vscode/symbols.js';

describe('what asks to explain', () => {
  it('names what is meant and where it stands', () => {
    const lines = { label: 'src/a.ts', startLine: 3, endLine: 9 };
    expect(explainText({ ...lines, selected: true })).toBe('Explain the selected code (src/a.ts, lines 3–9).');
    expect(explainText({ ...lines, name: 'fits', selected: false })).toBe('Explain `fits` (src/a.ts, lines 3–9).');
    expect(explainText({ label: 'a.ts', selected: false })).toBe('Explain what this file does (a.ts).');
    expect(placeWords({ label: 'a.ts', startLine: 3, endLine: 3 })).toBe('a.ts, line 3');
  });

  it('quotes what is no file, in a fence that nothing in it can close', () => {
    const text = explainText({ label: 'Untitled-1', selected: false }, { text: 'a\n```\nb\n', language: 'markdown' });
    expect(text).toBe('Explain what this file does (Untitled-1).\n\n````markdown\na\n```\nb\n````');
    expect(quoted('x'.repeat(100_000)).length).toBeLessThan(MAX_QUOTE + 20);
  });
});

describe('what asks to fix', () => {
  const problem = { line: 3, message: 'Expected\n  comma', origin: 'json(514)', severity: 'error', related: [] };

  it('tells the problem, who says so, and what it is related to', () => {
    const related = [{ place: 'b.ts:7', message: 'declared here' }];
    expect(fixText('a.json', [{ ...problem, related }], { canEdit: true })).toBe(
      'Fix this problem in a.json:\n\n- line 3 (error, json(514)): Expected comma\n  - see b.ts:7: declared here',
    );
  });

  it('lists several up to a limit, and asks for words where nothing can be edited', () => {
    const text = fixText('a.json', Array<typeof problem>(25).fill({ ...problem, origin: '' }), { canEdit: false });
    expect(text).toMatch(/^Explain these 25 problems in a\.json, and how to fix them:/);
    expect(text.match(/- line 3 \(error\)/g)).toHaveLength(20);
    expect(text).toMatch(/… and 5 more$/);
  });
});

it('quotes a terminal without its escape codes', () => {
  expect(terminalQuote('\u001b[31mred\u001b[0m\r\nnext\u0007  \n\n', 'bash')).toBe(
    'From the terminal bash:\n\n```\nred\nnext\n```\n',
  );
});

describe('the function around a line', () => {
  const symbol = (name: string, kind: number, first: number, last: number, children: SymbolNode[] = []) => {
    const range = { start: { line: first, character: 0 }, end: { line: last, character: 1 } };
    return { name, kind, range, children };
  };
  const method = symbol('fits', 5, 4, 8, [symbol('sum', 12, 5, 5)]);
  const symbols = [symbol('Shelf', 4, 2, 20, [method]), symbol('arrow', 13, 22, 26), symbol('one', 13, 28, 28)];

  it.each([
    [6, 'fits'],
    [5, 'fits'],
    [15, undefined],
    [24, 'arrow'],
    [28, undefined],
    [40, undefined],
  ])('line %i: %s', (line, name) => {
    expect(enclosingFunction(symbols, line)?.name).toBe(name);
  });

  it('knows nothing of the flat form', () => {
    expect(enclosingFunction([{ name: 'x', kind: 11 } as unknown as SymbolNode], 3)).toBeUndefined();
  });
});
