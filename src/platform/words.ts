import { t } from '@vscode/l10n';
import { reasonOf } from './reason.js';

type Arg = string | number;

/** `t` of l10n, or what leaves a text in English. */
export interface Translate {
  (message: string, ...args: Arg[]): string;
  (text: { message: string; args?: Arg[]; comment: string }): string;
}

/** A text that a person reads in their language and the model in English. Its `t` takes literals, as l10n's does. */
export type Words = (t: Translate) => string;

/** For a person. */
export const translated: Translate = t;

/** For the model, and for what is kept. */
export const english: Translate = (text: string | { message: string; args?: Arg[] }, ...given: Arg[]) => {
  const { message, args = [] } = typeof text === 'string' ? { message: text, args: given } : text;
  return message.replace(/\{(\d+)\}/g, (gap, at: string) => String(args[Number(at)] ?? gap));
};

/** A failure whose message is for a person, with the same in English for the model. */
export class WordsError extends Error {
  readonly english: string;

  constructor(words: Words) {
    super(words(translated));
    this.english = words(english);
  }
}

/** What was thrown, as the model is told it. */
export function englishReason(cause: unknown): string {
  return cause instanceof WordsError ? cause.english : reasonOf(cause);
}
