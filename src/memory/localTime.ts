import type { Clock } from '../platform/ports.js';

/** `2026-04-15` where the person is; `at` in epoch milliseconds, now unless given. */
export function localDate(clock: Clock, at = clock.now()): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: clock.zone() }).format(at);
}

/** `2026-04-15 15:23` where the person is. */
export function localMinute(clock: Clock, at = clock.now()): string {
  const options = { timeZone: clock.zone(), dateStyle: 'short', timeStyle: 'short' } as const;
  return new Intl.DateTimeFormat('sv-SE', options).format(at);
}
