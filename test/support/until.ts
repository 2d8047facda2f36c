import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Looks again and again until `look` gives something other than undefined, null or false, and resolves with that.
 * Rejects after `timeout` milliseconds with a message that says what was awaited.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  timeout = 20_000,
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = Date.now() + timeout;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false) return seen as Exclude<T, undefined | null | false>;
    if (Date.now() > deadline) throw new Error(`Waited ${timeout} ms in vain for ${what}.`);
    await sleep(25);
  }
}
