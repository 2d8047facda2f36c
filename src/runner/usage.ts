import type { Usage } from '../protocol/message.js';

/** What was read and what was written, in tokens; 0 where nothing is known. */
export function tokensIn(usage: Usage | undefined): number {
  return usage ? usage.inputTokens + usage.outputTokens : 0;
}
