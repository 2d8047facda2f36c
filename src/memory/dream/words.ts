import { stemmer } from 'stemmer';

/** Words that stand in every sentence and tell nothing of what it is about. */
const COMMON = new Set(
  (
    'the and for are was were has have had this that these those with from into not but you your they their them his her its our ' +
    'who what when where which will would can could should may must does did been being about also than then there here only ' +
    'person user agent nanobot'
  ).split(' '),
);

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

/**
 * What a text is about, for comparing texts: the stems of its words without those that every sentence has, and pairs of letters where a script
 * is written without spaces. Linear in the length.
 */
export function wordsOf(text: string): Set<string> {
  const plain = text.normalize('NFKC').toLowerCase();
  const found = new Set<string>();
  for (const [run] of plain.matchAll(WIDE)) {
    const letters = Array.from(run);
    if (letters.length === 1) found.add(run);
    for (let at = 0; at + 1 < letters.length; at++) found.add(`${letters[at] ?? ''}${letters[at + 1] ?? ''}`);
  }
  for (const [word] of plain.replace(WIDE, ' ').matchAll(/[\p{L}\p{N}]+/gu)) {
    const long = word.length > 2 || /\d/.test(word);
    if (long && word.length <= 60 && !COMMON.has(word)) found.add(stemmer(word));
  }
  return found;
}

/** The words of the one that stand in the other too. */
export function shared(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let count = 0;
  for (const word of words) if (others.has(word)) count++;
  return count;
}

/** How much of the shorter text the longer one says too: 0 for nothing in common, 1 for all of it. */
export function likeness(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  const shorter = Math.min(words.size, others.size);
  return shorter === 0 ? 0 : shared(words, others) / shorter;
}
