/** A stretch of an answer: what is said, or what was thought before. */
export interface Piece {
  type: 'text' | 'thinking';
  text: string;
}

const OPEN = '<think>';
const CLOSE = '</think>';

/** Where a position stands in Markdown code: the length of the fence and of the inline backticks that are open, and a run being read. */
interface CodeState {
  fence: number;
  inline: number;
  run: number;
}

/**
 * Takes `<think>…</think>` out of streamed text and gives it as thinking, wherever the pieces are cut. A tag inside Markdown code is text: people
 * ask about these tags. Space between a leading thought and the answer is dropped. Text is held back only while it may be the start of a tag.
 */
export class ThinkTags {
  #held = '';
  #thinking = false;
  #said = false;
  #code: CodeState = { fence: 0, inline: 0, run: 0 };

  push(text: string): Piece[] {
    this.#held += text;
    return this.#drain(false);
  }

  /** What was held back; a thought that was never closed stays a thought. */
  end(): Piece[] {
    return this.#drain(true);
  }

  #drain(final: boolean): Piece[] {
    const pieces: Piece[] = [];
    for (;;) {
      const tag = this.#thinking ? CLOSE : OPEN;
      const at = this.#thinking ? this.#held.indexOf(CLOSE) : this.#opening();
      const keep = at < 0 && !final ? partialTag(this.#held, tag) : 0;
      const length = at < 0 ? this.#held.length - keep : at;
      this.#give(pieces, this.#held.slice(0, length));
      this.#held = this.#held.slice(at < 0 ? length : at + tag.length);
      if (at < 0) return pieces;
      this.#thinking = !this.#thinking;
    }
  }

  #give(pieces: Piece[], text: string): void {
    if (this.#thinking) {
      if (text !== '') pieces.push({ type: 'thinking', text });
      return;
    }
    const shown = this.#said ? text : text.trimStart();
    this.#code = advance(this.#code, text);
    if (shown === '') return;
    this.#said = true;
    pieces.push({ type: 'text', text: shown });
  }

  /** Where the next opening tag outside code starts, or -1. */
  #opening(): number {
    let state = this.#code;
    let from = 0;
    for (;;) {
      const at = this.#held.indexOf(OPEN, from);
      if (at < 0) return -1;
      state = advance(state, this.#held.slice(from, at));
      const settled = closeRun(state);
      if (settled.fence === 0 && settled.inline === 0) return at;
      state = advance(state, OPEN);
      from = at + OPEN.length;
    }
  }
}

/** How many characters at the end of the text may be the start of the tag. */
function partialTag(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}

function advance(state: CodeState, text: string): CodeState {
  let current = state;
  for (const char of text) {
    if (char === '`') {
      current = { ...current, run: current.run + 1 };
      continue;
    }
    if (current.run > 0) current = closeRun(current);
    // A lone backtick in prose must not hide tags for the rest of the answer.
    if (char === '\n' && current.inline > 0) current = { ...current, inline: 0 };
  }
  return current;
}

function closeRun({ fence, inline, run }: CodeState): CodeState {
  if (run === 0) return { fence, inline, run };
  if (fence > 0) return { fence: run >= fence ? 0 : fence, inline, run: 0 };
  if (inline > 0) return { fence, inline: run === inline ? 0 : inline, run: 0 };
  return run >= 3 ? { fence: run, inline: 0, run: 0 } : { fence, inline: run, run: 0 };
}
