import { translated, type Translate } from '../platform/words.js';
import type { Schedule } from './schedule.js';

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const UNITS = [
  [7 * 86_400_000, 'week'],
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
] as const;

/** A schedule in words, such as "every weekday at 09:00". `zone` is the person's own; another one is named. */
export function scheduleWords(schedule: Schedule, zone: string, t: Translate = translated): string {
  switch (schedule.kind) {
    case 'at':
      return t('once, on {0}', dateWords(schedule.atMs, zone, t));
    case 'every':
      return stretchWords(schedule.everyMs, t);
    case 'cron': {
      const words = cronWords(schedule.expr.trim(), t) ?? `cron ${schedule.expr.trim()}`;
      return schedule.tz !== undefined && schedule.tz !== zone ? `${words} (${schedule.tz})` : words;
    }
  }
}

/** "Monday 4 January 2027, 09:00". */
function dateWords(at: number, zone: string, t: Translate): string {
  if (!Number.isFinite(at)) return t('no date');
  const locale = t({ message: 'en-GB', comment: 'the locale of dates and times' });
  const shown = (form: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone: zone, ...form }).format(at);
  const weekday = shown({ weekday: 'long' });
  const date = shown({ day: 'numeric', month: 'long', year: 'numeric' });
  const time = shown({ hour: '2-digit', minute: '2-digit' });
  return t({ message: '{0} {1}, {2}', args: [weekday, date, time], comment: 'weekday, date and time' });
}

function stretchWords(everyMs: number, t: Translate): string {
  for (const [unitMs, name] of UNITS) {
    const count = everyMs / unitMs;
    if (!Number.isInteger(count) || count <= 0) continue;
    switch (name) {
      case 'week':
        return count === 1 ? t('every week') : t('every {0} weeks', count);
      case 'day':
        return count === 1 ? t('every day') : t('every {0} days', count);
      case 'hour':
        return count === 1 ? t('every hour') : t('every {0} hours', count);
      case 'minute':
        return count === 1 ? t('every minute') : t('every {0} minutes', count);
    }
  }
  return t('every {0} seconds', everyMs / 1000);
}

/** Words for the usual expressions; undefined for those that are better read as they stand. */
function cronWords(expr: string, t: Translate): string | undefined {
  const [minute = '', hour = '', day = '', month = '', weekday = '', ...more] = expr.toLowerCase().split(/\s+/);
  if (more.length > 0) return undefined;
  const every = /^\*\/(\d+)$/.exec(minute)?.[1];
  const isAnyDay = day === '*' && month === '*' && weekday === '*';
  if (isAnyDay && hour === '*' && every !== undefined && 60 % Number(every) === 0) return t('every {0} minutes', every);
  if (isAnyDay && hour === '*' && /^\d+$/.test(minute)) return t('every hour at :{0}', two(minute));
  const times = timesWords(minute, hour, t);
  if (times === undefined) return undefined;
  const days = daysWords(day, month, weekday, t);
  return days && t({ message: '{0} at {1}', args: [days, times], comment: 'days and their times' });
}

function timesWords(minute: string, hour: string, t: Translate): string | undefined {
  if (!/^\d{1,2}$/.test(minute) || !/^\d{1,2}(,\d{1,2})*$/.test(hour)) return undefined;
  return listed(
    hour.split(',').map((one) => `${two(one)}:${two(minute)}`),
    t,
  );
}

function daysWords(day: string, month: string, weekday: string, t: Translate): string | undefined {
  if (day === '*' && month === '*') return weekdayWords(weekday, t);
  if (weekday !== '*') return undefined;
  const date = /^\d{1,2}$/.test(day) ? ordinal(Number(day), t) : undefined;
  if (day !== 'l' && date === undefined) return undefined;
  if (month === '*')
    return date === undefined ? t('on the last day of every month') : t('on the {0} of every month', date);
  const name = /^\d{1,2}$/.test(month) ? monthNames(t)[Number(month) - 1] : undefined;
  if (name === undefined) return undefined;
  return date === undefined
    ? t('every year on the last day of {0}', name)
    : t('every year on the {0} of {1}', date, name);
}

function weekdayWords(weekday: string, t: Translate): string | undefined {
  if (weekday === '*') return t('every day');
  if (/^(1-5|mon-fri)$/.test(weekday)) return t('every weekday');
  if (/^(0,6|6,0|6,7|sat,sun|sun,sat)$/.test(weekday)) return t('every weekend day');
  const names = dayNames(t);
  const days = weekday.split(',').map((one) => names[/^\d$/.test(one) ? Number(one) % 7 : DAYS.indexOf(one)]);
  const known = days.filter((one) => one !== undefined);
  return known.length === days.length ? t('every {0}', listed(known, t)) : undefined;
}

function dayNames(t: Translate): string[] {
  return [t('Sunday'), t('Monday'), t('Tuesday'), t('Wednesday'), t('Thursday'), t('Friday'), t('Saturday')];
}

function monthNames(t: Translate): string[] {
  return [
    ...[t('January'), t('February'), t('March'), t('April'), t('May'), t('June')],
    ...[t('July'), t('August'), t('September'), t('October'), t('November'), t('December')],
  ];
}

function listed(parts: string[], t: Translate): string {
  if (parts.length < 2) return parts.join('');
  const last = parts.at(-1) ?? '';
  return t({
    message: '{0} and {1}',
    args: [parts.slice(0, -1).join(t({ message: ', ', comment: 'between the parts of a list' })), last],
    comment: 'the last of a list',
  });
}

function two(text: string): string {
  return text.padStart(2, '0');
}

function ordinal(n: number, t: Translate): string {
  const ending = n % 100 > 10 && n % 100 < 14 ? 0 : n % 10;
  return ending === 1 ? t('{0}st', n) : ending === 2 ? t('{0}nd', n) : ending === 3 ? t('{0}rd', n) : t('{0}th', n);
}
