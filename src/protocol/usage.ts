import type { Usage } from './message.js';

/** Two requests' tokens together. What they cost together is known only where it is of both. */
export function sumOf(sum: Usage | undefined, usage: Usage | undefined): Usage | undefined {
  if (!usage || !sum) return usage ?? sum;
  const isNothingYet = sum.inputTokens + sum.outputTokens === 0;
  const before = isNothingYet ? 0 : sum.cost;
  return {
    inputTokens: sum.inputTokens + usage.inputTokens,
    outputTokens: sum.outputTokens + usage.outputTokens,
    cachedTokens: sum.cachedTokens + usage.cachedTokens,
    ...(usage.estimated || sum.estimated ? { estimated: true } : {}),
    ...(before === undefined || usage.cost === undefined ? {} : { cost: before + usage.cost }),
  };
}
