import { Best, type Ranked } from './best.js';
import { spanTerms, type Recurring, type Span } from './dates.js';
import { type Concept, type Plan, rarity } from './query.js';
import { NONE, type RecallIndex, type SourceKind } from './recallIndex.js';
import { FLAG } from './traits.js';
import type { Weights } from './weights.js';

const DAY = 86_400_000;
/** How far back a month without a year is looked for. */
const YEARS_BACK = 6;
/** How many texts away something still counts as near. */
const STEPS = 5;
/** Texts up to so many times the usual length are not held against them: in talk the longer ones are those that tell something. */
const LONG = 2;

/** What a text must be to be found. */
export interface Filter {
  kinds: ReadonlySet<SourceKind> | undefined;
  /** Epoch milliseconds; texts without a time are left out where it is given. */
  since: number | undefined;
}

/** The texts that fit a question best, best first. Linear in the occurrences of its terms. */
export function rank(index: RecallIndex, plan: Plan, filter: Filter, count: number, weights: Weights): Ranked[] {
  const scores = new Float32Array(index.size);
  const work = workspaceFor(index.size);
  for (const concept of plan.concepts) addConcept(index, concept, scores, work, weights);
  addDates(index, plan, scores, work, weights);
  const files = speakersOf(index, plan);
  const best = new Best(count);
  const { newest } = index;
  for (let text = 0; text < scores.length; text += 1) {
    const base = scores[text] ?? 0;
    if (base <= 0 || base * 3 < best.floor || !fits(index, text, filter)) continue;
    best.offer(text, base * factorOf(index, text, plan, files, weights, newest));
  }
  return best.sorted();
}

interface Work {
  times: Float32Array;
  touched: Uint32Array;
  around: Float32Array;
  reached: Uint32Array;
}

function workspaceFor(size: number): Work {
  return {
    times: new Float32Array(size),
    touched: new Uint32Array(size),
    around: new Float32Array(size),
    reached: new Uint32Array(size),
  };
}

/** Adds what one idea is worth in each text: by its own words, and by its own and its neighbours' together. */
function addConcept(index: RecallIndex, concept: Concept, scores: Float32Array, work: Work, weights: Weights): void {
  const { times, touched } = work;
  let count = 0;
  for (const { id, weight } of concept.terms) {
    index.postings.each(id, (text, often) => {
      if (times[text] === 0) touched[count++] = text;
      times[text] = (times[text] ?? 0) + weight * often;
    });
  }
  const { k1, b, delta } = weights;
  const mean = index.meanLength;
  const { length } = index.columns;
  for (let at = 0; at < count; at += 1) {
    const text = touched[at] ?? 0;
    const often = times[text] ?? 0;
    const longer = Math.max(0, length.at(text) / mean - LONG);
    const share = (often * (k1 + 1)) / (often + k1 * (1 + b * longer));
    scores[text] = (scores[text] ?? 0) + weights.own * concept.weight * (share + delta * Math.min(1, often));
  }
  addSurroundings(index, concept, scores, work, count, weights);
  for (let at = 0; at < count; at += 1) times[touched[at] ?? 0] = 0;
}

function addSurroundings(
  index: RecallIndex,
  concept: Concept,
  scores: Float32Array,
  work: Work,
  count: number,
  weights: Weights,
): void {
  const { times, touched, around, reached } = work;
  const { before, after, flags } = index.columns;
  let reach = 0;
  const hand = (text: number, amount: number) => {
    if (around[text] === 0) reached[reach++] = text;
    around[text] = (around[text] ?? 0) + amount;
  };
  for (let at = 0; at < count; at += 1) {
    const text = touched[at] ?? 0;
    const amount = Math.min(2, times[text] ?? 0);
    hand(text, amount);
    let next = after.at(text);
    let share = amount * weights.onward;
    for (let step = 0; step < STEPS && next !== NONE; step += 1) {
      const answer = step === 0 && (flags.at(text) & FLAG.question) !== 0 ? amount * weights.answer : 0;
      hand(next, share + answer);
      share *= weights.fade;
      next = after.at(next);
    }
    let last = before.at(text);
    share = amount * weights.back;
    for (let step = 0; step < STEPS && last !== NONE; step += 1) {
      hand(last, share);
      share *= weights.fade;
      last = before.at(last);
    }
  }
  for (let at = 0; at < reach; at += 1) {
    const text = reached[at] ?? 0;
    const amount = around[text] ?? 0;
    scores[text] =
      (scores[text] ?? 0) +
      weights.near * concept.weight * (amount / (amount + weights.nearHalf)) * (1 + weights.nearHalf);
    around[text] = 0;
  }
}

/** Adds for texts of the time a question names: said then, or telling of then. */
function addDates(index: RecallIndex, plan: Plan, scores: Float32Array, work: Work, weights: Weights): void {
  const { spans, recurring } = plan.dates;
  if (spans.length === 0 && recurring.length === 0) return;
  const fit = work.times;
  const raise = (text: number, value: number) => {
    if (value > (fit[text] ?? 0)) fit[text] = value;
  };
  for (const span of spans) {
    const long = span.to - span.from > 11 * DAY;
    for (const term of spanTerms(span)) {
      const id = index.termId(term);
      const value = long || term.split('-').length > 2 ? 1 : 0.4;
      if (id !== undefined) {
        index.postings.each(id, (text) => {
          raise(text, value);
        });
      }
    }
  }
  const { time } = index.columns;
  const again = occurrences(recurring, index);
  for (let text = 0; text < index.size; text += 1) {
    const at = time.at(text);
    for (const { from, to } of spans) {
      if (at >= from && at < to) raise(text, 1);
      else if (at >= to && at < to + (to - from) / 2) raise(text, 0.3);
    }
    for (const { from, to } of again) if (at >= from && at < to) raise(text, 0.7);
  }
  const unit = rarity(index.size / 20, index.size) * weights.date;
  for (let text = 0; text < index.size; text += 1) {
    const value = fit[text] ?? 0;
    if (value > 0) scores[text] = (scores[text] ?? 0) + unit * value;
    fit[text] = 0;
  }
}

/** The months a question means without a year, in each of the last years that texts are of. */
function occurrences(recurring: readonly Recurring[], index: RecallIndex): Span[] {
  const newest = new Date(index.newest).getFullYear();
  const found: Span[] = [];
  for (const { months } of recurring) {
    for (let year = newest; year > newest - YEARS_BACK; year -= 1) {
      for (const month of months)
        found.push({ from: new Date(year, month, 1).getTime(), to: new Date(year, month + 1, 1).getTime() });
    }
  }
  return found;
}

/** For each file: which of its roles, and which speakers, bear a name of the question. */
interface Speakers {
  ids: Set<number>;
  /** By file: 1 the person, 2 the agent, 4 somebody in it bears the name; 8 somebody is known to speak in it. */
  files: Uint8Array;
}

function speakersOf(index: RecallIndex, plan: Plan): Speakers {
  const wanted = new Set(plan.names.map((name) => name.toLowerCase()));
  const ids = new Set<number>();
  for (const [id, name] of index.speakers.entries()) {
    if (name !== '' && wanted.has(name.toLowerCase())) ids.add(id);
  }
  const files = new Uint8Array(index.files.length);
  if (wanted.size === 0) return { ids, files };
  for (let file = 0; file < files.length; file += 1) {
    const bits =
      (wanted.has(plan.roles[file]?.user.toLowerCase() ?? '') ? 1 : 0) |
      (wanted.has(plan.roles[file]?.assistant.toLowerCase() ?? '') ? 2 : 0);
    const known = plan.roles[file]?.user || plan.roles[file]?.assistant ? 8 : 0;
    files[file] = bits === 0 ? known : bits | 4;
  }
  for (let text = 0; text < index.size; text += 1) {
    const speaker = index.columns.speaker.at(text);
    const file = index.columns.file.at(text);
    if (speaker !== 0) files[file] = (files[file] ?? 0) | (ids.has(speaker) ? 4 : 8);
  }
  return { ids, files };
}

function fits(index: RecallIndex, text: number, { kinds, since }: Filter): boolean {
  const file = index.files[index.columns.file.at(text)];
  if (!file?.alive) return false;
  if (kinds && !kinds.has(file.kind)) return false;
  return since === undefined || index.columns.time.at(text) >= since;
}

/** What speaks for and against a text beside its words. */
function factorOf(
  index: RecallIndex,
  text: number,
  plan: Plan,
  speakers: Speakers,
  weights: Weights,
  newest: number,
): number {
  const { columns } = index;
  const flags = columns.flags.at(text);
  let factor = 1;
  if (plan.names.length > 0) {
    const bits = speakers.files[columns.file.at(text)] ?? 0;
    const role = (flags & FLAG.user) !== 0 ? 1 : (flags & FLAG.assistant) !== 0 ? 2 : 0;
    const speaks = speakers.ids.has(columns.speaker.at(text)) || (bits & role) !== 0;
    if (speaks) factor += weights.spoken;
    if ((bits & 4) !== 0) factor += weights.takesPart;
    else if ((bits & 8) !== 0) factor -= weights.apart;
  }
  if (plan.asks.when && (flags & FLAG.when) !== 0) factor += weights.when;
  if (plan.asks.howMany && (flags & FLAG.number) !== 0) factor += weights.number;
  if (plan.asks.which && (flags & FLAG.proper) !== 0) factor += weights.proper;
  if (plan.asks.why && (flags & FLAG.reason) !== 0) factor += weights.why;
  if ((flags & FLAG.question) !== 0) factor -= weights.question;
  factor -= weights.short / (1 + columns.length.at(text) / 3);
  const age = Math.max(0, newest - (columns.time.at(text) || 0)) / (365 * DAY);
  return Math.max(0.05, factor) * (1 + weights.recent / (1 + age));
}
