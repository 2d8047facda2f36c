import { describe, expect, it } from 'vitest';
import { readProducts } from '../../../src/memory/summaryAnswer.js';

describe('the two products of an answer', () => {
  it('are read in the form that was asked for', () => {
    const answer =
      '<facts>\n- Likes green tea.\n- Decided on Vitest.\n</facts>\n\n<summary>\nGoal: a timer.\n</summary>';
    expect(readProducts(answer)).toEqual({
      facts: '- Likes green tea.\n- Decided on Vitest.',
      summary: 'Goal: a timer.',
    });
  });

  it.each([
    ['a fence and words around', 'Sure!\n```xml\n<facts>\n- a\n</facts>\n<summary>\ng\n</summary>\n```\nDone.'],
    ['tags in capitals, the last one never closed', '<FACTS>\n- a\n</FACTS>\n<SUMMARY>\ng'],
    ['tags that are never closed', '<facts>\n- a\n<summary>\ng'],
    ['headings', '## Facts\n- a\n\n## Working summary\ng'],
    ['bold headings', '**Facts:**\n* a\n\n**Summary**: g'],
    ['Chinese headings', '## 事实\n- a\n## 摘要\ng'],
    ['numbers in place of dashes', '<facts>\n1. a\n</facts><summary>g</summary>'],
    ['Windows line ends', '<facts>\r\n- a\r\n</facts>\r\n<summary>\r\ng\r\n</summary>'],
    ['thoughts before it', '<think><facts>- wrong</facts></think><facts>- a</facts><summary>g</summary>'],
  ])('are read from %s', (_, answer) => {
    expect(readProducts(answer)).toEqual({ facts: '- a', summary: 'g' });
  });

  it.each(['(none)', '- none', 'None.', '（无）', '', 'Nothing new', '- (nothing to note)'])(
    'tell "%s" from no list at all',
    (words) => {
      expect(readProducts(`<facts>\n${words}\n</facts><summary>g</summary>`)).toEqual({ facts: '', summary: 'g' });
    },
  );

  it.each(['', '   ', 'I cannot help with that.', 'The facts are plain, in summary.', '<summary>none</summary>'])(
    'are not there in "%s"',
    (answer) => {
      expect(readProducts(answer)).toEqual({});
    },
  );

  it('keep the headings inside a summary', () => {
    expect(readProducts('## Facts\n- a\n## Summary\nx\n## Goal\ny').summary).toBe('x\n## Goal\ny');
  });

  it('name each fact once, join wrapped lines, and keep quotations as such', () => {
    const facts = '- one\n- one\n- a long\n    line\n> "buy now" (https://example.com)\n- > a quotation';
    expect(readProducts(`<facts>\n${facts}\n</facts>`).facts).toBe(
      '- one\n- a long line\n> "buy now" (https://example.com)\n> a quotation',
    );
  });

  it('are bounded, whatever a model writes', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => `- fact number ${String(n)}`).join('\n');
    const { facts = '', summary = '' } = readProducts(`<facts>${many}</facts><summary>${'x'.repeat(1e6)}</summary>`);
    expect(facts.length).toBeLessThan(8_100);
    expect(facts.split('\n').every((line) => /^- fact number \d+$/.test(line))).toBe(true);
    expect(summary.length).toBe(12_000);
  });
});
