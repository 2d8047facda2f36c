import { t } from '@vscode/l10n';
import { dateFormat, dateOf } from '../platform/localTime.js';

/** The locale of dates. It comes with the words around them: both are in one language. */
const locale = () => t({ message: 'en-GB', comment: 'the locale of dates and times' });
const DAY_MS = 86_400_000;

/** The moment and the place in which something is told. */
export interface Present {
  /** Epoch milliseconds. */
  now: number;
  /** IANA name. */
  zone: string;
}

/** A local date for people: `today`, `yesterday`, `15 April`, with the year where it is another one. Any other text comes back as it is. */
export function dayWords(date: string, present: Present): string {
  return nearDay(date, present) ?? farDay(date, present);
}

/** As `dayWords`, to stand over what happened that day: `Today`, `Wednesday 15 April`. */
export function dayTitle(date: string, present: Present): string {
  const near = nearDay(date, present);
  return near === undefined ? farDay(date, present, 'long') : capitalised(near);
}

/** A time for people: `today 15:23`, `15 April 15:23`, with `weekday` also `Wed 15 April 15:23`. */
export function momentWords(time: number, present: Present, weekday?: 'short'): string {
  const date = dateOf(time, present.zone);
  const clock = dateFormat(locale(), { timeZone: present.zone, hour: '2-digit', minute: '2-digit' });
  return `${nearDay(date, present) ?? farDay(date, present, weekday)} ${clock.format(time)}`;
}

function nearDay(date: string, { now, zone }: Present): string | undefined {
  const today = dateOf(now, zone);
  if (date === today) return t('today');
  if (date === shifted(today, -1)) return t('yesterday');
  return date === shifted(today, 1) ? t('tomorrow') : undefined;
}

function farDay(date: string, { now, zone }: Present, weekday?: 'long' | 'short'): string {
  const thisYear = date.slice(0, 4) === dateOf(now, zone).slice(0, 4);
  const day = format(date, { day: 'numeric', month: 'long', ...(thisYear ? {} : { year: 'numeric' }) });
  if (weekday === undefined || day === date) return day;
  return t({ message: '{0} {1}', args: [format(date, { weekday }), day], comment: 'a day: Wednesday 15 April' });
}

/** Dates have no zone here: each is counted as if it were in UTC. */
function shifted(date: string, days: number): string {
  return dateOf(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS, 'UTC');
}

function format(date: string, options: Intl.DateTimeFormatOptions): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : NaN;
  return Number.isNaN(time) ? date : dateFormat(locale(), { timeZone: 'UTC', ...options }).format(time);
}

/** With a capital at its beginning. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
