import type { Token } from 'marked';
import type { ColourCode } from './codeColours.js';
import { OpenFence } from './fence.js';
import { drawable } from './holdBack.js';
import { holderIn, itemsOf, prefixOf, type GrowingBlock, type GrowingKind } from './growing.js';
import { morphChildren } from './morph.js';
import type { Parser } from './parser.js';
import { addPlainWords } from './plainText.js';
import type { Sanitize } from './sanitize.js';

/** How text becomes nodes. One pair serves all messages of a page. */
export interface MarkdownTools {
  parser: Parser;
  sanitize: Sanitize;
  colour: ColourCode;
}

/**
 * Draws Markdown that grows. Blocks that are finished are frozen: neither their source is read again nor their nodes touched. Only the last,
 * open block is parsed again with each update, and an open list, table or fence is frozen piece by piece as well.
 */
export class MarkdownStream {
  /** Characters handed to the parser so far; what a benchmark compares with the length of the text. */
  parsed = 0;

  private source = '';
  /** Where the open part starts in `source`. */
  private offset = 0;
  /** Nodes of `root` that are frozen. */
  private frozen = 0;
  private growing: GrowingBlock | null = null;
  private fence: OpenFence | null = null;
  private isDone = false;
  private hasDefinition = false;
  /** True if the last drawing held nothing back, so that the page ends as the source does. */
  private isWhole = false;
  private readonly colours: (() => void)[] = [];

  constructor(
    private readonly root: Element,
    private readonly tools: MarkdownTools,
  ) {}

  /** Draws the text as it is now. Text that does not continue the former one starts anew. `done` draws what was held back, too. */
  update(text: string, done: boolean): void {
    const source = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    if (source === this.source && done === this.isDone) return;
    if (this.isDone || !source.startsWith(this.source)) this.reset();
    const { source: former } = this;
    const isFirst = former === '';
    this.source = source;
    this.isDone = done;
    if (this.isWhole && !done && addPlainWords(this.root, former, source.slice(former.length))) return;
    // A reference may be defined after its use: then the whole text is read once more, when it is whole.
    if (done && !isFirst && this.hasDefinition) this.restart();
    this.draw();
  }

  /** Call when the element leaves the page: the colours of its code are kept outside of it. */
  dispose(): void {
    for (const undo of this.colours.splice(0)) undo();
  }

  private reset(): void {
    this.source = '';
    this.isDone = false;
    this.hasDefinition = false;
    this.restart();
  }

  private restart(): void {
    this.dispose();
    this.offset = 0;
    this.frozen = 0;
    this.growing = null;
    this.fence = null;
    this.isWhole = false;
  }

  private draw(): void {
    this.isWhole = false;
    if (this.fence?.grow(this.rest(), this.isDone) === 'open') return;
    this.fence = null;
    if (this.opensFence()) return;
    const prefix = this.growing?.prefix ?? '';
    const shown = this.isDone ? this.rest() : drawable(this.rest());
    const tokens = this.lex(prefix + shown);
    this.isWhole = shown === this.rest();
    const openIndex = this.isDone ? tokens.length : tokens.findLastIndex((token) => token.type !== 'space');
    const closed = tokens.slice(0, Math.max(0, openIndex));
    if (closed.length > 0) this.freeze(closed, prefix);
    if (closed.length > 0 && this.opensFence()) return;
    this.drawOpen(tokens[openIndex]);
  }

  private rest(): string {
    return this.source.slice(this.offset);
  }

  private lex(markdown: string): Token[] {
    this.parsed += markdown.length;
    const tokens = this.tools.parser.lex(markdown);
    if (tokens.some((token) => token.type === 'def')) this.hasDefinition = true;
    return tokens;
  }

  /** Draws blocks for the last time and moves on to what follows them. */
  private freeze(tokens: Token[], prefix: string): void {
    const before = this.frozen;
    const [first, ...others] = tokens;
    if (this.growing && first?.type === this.growing.kind) {
      this.drawItems(this.growing, first);
      this.growing = null;
      this.frozen++;
      this.append(others);
    } else {
      this.dropOpenItem();
      this.append(tokens);
    }
    this.offset += tokens.reduce((sum, token) => sum + token.raw.length, 0) - prefix.length;
    for (const node of Array.from(this.root.childNodes).slice(before, this.frozen)) {
      if (node instanceof Element) this.colours.push(this.tools.colour(node));
    }
  }

  private append(tokens: Token[]): void {
    const nodes = this.nodesOf(tokens);
    morphChildren(this.root, this.frozen, nodes);
    this.frozen += nodes.length;
  }

  private drawOpen(token: Token | undefined): void {
    if (this.growing && token && token.type !== this.growing.kind) this.dropOpenItem();
    if (this.growing) this.drawItems(this.growing, token);
    else morphChildren(this.root, this.frozen, token ? this.nodesOf([token]) : []);
    if (token && !this.isDone) this.freezeItems(token);
  }

  /** Draws the items after the frozen ones: the token's, or none while nothing of the next item can be shown. */
  private drawItems(growing: GrowingBlock, token: Token | undefined): void {
    const [block] = token ? this.nodesOf([token]) : [];
    const items = block ? holderIn(block, growing.kind)?.children : undefined;
    morphChildren(growing.holder, growing.frozen, items ?? []);
    morphChildren(this.root, this.frozen + 1, []);
  }

  /** The block ends before what was drawn as its next item: that item turned out to be something else. */
  private dropOpenItem(): void {
    if (!this.growing) return;
    morphChildren(this.growing.holder, this.growing.frozen, []);
    this.growing = null;
    this.frozen++;
  }

  /** An item of a list or a row of a table is finished when the next one is there. */
  private freezeItems(token: Token): void {
    if (token.type !== 'list' && token.type !== 'table') return;
    const items = itemsOf(token);
    if (items.length < 2) return;
    const kind: GrowingKind = token.type;
    const prefix = prefixOf(token);
    const start = this.offset + (this.growing ? 0 : prefix.length);
    const finished = items.slice(0, -1).join('');
    const block = this.root.childNodes[this.frozen];
    const holder = this.growing?.holder ?? (block ? holderIn(block, kind) : null);
    // A parser that reads the source other than as it stands must not move us to a wrong place.
    if (!holder || !this.source.startsWith(finished, start)) return;
    this.offset = start + finished.length;
    this.growing = { kind, holder, prefix, frozen: (this.growing?.frozen ?? 0) + items.length - 1 };
  }

  /** The blocks as nodes, without the white space between them. */
  private nodesOf(tokens: Token[]): Node[] {
    const html = this.tools.parser.html(tokens);
    if (html === '') return [];
    return Array.from(this.tools.sanitize(html).childNodes).filter(
      (node) => !(node instanceof Text && node.data.trim() === ''),
    );
  }

  /** Starts a fenced block without the parser once its first line is whole. */
  private opensFence(): boolean {
    if (this.isDone || this.growing) return false;
    this.fence = OpenFence.start(this.rest(), (html) => {
      morphChildren(this.root, this.frozen, this.tools.sanitize(html).childNodes);
      return this.root.childNodes[this.frozen]?.firstChild ?? null;
    });
    return this.fence !== null;
  }
}
