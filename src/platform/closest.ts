/** Changes (insert, delete, replace, swap neighbours) that turn `a` into `b`; used for "did you mean". */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((rows[i - 1]?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (rows[i - 1]?.[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (rows[i - 2]?.[j - 2] ?? 0) + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}

/**
 * The candidates a mistyped name most likely meant, nearest first: at most `limit`, only those within a third of its length or that contain it.
 * Names over 100 characters match nothing.
 */
export function closest(name: string, candidates: Iterable<string>, limit = 3): string[] {
  if (name.length === 0 || name.length > 100) return [];
  const wanted = name.toLowerCase();
  const near: { candidate: string; score: number }[] = [];
  for (const candidate of candidates) {
    if (candidate.length > 100) continue;
    const lower = candidate.toLowerCase();
    const contains = lower.includes(wanted) || (wanted.includes(lower) && lower.length > 2);
    const score = contains ? 0.5 : distance(wanted, lower);
    if (contains || score <= Math.max(1, Math.floor(name.length / 3))) near.push({ candidate, score });
  }
  return near
    .sort((left, right) => left.score - right.score)
    .slice(0, limit)
    .map((entry) => entry.candidate);
}
