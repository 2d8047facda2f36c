import { WordsError, type Words } from '../../platform/words.js';
import type { NextStep } from '../../protocol/message.js';

/**
 * Dream cannot go on, and the batch is not to blame: a file that a person has to put right, a file that changed meanwhile, a disk that does not
 * take it. The message is for the person: what is in the way, where, and what to do. Nothing was changed, and the same batch is read later.
 */
export class Blocked extends WordsError {
  override readonly name = 'Blocked';

  constructor(
    words: Words,
    readonly next: NextStep[] = [],
  ) {
    super(words);
  }
}
