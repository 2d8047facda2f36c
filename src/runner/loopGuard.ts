/** Identical calls with identical results in a row after which the model is told, and after which the turn ends. */
const WARN_AT = 3;
const END_AT = 5;

/**
 * Notices a model that goes in circles: the same call with the same arguments and the same result again and again. Different results (a poll
 * that makes progress) start the count anew.
 */
export class LoopGuard {
  private last = '';
  private count = 0;

  /** Records a finished call. Returns a note for the model at the third repetition and `end` at the fifth. */
  note(name: string, args: string, result: string): { note?: string; end: boolean } {
    const key = JSON.stringify([name, args, result]);
    this.count = key === this.last ? this.count + 1 : 1;
    this.last = key;
    if (this.count >= END_AT) return { end: true };
    if (this.count === WARN_AT) {
      return {
        end: false,
        note: `\n\n[Note: this was the same call with the same result ${String(WARN_AT)} times in a row. Do something else, or say what stops you.]`,
      };
    }
    return { end: false };
  }
}
