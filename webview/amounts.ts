/** By the list price, so never exact: two figures are enough. */
export function dollars(cost: number): string {
  if (cost === 0) return '$0';
  return cost < 0.01 ? '< $0.01' : `$${cost.toFixed(2)}`;
}

/** A count of tokens in short: 950, 1.2k, 64k, 1.5M. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${trimmed(count / 1000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

function trimmed(value: number): string {
  return value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value));
}
