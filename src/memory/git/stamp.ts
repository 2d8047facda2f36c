import { offsetOf } from '../../platform/localTime.js';

/** `20260415T152300Z`, for names of files that were set aside. */
export function timeStamp(time: number): string {
  return new Date(time).toISOString().replace(/[-:]/g, '').replace(/\..*$/, 'Z');
}

/** Minutes to add to a zone's local time for UTC at that moment, as git's library counts them: −120 for Berlin in summer. */
export function zoneOffset(time: number, zone: string): number {
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(offsetOf(time, zone)) ?? [];
  const offset = Number(hours) * 60 + Number(minutes);
  return sign === '+' ? -offset : offset;
}
