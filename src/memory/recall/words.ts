import { stemmer } from 'stemmer';
import WORDS from './words.md';

/** A term that stands for another one, and how much of the other's weight it carries. */
export interface Kin {
  term: string;
  weight: number;
}

/** What a word of a query may be told by instead, by how close the two are. */
const CLOSE = 0.5;
const KIND_TO_EXAMPLE = 0.4;
const EXAMPLE_TO_KIND = 0.35;
const TOPIC = 0.15;
/** From a kind to words near one of its examples: "animal" finds "puppy" by way of "dog". */
const KIND_TO_NEAR_EXAMPLE = 0.2;

/** Everyday words that belong together, read once from `words.md`. */
export interface WordTable {
  /** The first of a word's forms, for words whose forms share no stem ("went" → "go"). */
  base: ReadonlyMap<string, string>;
  /** Words that are not stemmed, because their stem is another word's. */
  whole: ReadonlySet<string>;
  /** By stem; Chinese words are their own stems. */
  kin: ReadonlyMap<string, readonly Kin[]>;
}

/** Reads the table. Takes a few milliseconds: call it once. */
export function readWordTable(): WordTable {
  const base = new Map<string, string>();
  const kin = new Map<string, Map<string, number>>();
  const relate = (from: string, to: string, weight: number) => {
    if (from === to) return;
    const known = kin.get(from) ?? new Map<string, number>();
    known.set(to, Math.max(known.get(to) ?? 0, weight));
    kin.set(from, known);
  };
  const kinds: [string, string[]][] = [];
  const entries = WORDS.split('\n').filter((line) => /^[=!:>~] /.test(line));
  for (const line of entries.filter((entry) => entry.startsWith('='))) {
    const [first = '', ...others] = wordsOf(line);
    for (const other of others) if (!base.has(other)) base.set(other, first);
  }
  const whole = new Set(entries.filter((entry) => entry.startsWith('!')).flatMap(wordsOf));
  const stem = (word: string) => stemOf(word, { base, whole });
  for (const line of entries) {
    const words = wordsOf(line).map(stem);
    const [head = '', ...members] = words;
    if (line.startsWith('>')) {
      kinds.push([head, members]);
      for (const member of members) {
        relate(head, member, KIND_TO_EXAMPLE);
        relate(member, head, EXAMPLE_TO_KIND);
      }
    } else if (!/^[=!]/.test(line)) {
      const weight = line.startsWith(':') ? CLOSE : TOPIC;
      for (const one of words) for (const other of words) relate(one, other, weight);
    }
  }
  for (const [head, members] of kinds) {
    for (const member of members) {
      for (const [other, weight] of [...(kin.get(member) ?? [])])
        if (weight === CLOSE && !kin.get(head)?.has(other)) relate(head, other, KIND_TO_NEAR_EXAMPLE);
    }
  }
  return {
    base,
    whole,
    kin: new Map(
      [...kin].map(([term, others]) => [term, [...others].map(([other, weight]) => ({ term: other, weight }))]),
    ),
  };
}

/** A lower-case word without its ending. Plurals of words that keep their ending lose the plural alone. */
export function stemOf(word: string, { base, whole }: Pick<WordTable, 'base' | 'whole'>): string {
  const first = base.get(word) ?? word;
  if (whole.has(first)) return first;
  const single = first.replace(/(?:ies|es|s)$/, (ending) => (ending === 'ies' ? 'y' : ''));
  return whole.has(single) ? single : stemmer(first);
}

function wordsOf(line: string): string[] {
  return line
    .slice(2)
    .replaceAll(':', ' ')
    .split(' ')
    .filter((word) => word !== '');
}
