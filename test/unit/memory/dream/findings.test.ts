import { describe, expect, it } from 'vitest';
import { lineOf, MAX_FINDINGS, parseFindings } from '../../../../src/memory/dream/findings.js';
import { saying } from '../../../support/saying.js';

const found = (answer: string) => {
  const parsed = parseFindings(answer);
  return parsed.kind === 'findings' ? parsed.findings : parsed;
};

describe('the findings of the first phase', () => {
  it('are one a line, of every kind', () => {
    const answer = [
      '[USER] Lives in Berlin',
      '[SOUL] Answer in short sentences',
      '[MEMORY] (project tea) The timer counts seconds',
      '[USER-REMOVE] "- Lives in Munich": moved',
      '[SOUL-REMOVE] The line about jokes',
      '[MEMORY-REMOVE] The release of March is over',
      '[FILE] Likes green tea',
      '[FILE-REMOVE] The old address',
      '[SKILL] release-notes: Use when the person asks for release notes',
    ].join('\n');
    expect(found(answer)).toEqual([
      { kind: 'add', file: 'USER.md', text: 'Lives in Berlin' },
      { kind: 'add', file: 'SOUL.md', text: 'Answer in short sentences' },
      { kind: 'add', file: 'memory/MEMORY.md', text: '(project tea) The timer counts seconds' },
      { kind: 'remove', file: 'USER.md', text: '"- Lives in Munich": moved' },
      { kind: 'remove', file: 'SOUL.md', text: 'The line about jokes' },
      { kind: 'remove', file: 'memory/MEMORY.md', text: 'The release of March is over' },
      { kind: 'add', text: 'Likes green tea' },
      { kind: 'remove', text: 'The old address' },
      { kind: 'skill', name: 'release-notes', text: 'Use when the person asks for release notes' },
    ]);
    const findings = parseFindings(answer);
    expect(findings.kind === 'findings' && findings.findings.map(lineOf).join('\n')).toBe(answer);
  });

  it.each([
    '- [USER] Lives in Berlin',
    '* **[USER]** Lives in Berlin',
    '1. `[USER]` Lives in Berlin',
    '[USER.md] Lives in Berlin',
    '[user]: Lives in Berlin',
    'Here is what I found:\n\n```\n[USER] Lives in Berlin\n```',
    '[USER] Lives in Berlin\n[USER] lives  in Berlin',
    '[USER] Lives in Berlin\r\n[SKIP]\r\n',
  ])('are understood as models write them: %j', (answer) => {
    expect(found(answer)).toEqual([{ kind: 'add', file: 'USER.md', text: 'Lives in Berlin' }]);
  });

  it('in Chinese are kept as they are', () => {
    expect(found('[USER] 喜欢简短的回答\n[SKILL] fa-bu: 用于发布新版本')).toEqual([
      { kind: 'add', file: 'USER.md', text: '喜欢简短的回答' },
      { kind: 'skill', name: 'fa-bu', text: '用于发布新版本' },
    ]);
  });

  it('may be none', () => {
    expect(parseFindings('[SKIP]')).toEqual({ kind: 'skip' });
    expect(parseFindings('- **[SKIP]** nothing new')).toEqual({ kind: 'skip' });
  });

  it.each([
    ['nothing', ''],
    ['blank lines', '\n \n'],
    ['prose', 'The person talked about tea. They seem to like green tea, and [MEMORY] is where I would put that.'],
    [
      'an error page',
      '<html><head><title>502 Bad Gateway</title></head><body>\n<center>nginx</center>\n</body></html>',
    ],
    ['a JSON error', '{"error":{"message":"overloaded"}}'],
    ['facts without words', '[USER] -\n[MEMORY] …'],
    ['one finding in a long essay', `[USER] Lives in Berlin\n${'And then they said something else.\n'.repeat(12)}`],
    ['skills without a name that could be one', '[SKILL] Release Notes: for releases\n[SKILL] ../x: y'],
  ])('are not found in %s', (_, answer) => {
    expect(parseFindings(answer)).toMatchObject({ kind: 'unusable', reason: saying(/./) });
  });

  it('are bounded: a thousand are refused, and one that never ends is cut', () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `[MEMORY] fact ${String(n)}`).join('\n');
    expect(parseFindings(many(1000))).toMatchObject({ kind: 'unusable', reason: saying('1000') });
    expect(parseFindings(many(MAX_FINDINGS))).toMatchObject({ kind: 'findings' });
    const [long] = found(`[MEMORY] ${'x'.repeat(10_000)}`) as { text: string }[];
    expect(long?.text).toHaveLength(600);
  });

  it('are found in a very long answer at once', () => {
    const answer = `${'a'.repeat(200_000)}\n${'[USER] '.repeat(30_000)}\n${'- '.repeat(50_000)}`;
    const before = performance.now();
    parseFindings(answer);
    expect(performance.now() - before).toBeLessThan(500);
  });
});
