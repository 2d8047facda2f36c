import { codeHtml } from './parser.js';

const OPENING = /^(`{3,}|~{3,})([^\n]*)\n/;

/** A fenced block whose end has not come: its text goes straight into one text node, whatever its length. */
export class OpenFence {
  private constructor(
    private readonly text: Text,
    private readonly end: RegExp,
    /** Characters of the source that are in the text node already, the first line included. */
    private taken: number,
  ) {}

  /**
   * Starts a block if the source begins with the whole first line of one and does not hold its end. `place` puts HTML into the page and
   * returns its `pre`.
   */
  static start(source: string, place: (html: string) => Node | null): OpenFence | null {
    const [opening = '', marks = '', info = ''] = OPENING.exec(source) ?? [];
    if (opening === '' || (marks.startsWith('`') && info.includes('`'))) return null;
    const end = new RegExp(`^ {0,3}${marks.charAt(0)}{${marks.length},}[ \\t]*$`);
    if (hasEnd(source.slice(opening.length), end)) return null;
    const pre = place(codeHtml('', info.trim()));
    if (!pre) return null;
    const text = document.createTextNode('');
    pre.appendChild(text);
    const fence = new OpenFence(text, end, opening.length);
    fence.grow(source, false);
    return fence;
  }

  /** Adds what came. `ended` means that the source holds the end of the block, or ends itself: the parser takes over. */
  grow(source: string, isDone: boolean): 'open' | 'ended' {
    const line = source.lastIndexOf('\n', this.taken - 1) + 1;
    if (isDone || hasEnd(source.slice(line), this.end)) return 'ended';
    const lastLine = source.lastIndexOf('\n') + 1;
    // A last line of fence marks may become the end of the block.
    const until = /^ {0,3}(?:`+|~+)[ \t]*$/.test(source.slice(lastLine)) ? lastLine : source.length;
    // The break before the closing line is no part of the code, so it waits for what follows.
    const stop = source[until - 1] === '\n' ? until - 1 : until;
    if (stop > this.taken) {
      this.text.appendData(source.slice(this.taken, stop));
      this.taken = stop;
    }
    return 'open';
  }
}

/** True if one of the lines that are whole closes the block. */
function hasEnd(text: string, end: RegExp): boolean {
  const lines = text.split('\n');
  return lines.slice(0, -1).some((line) => end.test(line));
}
