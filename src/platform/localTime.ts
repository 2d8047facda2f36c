import type { Clock } from './ports.js';

/** `2026-04-15` where the person is; `at` in epoch milliseconds, now unless given. */
export function localDate(clock: Clock, at = clock.now()): string {
  return dateOf(at, clock.zone());
}

/** `2026-04-15 15:23` where the person is. */
export function localMinute(clock: Clock, at = clock.now()): string {
  return dateFormat('sv-SE', { timeZone: clock.zone(), dateStyle: 'short', timeStyle: 'short' }).format(at);
}

/** `Wednesday` where the person is. */
export function localWeekday(clock: Clock, at = clock.now()): string {
  return dateFormat('en-US', { timeZone: clock.zone(), weekday: 'long' }).format(at);
}

/** `2026-04-15` in a zone with that IANA name; `time` in epoch milliseconds. */
export function dateOf(time: number, zone: string): string {
  return dateFormat('sv-SE', { timeZone: zone }).format(time);
}

/** Whether this is an IANA name that the system knows, such as `Europe/Berlin`. */
export function isZone(name: string): boolean {
  try {
    dateFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** How far a zone is from UTC at that moment, as `GMT+02:00`. */
export function offsetOf(time: number, zone: string): string {
  const parts = dateFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(time);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
}

/** Formats are slow to make and quick to use. There are as many as forms and zones in use, which are few. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** A format that is made at its first use. Throws a RangeError for a zone that there is not. */
export function dateFormat(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([language, options]);
  const made = formats.get(key) ?? new Intl.DateTimeFormat(language, options);
  formats.set(key, made);
  return made;
}
