import { abortError } from './abort.js';
import type { Clock } from './ports.js';

/** The machine's clock. `zone` is an IANA name that replaces the system's. */
export function nodeClock(zone?: () => string | undefined): Clock {
  return {
    now: () => Date.now(),
    zone: () => zone?.() ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return {
        dispose: () => {
          clearTimeout(timer);
        },
      };
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(abortError(signal));
          return;
        }
        const aborted = () => {
          clearTimeout(timer);
          if (signal) reject(abortError(signal));
        };
        const timer = setTimeout(() => {
          signal?.removeEventListener('abort', aborted);
          resolve();
        }, ms);
        signal?.addEventListener('abort', aborted, { once: true });
      }),
  };
}
