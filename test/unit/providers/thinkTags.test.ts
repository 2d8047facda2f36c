import { describe, expect, it } from 'vitest';
import { ThinkTags } from '../../../src/providers/thinkTags.js';

function run(pieces: string[]): { text: string; thinking: string } {
  const tags = new ThinkTags();
  const all = [...pieces.flatMap((piece) => tags.push(piece)), ...tags.end()];
  const of = (type: string) =>
    all
      .filter((piece) => piece.type === type)
      .map((piece) => piece.text)
      .join('');
  return { text: of('text'), thinking: of('thinking') };
}

const CASES: [string, string, { text: string; thinking: string }][] = [
  ['a leading thought', '<think>\nhm\n</think>\n\nHello', { text: 'Hello', thinking: '\nhm\n' }],
  ['thoughts between words', 'a<think>1</think>b<think>2</think>c', { text: 'abc', thinking: '12' }],
  ['a thought that never ends', 'a<think>on and on', { text: 'a', thinking: 'on and on' }],
  [
    'what only begins like a tag',
    'x <thin y </think z < think>',
    { text: 'x <thin y </think z < think>', thinking: '' },
  ],
  ['an end that looks like a tag', 'x <thi', { text: 'x <thi', thinking: '' }],
  ['a tag in inline code', 'Use `<think>` here', { text: 'Use `<think>` here', thinking: '' }],
  [
    'a tag in a code block',
    '```\n<think>\n```\n<think>t</think>end',
    { text: '```\n<think>\n```\nend', thinking: 't' },
  ],
  ['a lone backtick a line before', "it's ` odd\n<think>t</think>z", { text: "it's ` odd\nz", thinking: 't' }],
];

describe('ThinkTags', () => {
  it.each(CASES)('handles %s wherever it is cut', (_, input, expected) => {
    for (let first = 0; first <= input.length; first++) {
      for (let second = first; second <= input.length; second++) {
        expect(run([input.slice(0, first), input.slice(first, second), input.slice(second)])).toEqual(expected);
      }
    }
    expect(run([...input])).toEqual(expected);
  });

  it('gives text at once that cannot be the start of a tag', () => {
    const tags = new ThinkTags();
    expect(tags.push('Hello <')).toEqual([{ type: 'text', text: 'Hello ' }]);
    expect(tags.push('b>')).toEqual([{ type: 'text', text: '<b>' }]);
  });
});
