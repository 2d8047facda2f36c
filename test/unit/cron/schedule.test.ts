import { describe, expect, it } from 'vitest';
import { nextRun, nextRuns, pastProblem, problemOf, type Schedule } from '../../../src/cron/schedule.js';
import { scheduleWords } from '../../../src/cron/scheduleWords.js';
import { readWhen } from '../../../src/cron/whenWords.js';

const BERLIN = 'Europe/Berlin';
const NEW_YORK = 'America/New_York';
const KOLKATA = 'Asia/Kolkata';

/**
 * Written by hand from calendars and the days on which clocks change: in Berlin 29 March and 25 October 2026, in New York 8 March and 1 November
 * 2026, in Kolkata never. Expression, zone, the moment asked at, the next time; all moments in UTC.
 */
const TABLE: [string, string, string, string][] = [
  ['0 9 * * *', BERLIN, '2026-01-15T07:59:00Z', '2026-01-15T08:00:00Z'],
  ['0 9 * * *', BERLIN, '2026-01-15T08:00:00Z', '2026-01-16T08:00:00Z'],
  ['0 9 * * *', BERLIN, '2026-07-15T06:59:00Z', '2026-07-15T07:00:00Z'],
  ['0 9 * * *', NEW_YORK, '2026-01-15T13:59:00Z', '2026-01-15T14:00:00Z'],
  ['0 9 * * *', NEW_YORK, '2026-07-15T12:59:00Z', '2026-07-15T13:00:00Z'],
  ['0 9 * * *', KOLKATA, '2026-01-15T00:00:00Z', '2026-01-15T03:30:00Z'],
  ['0 9 * * *', KOLKATA, '2026-07-15T03:30:00Z', '2026-07-16T03:30:00Z'],
  // The day before, of and after the clocks go forward in Berlin.
  ['0 9 * * *', BERLIN, '2026-03-28T08:00:00Z', '2026-03-29T07:00:00Z'],
  ['30 1 * * *', BERLIN, '2026-03-28T12:00:00Z', '2026-03-29T00:30:00Z'],
  ['30 3 * * *', BERLIN, '2026-03-28T12:00:00Z', '2026-03-29T01:30:00Z'],
  // 02:30 is skipped: it comes right after the change, once.
  ['30 2 * * *', BERLIN, '2026-03-28T12:00:00Z', '2026-03-29T01:00:00Z'],
  ['30 2 * * *', BERLIN, '2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z'],
  ['0 2,14 * * *', BERLIN, '2026-03-28T20:00:00Z', '2026-03-29T01:00:00Z'],
  // Intervals go on through the change.
  ['*/30 * * * *', BERLIN, '2026-03-29T00:30:00Z', '2026-03-29T01:00:00Z'],
  ['0 * * * *', BERLIN, '2026-03-29T00:00:00Z', '2026-03-29T01:00:00Z'],
  // The clocks go back in Berlin: 02:30 comes twice and counts once.
  ['30 2 * * *', BERLIN, '2026-10-24T12:00:00Z', '2026-10-25T00:30:00Z'],
  ['30 2 * * *', BERLIN, '2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'],
  ['0 9 * * *', BERLIN, '2026-10-24T07:00:00Z', '2026-10-25T08:00:00Z'],
  ['0 * * * *', BERLIN, '2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z'],
  ['0 3 * * *', BERLIN, '2026-10-24T12:00:00Z', '2026-10-25T02:00:00Z'],
  // New York, both changes.
  ['30 2 * * *', NEW_YORK, '2026-03-07T12:00:00Z', '2026-03-08T07:00:00Z'],
  ['30 2 * * *', NEW_YORK, '2026-03-08T07:00:00Z', '2026-03-09T06:30:00Z'],
  ['0 9 * * *', NEW_YORK, '2026-03-07T14:00:00Z', '2026-03-08T13:00:00Z'],
  ['30 1 * * *', NEW_YORK, '2026-10-31T12:00:00Z', '2026-11-01T05:30:00Z'],
  ['30 1 * * *', NEW_YORK, '2026-11-01T05:30:00Z', '2026-11-02T06:30:00Z'],
  ['0 9 * * *', NEW_YORK, '2026-10-31T13:00:00Z', '2026-11-01T14:00:00Z'],
  // Weekdays: 2 January 2026 is a Friday.
  ['0 9 * * 1-5', BERLIN, '2026-01-02T08:00:00Z', '2026-01-05T08:00:00Z'],
  ['0 9 * * 0,6', BERLIN, '2026-01-02T08:00:00Z', '2026-01-03T08:00:00Z'],
  ['0 9 * * 7', BERLIN, '2026-01-02T08:00:00Z', '2026-01-04T08:00:00Z'],
  ['0 18 * * MON,THU', KOLKATA, '2026-01-02T08:00:00Z', '2026-01-05T12:30:00Z'],
  // Months, their ends, and the leap day of 2028.
  ['0 8 1 * *', BERLIN, '2026-01-01T07:00:00Z', '2026-02-01T07:00:00Z'],
  ['0 8 31 * *', BERLIN, '2026-01-31T07:00:00Z', '2026-03-31T06:00:00Z'],
  ['0 8 L * *', BERLIN, '2026-02-01T00:00:00Z', '2026-02-28T07:00:00Z'],
  ['0 8 L 2 *', BERLIN, '2028-01-01T00:00:00Z', '2028-02-29T07:00:00Z'],
  ['0 0 29 2 *', BERLIN, '2026-03-01T00:00:00Z', '2028-02-28T23:00:00Z'],
  ['0 0 29 2 *', NEW_YORK, '2026-03-01T00:00:00Z', '2028-02-29T05:00:00Z'],
  ['0 0 1 1 *', KOLKATA, '2026-06-01T00:00:00Z', '2026-12-31T18:30:00Z'],
  ['*/15 * * * *', KOLKATA, '2026-06-01T00:00:00Z', '2026-06-01T00:15:00Z'],
  // Day of the month or weekday, whichever comes first, as cron has it.
  ['0 9 13 * 5', BERLIN, '2026-01-02T08:00:00Z', '2026-01-09T08:00:00Z'],
  ['@weekly', BERLIN, '2026-01-02T08:00:00Z', '2026-01-03T23:00:00Z'],
];

describe('the next time of a cron expression', () => {
  it.each(TABLE)('%s in %s after %s', (expr, tz, after, next) => {
    const at = nextRun({ kind: 'cron', expr, tz }, Date.parse(after), { zone: 'UTC' });
    expect(new Date(at ?? NaN).toISOString()).toBe(next.replace('Z', '.000Z'));
  });

  it('takes the zone of the person where the schedule has none', () => {
    const schedule: Schedule = { kind: 'cron', expr: '0 9 * * *' };
    expect(nextRun(schedule, Date.parse('2026-01-15T00:00:00Z'), { zone: KOLKATA })).toBe(
      Date.parse('2026-01-15T03:30Z'),
    );
  });

  it('counts stretches from the moment the schedule was made', () => {
    const from = Date.parse('2026-01-15T09:07:00Z');
    const times = nextRuns({ kind: 'every', everyMs: 1_800_000 }, from + 60_000, { zone: 'UTC', from, count: 2 });
    expect(times.map((at) => new Date(at).toISOString().slice(11, 16))).toEqual(['09:37', '10:07']);
  });
});

const NOW = Date.parse('2026-04-15T13:23:00Z');

describe('a schedule that cannot be', () => {
  it.each([
    [{ kind: 'cron', expr: '0 0 30 2 *' }, 'never comes'],
    [{ kind: 'cron', expr: '* * * * * *' }, 'more than once a minute'],
    [{ kind: 'cron', expr: '0,30 0 9 * * *' }, 'more than once a minute'],
    [{ kind: 'cron', expr: '61 * * * *' }, 'no cron expression'],
    [{ kind: 'cron', expr: 'hello' }, 'five fields'],
    [{ kind: 'cron', expr: '0 9 * * *', tz: 'Mars/Olympus' }, 'no time zone "Mars/Olympus"'],
    [{ kind: 'every', everyMs: 1_000 }, 'at most once a minute'],
    [{ kind: 'every', everyMs: NaN }, 'at most once a minute'],
    [{ kind: 'at', atMs: NaN }, 'cannot be read'],
  ] as [Schedule, string][])('%j is refused in words', (schedule, words) => {
    expect(problemOf(schedule, NOW, BERLIN)).toContain(words);
  });

  it('is told the time that a past moment and the present are', () => {
    const problem = pastProblem({ kind: 'at', atMs: NOW - 60_000 }, NOW, BERLIN);
    expect(problem).toContain('2026-04-15 15:22 (Europe/Berlin) is in the past');
    expect(problem).toContain('it is 2026-04-15 15:23');
  });

  it('lets six fields pass whose seconds stand still', () => {
    expect(problemOf({ kind: 'cron', expr: '0 0 9 * * *' }, NOW, BERLIN)).toBeUndefined();
  });
});

/** 15 April 2026, a Wednesday, 15:23 in Berlin. */
const read = (text: string) => readWhen(text, { now: NOW, zone: BERLIN });

describe('words', () => {
  it.each([
    ['every weekday at 9', '0 9 * * 1-5'],
    ['Every Weekday at 9am', '0 9 * * 1-5'],
    ['weekdays at 17:30', '30 17 * * 1-5'],
    ['every day at 9:15', '15 9 * * *'],
    ['daily', '0 9 * * *'],
    ['daily at noon', '0 12 * * *'],
    ['every evening', '0 20 * * *'],
    ['every Monday and Thursday at 18:30', '30 18 * * 1,4'],
    ['every Tue, Wed and Fri at 8 pm', '0 20 * * 2,3,5'],
    ['mondays at 9', '0 9 * * 1'],
    ['every weekend at 10', '0 10 * * 0,6'],
    ['on the 1st of every month at 8', '0 8 1 * *'],
    ['monthly on 15 at 9', '0 9 15 * *'],
    ['every month on the last day at 17:00', '0 17 L * *'],
    ['every year on March 3 at 9', '0 9 3 3 *'],
    ['0 9 * * 1-5', '0 9 * * 1-5'],
    ['*/15 8-18 * * MON-FRI', '*/15 8-18 * * MON-FRI'],
    ['@daily', '@daily'],
    ['每天9点', '0 9 * * *'],
    ['每个工作日9点半', '30 9 * * 1-5'],
    ['每周一下午3点', '0 15 * * 1'],
    ['每月1号8点', '0 8 1 * *'],
    ['每个工作日 9 点', '0 9 * * 1-5'],
    ['每周一和周四 18:30', '30 18 * * 1,4'],
    ['每月 1 日 08:00', '0 8 1 * *'],
  ])('"%s" is %s', (text, expr) => {
    expect(read(text)).toEqual({ schedule: { kind: 'cron', expr } });
  });

  it.each([
    ['every 30 minutes', 1_800_000],
    ['every 2 hours', 7_200_000],
    ['every hour', 3_600_000],
    ['every two weeks', 1_209_600_000],
    ['每15分钟', 900_000],
    ['每 15 分钟', 900_000],
    ['每小时', 3_600_000],
  ])('"%s" is every %i ms', (text, everyMs) => {
    expect(read(text)).toEqual({ schedule: { kind: 'every', everyMs } });
  });

  it.each([
    ['in 20 minutes', '2026-04-15T13:43:00Z'],
    ['in an hour', '2026-04-15T14:23:00Z'],
    ['in half an hour', '2026-04-15T13:53:00Z'],
    ['in 1 hour and 30 minutes', '2026-04-15T14:53:00Z'],
    ['tomorrow at 9', '2026-04-16T07:00:00Z'],
    ['today at 17:00', '2026-04-15T15:00:00Z'],
    ['tonight at 8', '2026-04-15T18:00:00Z'],
    ['at 9', '2026-04-16T07:00:00Z'],
    ['at 16:00', '2026-04-15T14:00:00Z'],
    ['on Friday at 9', '2026-04-17T07:00:00Z'],
    ['2026-12-24 09:00', '2026-12-24T08:00:00Z'],
    ['2026-12-24T09:00:00', '2026-12-24T08:00:00Z'],
    ['2026-12-24T09:00:00.000Z', '2026-12-24T09:00:00Z'],
    ['24 December at 9', '2026-12-24T08:00:00Z'],
    ['March 3 at 9', '2027-03-03T08:00:00Z'],
    ['20分钟后', '2026-04-15T13:43:00Z'],
    ['明天9点', '2026-04-16T07:00:00Z'],
  ])('"%s" is once, at %s', (text, at) => {
    expect(read(text)).toEqual({ schedule: { kind: 'at', atMs: Date.parse(at) } });
  });

  it('take a zone behind them', () => {
    expect(read('every day at 9 America/New_York')).toEqual({
      schedule: { kind: 'cron', expr: '0 9 * * *', tz: NEW_YORK },
    });
    expect(read('2026-12-24T09:00 Asia/Kolkata')).toEqual({
      schedule: { kind: 'at', atMs: Date.parse('2026-12-24T03:30:00Z') },
    });
    expect(read('every day at 9 in Mars/Olympus')).toEqual({
      problem: expect.stringContaining('no time zone') as string,
    });
  });

  it.each([
    '',
    'soon',
    'every',
    'every 3 moons',
    'every day at 25',
    'every day at 9:75',
    'at 13 pm',
    '2026-02-30 09:00',
    'today at 9',
    'every 10 seconds',
  ])('"%s" is refused with the next step', (text) => {
    const answer = read(text);
    expect(answer).toHaveProperty('problem');
    expect('problem' in answer && answer.problem.length).toBeGreaterThan(20);
  });
});

describe('a schedule for people', () => {
  it.each([
    [{ kind: 'cron', expr: '0 9 * * 1-5' }, 'every weekday at 09:00'],
    [{ kind: 'cron', expr: '0 9,18 * * *' }, 'every day at 09:00 and 18:00'],
    [{ kind: 'cron', expr: '30 18 * * 1,4' }, 'every Monday and Thursday at 18:30'],
    [{ kind: 'cron', expr: '0 9 1 * *', tz: BERLIN }, 'on the 1st of every month at 09:00'],
    [{ kind: 'cron', expr: '0 9 L * *', tz: NEW_YORK }, 'on the last day of every month at 09:00 (America/New_York)'],
    [{ kind: 'cron', expr: '*/15 * * * *' }, 'every 15 minutes'],
    [{ kind: 'cron', expr: '*/15 8-18 * * 1-5' }, 'cron */15 8-18 * * 1-5'],
    [{ kind: 'every', everyMs: 604_800_000 }, 'every week'],
    [{ kind: 'every', everyMs: 5_400_000 }, 'every 90 minutes'],
    [{ kind: 'at', atMs: NOW }, 'once, on Wednesday 15 April 2026, 15:23'],
  ] as [Schedule, string][])('%j reads "%s"', (schedule, words) => {
    expect(scheduleWords(schedule, BERLIN)).toBe(words);
  });
});
