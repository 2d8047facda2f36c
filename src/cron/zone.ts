import { dateFormat } from '../platform/localTime.js';

const PARTS: Intl.DateTimeFormatOptions = {
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
};

/** A date and time of day as a clock on the wall shows it. Months count from 1. */
export interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

/** What the clocks of a zone show at this moment (epoch milliseconds), with the weekday, Sunday being 0. */
export function wallTime(at: number, zone: string): WallTime & { weekday: number } {
  const shown = new Date(at + offsetAt(at, zone));
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
    weekday: shown.getUTCDay(),
  };
}

/**
 * When the clocks of a zone show this, in epoch milliseconds. A time that they skip is the same stretch after the change; of a time that comes
 * twice it is the first. A day or month beyond its end counts on into the next.
 */
export function momentOf({ year, month, day, hour, minute }: WallTime, zone: string): number {
  const shown = Date.UTC(year, month - 1, day, hour, minute);
  const before = shown - offsetAt(shown - 86_400_000, zone);
  const after = shown - offsetAt(shown + 86_400_000, zone);
  const fitting = [before, after].filter((at) => at + offsetAt(at, zone) === shown);
  return fitting.length > 0 ? Math.min(...fitting) : before;
}

/** Milliseconds by which the clocks of a zone are ahead of UTC at this moment. */
function offsetAt(at: number, zone: string): number {
  const parts = dateFormat('en-US', { timeZone: zone, ...PARTS }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((found) => found.type === type)?.value);
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return shown - Math.floor(at / 1000) * 1000;
}
