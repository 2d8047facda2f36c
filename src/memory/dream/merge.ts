import { linesOf, mergeLines, textLike } from '../../platform/textLines.js';

/** Both changes of a text in one, with our line ends; undefined where they touch the same lines in different ways. */
export function mergeTexts(base: string, ours: string, theirs: string): string | undefined {
  if (ours === theirs || theirs === base) return ours;
  if (ours === base) return theirs;
  const merged = mergeLines(linesOf(base), linesOf(ours), linesOf(theirs));
  return merged && textLike(merged, ours === '' ? theirs : ours);
}
