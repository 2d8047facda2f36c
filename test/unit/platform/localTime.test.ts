import { describe, expect, it } from 'vitest';
import { dateFormat, dateOf, localDate, localMinute, localWeekday, offsetOf } from '../../../src/platform/localTime.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';

describe('local time', () => {
  // 00:30 on Wednesday 15 April 2026 in Berlin, still the 14th in London.
  const now = Date.UTC(2026, 3, 14, 22, 30);

  it('goes by the zone of the person, now unless a time is given', () => {
    const clock = { ...nodeClock(() => 'Europe/Berlin'), now: () => now };
    expect(localDate(clock)).toBe('2026-04-15');
    expect(localMinute(clock)).toBe('2026-04-15 00:30');
    expect(localWeekday(clock)).toBe('Wednesday');
    expect(localMinute(clock, now - 3_600_000)).toBe('2026-04-14 23:30');
    expect(dateOf(now, 'Europe/London')).toBe('2026-04-14');
  });

  it('knows how far a zone is from UTC, in summer and in winter', () => {
    expect(offsetOf(now, 'Europe/Berlin')).toBe('GMT+02:00');
    expect(offsetOf(Date.UTC(2026, 0, 1), 'Europe/Berlin')).toBe('GMT+01:00');
    expect(offsetOf(now, 'Asia/Kolkata')).toBe('GMT+05:30');
    expect(offsetOf(now, 'UTC')).toMatch(/^GMT(\+00:00)?$/);
  });

  it('makes a format once for its language, form and zone', () => {
    const format = dateFormat('en-GB', { timeZone: 'UTC', weekday: 'long' });
    expect(dateFormat('en-GB', { timeZone: 'UTC', weekday: 'long' })).toBe(format);
    expect(dateFormat('en-GB', { timeZone: 'Asia/Tokyo', weekday: 'long' })).not.toBe(format);
  });
});
