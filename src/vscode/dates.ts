import { dateFormat, dateOf } from '../platform/localTime.js';

/** The language of dates, as that of all words people see here. */
const LANGUAGE = 'en-GB';
const DAY_MS = 86_400_000;

/** The moment and the place in which something is told. */
export interface Present {
  /** Epoch milliseconds. */
  now: number;
  /** IANA name. */
  zone: string;
}

/** A local date for people: `today`, `yesterday`, `15 April`, with the year where it is another one. Any other text comes back as it is. */
export function dayWords(date: string, { now, zone }: Present): string {
  const today = dateOf(now, zone);
  if (date === today) return 'today';
  if (date === shifted(today, -1)) return 'yesterday';
  if (date === shifted(today, 1)) return 'tomorrow';
  return format(date, { day: 'numeric', month: 'long', ...yearUnless(date.slice(0, 4) === today.slice(0, 4)) });
}

/** As `dayWords`, to stand over what happened that day: `Today`, `Wednesday 15 April`. */
export function dayTitle(date: string, present: Present): string {
  const words = dayWords(date, present);
  if (/^(today|yesterday|tomorrow)$/.test(words)) return words.charAt(0).toUpperCase() + words.slice(1);
  const weekday = format(date, { weekday: 'long' });
  return weekday === date ? date : `${weekday} ${words}`;
}

/** A time for people: `today 15:23`, `15 April 15:23`. */
export function momentWords(time: number, present: Present): string {
  const clock = dateFormat(LANGUAGE, { timeZone: present.zone, hour: '2-digit', minute: '2-digit' });
  return `${dayWords(dateOf(time, present.zone), present)} ${clock.format(time)}`;
}

/** Dates have no zone here: each is counted as if it were in UTC. */
function shifted(date: string, days: number): string {
  return dateOf(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS, 'UTC');
}

function format(date: string, options: Intl.DateTimeFormatOptions): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : NaN;
  return Number.isNaN(time) ? date : dateFormat(LANGUAGE, { timeZone: 'UTC', ...options }).format(time);
}

function yearUnless(thisYear: boolean): Intl.DateTimeFormatOptions {
  return thisYear ? {} : { year: 'numeric' };
}

/** With a capital at its beginning. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
