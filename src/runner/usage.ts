import type { Usage } from '../protocol/message.js';

/** What was read and what was written, in tokens; 0 where nothing is known. */
export function tokensIn(usage: Usage | undefined): number {
  return usage ? usage.inputTokens + usage.outputTokens : 0;
}

/** Two requests' tokens together. What they cost together is known only where it is of both. */
export function sumOf(sum: Usage | undefined, usage: Usage | undefined): Usage | undefined {
  if (!usage || !sum) return usage ?? sum;
  const isNothingYet = tokensIn(sum) === 0;
  const before = isNothingYet ? 0 : sum.cost;
  return {
    inputTokens: sum.inputTokens + usage.inputTokens,
    outputTokens: sum.outputTokens + usage.outputTokens,
    cachedTokens: sum.cachedTokens + usage.cachedTokens,
    ...(usage.estimated || sum.estimated ? { estimated: true } : {}),
    ...(before === undefined || usage.cost === undefined ? {} : { cost: before + usage.cost }),
  };
}
