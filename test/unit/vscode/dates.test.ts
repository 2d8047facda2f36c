import { config } from '@vscode/l10n';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dayTitle, dayWords, momentWords } from '../../../src/vscode/dates.js';

describe('dates for people', () => {
  // 00:30 on 15 April 2026 in Berlin, still the 14th in London.
  const now = Date.UTC(2026, 3, 14, 22, 30);
  const present = { now, zone: 'Europe/Berlin' };

  it('go by the zone of the person', () => {
    expect(dayWords('2026-04-15', present)).toBe('today');
    expect(dayWords('2026-04-15', { now, zone: 'Europe/London' })).toBe('tomorrow');
  });

  it('name today and yesterday, other days with their month, other years with the year', () => {
    expect(dayWords('2026-04-14', present)).toBe('yesterday');
    expect(dayWords('2026-03-02', present)).toBe('2 March');
    expect(dayWords('2025-12-31', present)).toBe('31 December 2025');
    expect(dayTitle('2026-04-15', present)).toBe('Today');
    expect(dayTitle('2026-03-02', present)).toBe('Monday 2 March');
  });

  it('know yesterday over a change of the clocks and over a new year', () => {
    expect(dayWords('2026-03-29', { now: Date.UTC(2026, 2, 29, 22, 30), zone: 'Europe/Berlin' })).toBe('yesterday');
    expect(dayWords('2025-12-31', { now: Date.UTC(2026, 0, 1, 12), zone: 'UTC' })).toBe('yesterday');
  });

  it('leave a date that is none as it is', () => {
    expect(dayWords('someday', present)).toBe('someday');
    expect(dayTitle('2026-99-99', present)).toBe('2026-99-99');
  });

  it('have the time of the clock on the wall', () => {
    expect(momentWords(now, present)).toBe('today 00:30');
    expect(momentWords(Date.UTC(2026, 2, 2, 8, 5), present)).toBe('2 March 09:05');
  });

  it('are in the language of the words around them', () => {
    config({
      contents: {
        today: '今天',
        'en-GB/the locale of dates and times': 'zh-CN',
        '{0} {1}/a day: Wednesday 15 April': '{1} {0}',
      },
    });
    onTestFinished(() => {
      config({ contents: {} });
    });
    expect(momentWords(now, present)).toBe('今天 00:30');
    expect(dayTitle('2025-12-31', present)).toBe('2025年12月31日 星期三');
    expect(momentWords(Date.UTC(2026, 2, 2, 8, 5), present, 'short')).toBe('3月2日 周一 09:05');
  });
});
