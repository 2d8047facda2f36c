import { datesIn, type DatesOfText } from './dates.js';
import type { RecallIndex } from './recallIndex.js';
import { CHARACTER_MARK, PAIR_MARK, type Terms } from './text.js';
import type { PlanWeights } from './weights.js';
import type { WordTable } from './words.js';

/** One idea of a question: the term itself and whatever may stand for it, each with the share of the weight it carries. */
export interface Concept {
  terms: { id: number; weight: number }[];
  /** How much the idea counts, by how rare it is. */
  weight: number;
}

/** Whom the messages of the two roles of a file are by; empty where nobody knows. */
export interface RoleNames {
  user: string;
  assistant: string;
}

/** A question as it is searched. */
export interface Plan {
  concepts: Concept[];
  /** Names of speakers that the question has, as numbers of `index.speakers` and as text. */
  names: string[];
  /** By file. */
  roles: readonly RoleNames[];
  dates: DatesOfText;
  /** What kind of answer is asked for. */
  asks: { when: boolean; howMany: boolean; which: boolean; why: boolean };
}

/** Verbs and nouns so common in talk that they tell little, though they are rare enough in a small home. */
const LIGHT = new Set(
  'go get make take give come see look say tell know think want feel find use try thing way time day kind type sort good new plan happen talk mention describ discuss share start like'.split(
    ' ',
  ),
);
const QUESTION_ONLY = new Set('kind type sort name'.split(' '));

/** Works out what a question asks for and which terms of the index may answer it. */
export function planOf(
  question: string,
  deps: {
    index: RecallIndex;
    terms: Terms;
    table: WordTable;
    now: number;
    names: ReadonlyMap<string, string>;
    roles: readonly RoleNames[];
  },
  weights: PlanWeights,
): Plan {
  const { index, terms, table, names } = deps;
  const found = terms.of(question);
  const named = new Set<string>();
  for (const [word] of question.matchAll(/[\p{L}\p{N}]+/gu)) {
    const name = names.get(word.toLowerCase());
    if (name !== undefined) named.add(name);
  }
  for (const [word, name] of names) if (/[\u4e00-\u9fff]/.test(word) && question.includes(word)) named.add(name);
  const nameTerms = new Set([...named].flatMap((name) => terms.of(name)));
  const concepts: Concept[] = [];
  const seen = new Set<string>();
  for (const term of found) {
    if (seen.has(term)) continue;
    seen.add(term);
    const concept = conceptOf(term, index, table, weights);
    if (concept.terms.length === 0) continue;
    if (nameTerms.has(term)) concept.weight *= weights.mention;
    else if (QUESTION_ONLY.has(term) && found.length > 2) concept.weight *= weights.light / 2;
    else if (LIGHT.has(term)) concept.weight *= weights.light;
    if (term.startsWith(PAIR_MARK)) concept.weight *= weights.pair;
    if (term.startsWith(CHARACTER_MARK)) concept.weight *= weights.character;
    concepts.push(concept);
  }
  return {
    concepts,
    names: [...named],
    roles: deps.roles,
    dates: datesOf(question, deps.now, index),
    asks: asksOf(question),
  };
}

/** The times a question names; "last spring" counts from the last thing said where nothing was said since the one before now. */
function datesOf(question: string, now: number, index: RecallIndex): DatesOfText {
  const dates = datesIn(question, now);
  const tooLate = dates.spans.length > 0 && dates.spans.every(({ from }) => from > index.newest);
  return tooLate ? datesIn(question, index.newest) : dates;
}

/** How rare something is among all texts, in BM25's way. */
export function rarity(count: number, all: number): number {
  return Math.log(1 + (all - count + 0.5) / (count + 0.5));
}

function conceptOf(term: string, index: RecallIndex, table: WordTable, weights: PlanWeights): Concept {
  const own = index.termId(term);
  const shares = new Map<number, number>();
  if (own !== undefined) shares.set(own, 1);
  const include = (other: string, weight: number) => {
    const id = index.termId(other);
    if (id !== undefined && weight > (shares.get(id) ?? 0)) shares.set(id, weight);
  };
  for (const { term: other, weight } of table.kin.get(term) ?? []) include(other, weight * weights.kin);
  for (const other of index.relatives(term)) include(other, weights.prefix);
  if (shares.size === 0) for (const other of index.lookalikes(term)) include(other, weights.misspelt);
  const all = Math.max(1, index.size);
  const members = [...shares].map(([id, weight]) => ({ id, weight }));
  const ownCount = own === undefined ? 0 : index.postings.count(own);
  const kinCount = members.reduce((sum, { id, weight }) => sum + weight * index.postings.count(id), 0);
  return { terms: members, weight: rarity(Math.min(all, Math.max(ownCount, kinCount, 1)), all) };
}

function asksOf(question: string): Plan['asks'] {
  return {
    when: /\b(?:when|what (?:date|day|month|year|time|season)|which (?:date|day|month|year|season|week)|how (?:long|recently|often)|since when|how old)\b|什么时候|何时|哪[天年]|几[月号点岁]|多久|哪个月|いつ|언제/i.test(
      question,
    ),
    howMany: /\bhow (?:many|much|long|old|often|far|big|tall)\b|多少|几[个次只天年岁]|多[大长久远]/i.test(question),
    which:
      /\b(?:which|what (?:\w+ )?(?:book|movie|song|game|band|restaurant|place|city|country|name|brand)|who|where|called|named|title)\b|哪[里个家座位本部]|谁|叫什么|どこ|だれ/i.test(
        question,
      ),
    why: /\bwhy|reason|motivat|inspir|what made\b|为什么|为何|原因|怎么会/i.test(question),
  };
}
