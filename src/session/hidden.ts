/** Message indexes out of the conversation: from the first up to, not including, the second. */
export type Range = [number, number];

/** The hidden ranges a session's metadata names; whatever is not one is ignored. */
export function rangesOf(metadata: Record<string, unknown>): Range[] {
  const hidden = metadata['hidden'];
  if (!Array.isArray(hidden)) return [];
  return (hidden as unknown[]).filter(
    (range): range is Range =>
      Array.isArray(range) && range.length === 2 && range.every((end) => Number.isInteger(end)),
  );
}

export function isHidden(ranges: readonly Range[], index: number): boolean {
  return ranges.some(([from, to]) => index >= from && index < to);
}

/** The ranges with one more, sorted and joined where they touch. */
export function addRange(ranges: readonly Range[], range: Range): Range[] {
  const joined: Range[] = [];
  for (const [from, to] of [...ranges, range].filter(([a, b]) => b > a).sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}
