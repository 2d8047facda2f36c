import { stemmer } from 'stemmer';
import { placeOf, type Corpus, type Question } from './recallCorpus.js';

/** What ours is compared with: BM25 over single turns, plain or with stop words, stems and prefixes. */
export interface Baseline {
  name: string;
  stop: boolean;
  stem: boolean;
  prefix: boolean;
}

export const PLAIN: Baseline = { name: 'BM25', stop: false, stem: false, prefix: false };
export const IMPROVED: Baseline = { name: 'BM25 + stop words, stems, prefixes', stop: true, stem: true, prefix: true };

const STOP = new Set(
  'a an the and or but of to in on at for with from by is are was were be been do does did have has had i you he she it we they me him her us them my your his its our their what when where who whom why how which that this these those as not no so if then than about into out up down will would can could should may'.split(
    ' ',
  ),
);
const K1 = 1.2;
const B = 0.75;

/** For each question, the places of the first `count` turns that the baseline finds. Chinese is searched by single characters. */
export function searchBaseline(corpus: Corpus, kind: Baseline, count: number): Map<Question, string[]> {
  const turns = corpus.turns.map((turn) => ({ turn, words: wordsOf(`${turn.speaker}: ${turn.text}`, kind) }));
  const mean = turns.reduce((sum, { words }) => sum + words.length, 0) / turns.length;
  const found = new Map<Question, string[]>();
  for (const question of corpus.questions) {
    const scores = turns.map(() => 0);
    for (const word of new Set(wordsOf(question.text, kind))) {
      const times = turns.map(
        ({ words }) => words.filter((other) => other === word || isPrefix(other, word, kind)).length,
      );
      const having = times.filter((each) => each > 0).length;
      const rarity = Math.log(1 + (turns.length - having + 0.5) / (having + 0.5));
      for (const [at, each] of times.entries()) {
        const length = 1 - B + (B * (turns[at]?.words.length ?? 0)) / mean;
        scores[at] = (scores[at] ?? 0) + (rarity * each * (K1 + 1)) / (each + K1 * length);
      }
    }
    const order = turns.map((_, at) => at).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
    found.set(
      question,
      order.slice(0, count).flatMap((at) => (turns[at] ? [placeOf(turns[at].turn)] : [])),
    );
  }
  return found;
}

function isPrefix(word: string, asked: string, { prefix }: Baseline): boolean {
  return prefix && asked.length > 3 && word.startsWith(asked);
}

function wordsOf(text: string, { stop, stem }: Baseline): string[] {
  const words = text.toLowerCase().match(/[\u4e00-\u9fff]|[\p{L}\p{N}]+/gu) ?? [];
  const kept = stop ? words.filter((word) => !STOP.has(word)) : words;
  return stem ? kept.map((word) => stemmer(word)) : kept;
}
