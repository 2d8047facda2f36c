import type { Clock } from '../../../src/platform/ports.js';

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves on, running what falls due, in order. */
  advance(ms: number): Promise<void>;
  /** Resolves once something waits for the clock; with the milliseconds it waits. */
  waiting(): Promise<number>;
}

export function manualClock(start = 1_000_000): ManualClock {
  let now = start;
  const timers = new Set<{ at: number; run: () => void }>();
  let onTimer: (() => void) | undefined;

  const after: Clock['after'] = (ms, run) => {
    const timer = { at: now + ms, run };
    timers.add(timer);
    onTimer?.();
    return { dispose: () => timers.delete(timer) };
  };
  const nearest = () => [...timers].sort((left, right) => left.at - right.at)[0];

  return {
    now: () => now,
    zone: () => 'Europe/Berlin',
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const stop = () => {
          timer.dispose();
          reject(new Error('Aborted'));
        };
        if (signal?.aborted) {
          reject(new Error('Aborted'));
          return;
        }
        const timer = after(ms, () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        });
        signal?.addEventListener('abort', stop, { once: true });
      }),
    advance: async (ms) => {
      const end = now + ms;
      for (let timer = nearest(); timer && timer.at <= end; timer = nearest()) {
        timers.delete(timer);
        now = timer.at;
        timer.run();
        await Promise.resolve();
      }
      now = end;
    },
    waiting: async () => {
      while (timers.size === 0) {
        await new Promise<void>((resolve) => {
          onTimer = resolve;
        });
      }
      return (nearest()?.at ?? now) - now;
    },
  };
}
