import type { Schedule } from './schedule.js';

const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTH_NAMES = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const UNITS: [number, string][] = [
  [7 * 86_400_000, 'week'],
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];

/** A schedule for people, such as "every weekday at 09:00". `zone` is the person's own; another one is named. */
export function scheduleWords(schedule: Schedule, zone: string): string {
  switch (schedule.kind) {
    case 'at':
      return `once, on ${dateWords(schedule.atMs, zone)}`;
    case 'every':
      return stretchWords(schedule.everyMs);
    case 'cron': {
      const words = cronWords(schedule.expr.trim()) ?? `cron ${schedule.expr.trim()}`;
      return schedule.tz !== undefined && schedule.tz !== zone ? `${words} (${schedule.tz})` : words;
    }
  }
}

/** A moment for people: "Monday 4 January 2027, 09:00". */
export function dateWords(at: number, zone: string): string {
  if (!Number.isFinite(at)) return 'no date';
  const weekday = new Intl.DateTimeFormat('en-GB', { timeZone: zone, weekday: 'long' }).format(at);
  const form = { timeZone: zone, day: 'numeric', month: 'long', year: 'numeric' } as const;
  const date = `${weekday} ${new Intl.DateTimeFormat('en-GB', form).format(at)}`;
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' }).format(at);
  return `${date}, ${time}`;
}

function stretchWords(everyMs: number): string {
  for (const [unitMs, name] of UNITS) {
    const count = everyMs / unitMs;
    if (Number.isInteger(count) && count > 0) return count === 1 ? `every ${name}` : `every ${String(count)} ${name}s`;
  }
  return `every ${String(everyMs / 1000)} seconds`;
}

/** Words for the usual expressions; undefined for those that are better read as they stand. */
function cronWords(expr: string): string | undefined {
  const [minute = '', hour = '', day = '', month = '', weekday = '', ...more] = expr.toLowerCase().split(/\s+/);
  if (more.length > 0) return undefined;
  const every = /^\*\/(\d+)$/.exec(minute)?.[1];
  const isAnyDay = day === '*' && month === '*' && weekday === '*';
  if (isAnyDay && hour === '*' && every !== undefined && 60 % Number(every) === 0) return `every ${every} minutes`;
  if (isAnyDay && hour === '*' && /^\d+$/.test(minute)) return `every hour at :${two(minute)}`;
  const times = timesWords(minute, hour);
  if (times === undefined) return undefined;
  const days = daysWords(day, month, weekday);
  return days === undefined ? undefined : `${days} at ${times}`;
}

function timesWords(minute: string, hour: string): string | undefined {
  if (!/^\d{1,2}$/.test(minute) || !/^\d{1,2}(,\d{1,2})*$/.test(hour)) return undefined;
  return listed(hour.split(',').map((one) => `${two(one)}:${two(minute)}`));
}

function daysWords(day: string, month: string, weekday: string): string | undefined {
  if (day === '*' && month === '*') return weekdayWords(weekday);
  if (weekday !== '*') return undefined;
  const which = day === 'l' ? 'the last day' : /^\d{1,2}$/.test(day) ? `the ${ordinal(Number(day))}` : undefined;
  if (which === undefined) return undefined;
  if (month === '*') return `on ${which} of every month`;
  const name = /^\d{1,2}$/.test(month) ? MONTH_NAMES[Number(month) - 1] : undefined;
  return name === undefined ? undefined : `every year on ${which} of ${name}`;
}

function weekdayWords(weekday: string): string | undefined {
  if (weekday === '*') return 'every day';
  if (/^(1-5|mon-fri)$/.test(weekday)) return 'every weekday';
  if (/^(0,6|6,0|6,7|sat,sun|sun,sat)$/.test(weekday)) return 'every weekend day';
  const days = weekday.split(',').map((one) => {
    const at = /^\d$/.test(one)
      ? Number(one) % 7
      : DAY_NAMES.findIndex((name) => name.slice(0, 3).toLowerCase() === one);
    return DAY_NAMES[at];
  });
  const known = days.filter((one) => one !== undefined);
  return known.length === days.length ? `every ${listed(known)}` : undefined;
}

function listed(parts: string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}

function two(text: string): string {
  return text.padStart(2, '0');
}

function ordinal(n: number): string {
  const ending = n % 100 > 10 && n % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${String(n)}${ending}`;
}
