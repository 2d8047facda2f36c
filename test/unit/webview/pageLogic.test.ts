import { describe, expect, it } from 'vitest';
import { emptyState, reduce, WINDOW, type ChatState } from '../../../src/protocol/chatState.js';
import { triggerAt } from '../../../webview/composer/mentionState.js';
import { codeTokens } from '../../../webview/markdown/codeTokens.js';
import { drawable } from '../../../webview/markdown/holdBack.js';
import { pathOf, splitAtPaths } from '../../../webview/markdown/paths.js';
import { strings } from '../../../webview/strings.js';
import { mergeLoaded, reachesEnd } from '../../../webview/window.js';
import { longConversation } from '../../support/conversations.js';

describe('files in text', () => {
  it.each([
    ['src/a.ts', 'src/a.ts', undefined],
    ['src/a.ts:12', 'src/a.ts', 12],
    ['src/a.ts:12:5', 'src/a.ts', 12],
    ['package.json', 'package.json', undefined],
    ['./a/b.py', './a/b.py', undefined],
    ['../x/y.go:3', '../x/y.go', 3],
    ['/etc/app.conf', '/etc/app.conf', undefined],
    ['C:\\work\\a.ts:7', 'C:\\work\\a.ts', 7],
    ['src/文件/说明.md', 'src/文件/说明.md', undefined],
  ])('are seen in code: %s', (code, path, line) => {
    expect(pathOf(code)).toEqual({ text: code, path, ...(line ? { line } : {}) });
  });

  it.each([
    'console.log',
    'a.b.d',
    'npm test',
    'and/or',
    '1.5',
    'example.com/index.html',
    'x',
    'foo()',
    'Promise<void>',
  ])('are not seen in %s', (code) => {
    expect(pathOf(code)).toBeNull();
  });

  it('are found between words', () => {
    expect(splitAtPaths('See src/a.ts:3, then (docs/b.md) and https://x.test/c.ts or 1/2.')).toEqual([
      'See ',
      { text: 'src/a.ts:3', path: 'src/a.ts', line: 3 },
      ', then (',
      { text: 'docs/b.md', path: 'docs/b.md' },
      ') and https://x.test/c.ts or 1/2.',
    ]);
  });
});

describe('what of an unfinished block is drawn', () => {
  it.each([
    ['Text:\n-', 'Text:\n'],
    ['Text:\n--', 'Text:\n'],
    ['a\n\n1.', 'a\n\n'],
    ['a **b', 'a **b**'],
    ['a **b*', 'a **b**'],
    ['a **', 'a '],
    ['a `b', 'a `b`'],
    ['a `', 'a '],
    ['see [the d', 'see the d'],
    ['see [docs](https://x', 'see docs'],
    ['![alt](https://x', ''],
    ['| a | b |', ''],
    ['text\n\n| a |\n|--', 'text'],
    ['| a |\n|---|\n| b', '| a |\n|---|\n| b'],
    ['- x\n\n  ```js\n  a **b', '- x\n\n  ```js\n  a **b'],
    ['```j', ''],
  ])('%j is drawn as %j', (markdown, drawn) => {
    expect(drawable(markdown)).toBe(drawn);
  });
});

describe('the word to complete', () => {
  it.each([
    ['@', 1, { kind: 'mention', query: '', start: 0 }],
    ['see @src/a', 10, { kind: 'mention', query: 'src/a', start: 4 }],
    ['see @src/a now', 10, { kind: 'mention', query: 'src/a', start: 4 }],
    ['/dr', 3, { kind: 'command', query: 'dr', start: 0 }],
    ['me@host', 7, null],
    ['a /dr', 5, null],
    ['/dream now', 10, null],
    ['@a b', 4, null],
  ])('in %j at %i', (text, caret, trigger) => {
    expect(triggerAt(text, caret)).toEqual(trigger);
  });
});

describe('the window on the conversation', () => {
  const at = (first: number, end: number, total: number): ChatState => ({
    ...emptyState('k'),
    first,
    total,
    messages: longConversation(first, end),
  });
  const loaded = (direction: 'older' | 'newer' | 'around', first: number, end: number, total = 300) => ({
    type: 'loaded' as const,
    direction,
    first,
    total,
    messages: longConversation(first, end),
  });
  const ends = (state: ChatState) => [state.first, state.first + state.messages.length, reachesEnd(state)];

  it('takes older messages in and lets go of the newest', () => {
    expect(ends(mergeLoaded(at(220, 300, 300), loaded('older', 180, 220)))).toEqual([180, 180 + WINDOW, false]);
  });

  it('takes newer messages in and lets go of the oldest', () => {
    expect(ends(mergeLoaded(at(180, 260, 300), loaded('newer', 260, 300)))).toEqual([220, 300, true]);
  });

  it('ignores messages that do not join', () => {
    expect(ends(mergeLoaded(at(220, 300, 300), loaded('older', 100, 140)))).toEqual([220, 300, true]);
    expect(ends(mergeLoaded(at(180, 260, 300), loaded('newer', 280, 300, 301)))).toEqual([180, 260, false]);
  });

  it('leaves older answers alone when the live one is not loaded', () => {
    const state = at(180, 260, 300);
    expect(reduce(state, { type: 'tool_start', callId: 'c', name: 'exec', summary: 's', args: '{}', at: 1 })).toBe(
      state,
    );
    expect(reduce(state, { type: 'turn_end', turnId: 't', status: 'done', ms: 1 }).messages).toBe(state.messages);
  });

  it('jumps to a place', () => {
    expect(ends(mergeLoaded(at(220, 300, 300), loaded('around', 10, 60)))).toEqual([10, 60, false]);
  });
});

it('durations and tokens read well', () => {
  expect([5, 430, 1_200, 59_400, 61_000, 3_720_000].map(strings.duration)).toEqual([
    '5 ms',
    '0.4 s',
    '1 s',
    '59 s',
    '1 min 1 s',
    '1 h 2 min',
  ]);
  expect([999, 1_000, 12_345, 200_000, 999_999, 1_500_000].map((count) => strings.window(count))).toEqual([
    '999 window',
    '1k window',
    '12k window',
    '200k window',
    '1M window',
    '1.5M window',
  ]);
});

describe('the colours of code', () => {
  const coloured = (code: string, language: string) =>
    codeTokens(code, language).map(({ kind, start, end }) => `${kind} ${code.slice(start, end)}`);

  it('follow the language', () => {
    expect(coloured('const a = "x // y"; // z 1\nreturn 0x1f;', 'ts')).toEqual([
      'keyword const',
      'string "x // y"',
      'comment // z 1',
      'keyword return',
      'number 0x1f',
    ]);
    expect(coloured("def f(x):  # two\n  return 'a#b'", 'python')).toEqual([
      'keyword def',
      'comment # two',
      'keyword return',
      "string 'a#b'",
    ]);
    expect(coloured('port: 80 # here', 'yaml')).toEqual(['keyword port', 'number 80', 'comment # here']);
    expect(coloured('select a from t -- b', 'SQL')).toEqual(['keyword select', 'keyword from', 'comment -- b']);
    expect(coloured('<a href="x">1</a>', 'html')).toEqual([
      'keyword <a',
      'string "x"',
      'keyword >',
      'number 1',
      'keyword </a',
      'keyword >',
    ]);
  });

  it('leave unknown languages and very long blocks alone', () => {
    expect(coloured('const a', 'klingon')).toEqual([]);
    expect(coloured('const a\n'.repeat(10_000), 'ts')).toEqual([]);
  });

  it('take no longer for odd code', () => {
    for (const odd of ['"', '`', "'", '/*', '\\"', '<!--', '0x', 'a.', '-']) {
      const started = performance.now();
      for (const language of ['ts', 'py', 'html', 'css', 'sql', 'yaml'])
        codeTokens(odd.repeat(39_000 / odd.length), language);
      expect(performance.now() - started).toBeLessThan(2_000);
    }
  });
});
