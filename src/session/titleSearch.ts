import { Fzf } from 'fzf';

/** A title that matches, the best first, and the pieces of it that do: each from a character up to, not including, another. */
export interface TitleHit<Row> {
  row: Row;
  marks: [from: number, to: number][];
}

/** Letters that are scattered over more than so many times their number are no match that a person meant. */
const MOST_SCATTERED = 4;

/** What is used of fzf, whose own types do not resolve in an ES module. */
interface Finder<Row> {
  find(query: string): { item: Row; positions: Set<number> }[];
}

/**
 * Finds titles by some of their letters in their order, accents and case ignored (capitals count where the query has one). Rows that match equally well
 * keep their order. At most `limit`.
 */
export function findTitles<Row extends { title: string }>(
  rows: readonly Row[],
  query: string,
  limit: number,
): TitleHit<Row>[] {
  const words = query.trim();
  if (words === '') return [];
  const selector = ({ title }: Row) => title;
  const finder = new Fzf<readonly Row[]>(rows, { selector }) as unknown as Finder<Row>;
  const hits: TitleHit<Row>[] = [];
  for (const { item, positions } of finder.find(words)) {
    const sorted = [...positions].sort((a, b) => a - b);
    const spread = (sorted.at(-1) ?? 0) - (sorted[0] ?? 0) + 1;
    if (spread > words.length * MOST_SCATTERED) continue;
    hits.push({ row: item, marks: piecesOf(sorted) });
    if (hits.length === limit) break;
  }
  return hits;
}

function piecesOf(positions: readonly number[]): [number, number][] {
  const pieces: [number, number][] = [];
  for (const at of positions) {
    const last = pieces.at(-1);
    if (last && last[1] === at) last[1] = at + 1;
    else pieces.push([at, at + 1]);
  }
  return pieces;
}
