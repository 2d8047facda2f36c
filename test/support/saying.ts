import { expect } from 'vitest';

/** A text that holds these words, for `toEqual` and `toMatchObject`. */
export function saying(words: string | RegExp): unknown {
  return typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words);
}
