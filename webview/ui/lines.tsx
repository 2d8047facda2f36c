import type { ComponentChild } from 'preact';

/** Letters that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * Text whose line breaks are kept. Chromium disorders a line from right to left that comes after one from left to right in the same block, so where there
 * may be such lines each is a block of its own.
 */
export function Lines({ text }: { text: string }): ComponentChild {
  if (!RIGHT_TO_LEFT.test(text)) return text;
  return text.split('\n').map((line) => (
    <span class="written" dir="auto">
      {line}
    </span>
  ));
}
