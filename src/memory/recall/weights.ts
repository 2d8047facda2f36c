/** Shares of weight; what is known of near words stands in the word table. */
export interface PlanWeights {
  /** For terms that begin alike. */
  prefix: number;
  /** For terms that nothing has: those that differ in one letter. */
  misspelt: number;
  /** Times what the word table says. */
  kin: number;
  /** For pairs of neighbouring characters, and for single ones. */
  pair: number;
  character: number;
  /** For words so common that they tell little. */
  light: number;
  /** For a speaker's name in a text: who speaks counts apart. */
  mention: number;
}

/** What tells texts apart, and how much. */
export interface Weights extends PlanWeights {
  /** How soon repeats of a term stop counting, and how much overlong texts pay for their length. */
  k1: number;
  b: number;
  /** Added for each idea a text has at all, in the way of BM25+. */
  delta: number;
  /** A text's own words against its surroundings. */
  own: number;
  near: number;
  /** What a text hands on to the next one and to the one before; at each step further `fade` of it is left. */
  onward: number;
  back: number;
  fade: number;
  /** How much of an idea must stand around a text to count half. */
  nearHalf: number;
  /** Handed on besides by a question to what is said next. */
  answer: number;
  /** For texts by the person the question names, and for any of a conversation that person is part of. */
  spoken: number;
  takesPart: number;
  /** Against texts of conversations between others than the question names. */
  apart: number;
  /** For the time a question names, in units of a fairly rare word. */
  date: number;
  /** For texts that have what a question asks for: a time, a number, a name, a reason. */
  when: number;
  number: number;
  proper: number;
  why: number;
  /** Against texts that only ask, and against short ones. */
  question: number;
  short: number;
  /** For what was said last, to break ties. */
  recent: number;
}

/** Found by trying on the tuned part of the test corpus, rounded to where neighbouring values did as well. */
export const WEIGHTS: Weights = {
  prefix: 0.3,
  misspelt: 0.6,
  kin: 1.5,
  pair: 0.4,
  character: 0.3,
  light: 0.85,
  mention: 0.1,
  k1: 1,
  b: 0.6,
  delta: 0.1,
  own: 1,
  near: 2,
  onward: 0.5,
  back: 0.3,
  fade: 0.5,
  nearHalf: 0.7,
  apart: 0.4,
  answer: 0.4,
  spoken: 0.65,
  takesPart: 0.05,
  date: 2,
  when: 0.35,
  number: 0.25,
  proper: 0.08,
  why: 0.1,
  question: 0.5,
  short: 0.45,
  recent: 0.02,
};
