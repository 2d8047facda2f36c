/** Why a signal was aborted, as an error to throw: the reason itself where it is one, else one with these words. */
export function abortError(signal: AbortSignal, words = 'Aborted'): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(words);
}

/**
 * The work's outcome, or a rejection with the signal's reason (see `abortError`) as soon as it is aborted. The work goes on then, and how it ends is no longer heard.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, words?: string): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(abortError(signal, words));
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => undefined);
  }
}
