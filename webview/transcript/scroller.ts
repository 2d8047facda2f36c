import { signal, type ReadonlySignal } from '@preact/signals';
import type { SavedScroll } from '../ports.js';

/** CSS pixels from the end within which the reader counts as being there. */
const NEAR_END = 4;
/** CSS pixels from either edge at which more messages are asked for. */
const NEAR_EDGE = 400;
/** Milliseconds of rest before the place is saved. */
const SAVE_MS = 250;

/** A message and where its upper edge is, in CSS pixels below the transcript's. */
export interface Anchor {
  id: string;
  offset: number;
}

interface ScrollerOptions {
  loadMore(direction: 'older' | 'newer'): void;
  /** True if the loaded messages reach the conversation's end. */
  reachesEnd(): boolean;
  /** Called when the reader has come to rest; null at the end. */
  save(anchor: Anchor | null): void;
  after(ms: number, run: () => void): () => void;
}

/**
 * Keeps the reader's place: at the end it follows what comes, anywhere else nothing moves. Following needs no layout of its own, as it runs
 * after the browser's (a ResizeObserver).
 */
export class Scroller {
  readonly isAtEnd: ReadonlySignal<boolean>;
  private readonly atEnd = signal(true);
  private readonly observer = new ResizeObserver(() => this.follow());
  private lastTop = 0;
  private cancelSave = () => {};

  constructor(
    private readonly log: HTMLElement,
    content: HTMLElement,
    private readonly options: ScrollerOptions,
  ) {
    this.isAtEnd = this.atEnd;
    this.observer.observe(log);
    this.observer.observe(content);
  }

  dispose(): void {
    this.observer.disconnect();
    this.cancelSave();
  }

  onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.log;
    // A hidden view has no height, and its place means nothing.
    if (clientHeight === 0) return;
    const below = scrollHeight - scrollTop - clientHeight;
    if (below <= NEAR_END) this.atEnd.value = this.options.reachesEnd();
    else if (scrollTop < this.lastTop) this.atEnd.value = false;
    // Only in the direction of the movement: where everything loaded hardly fills a tall view, both edges are near.
    if (scrollTop < this.lastTop && scrollTop < NEAR_EDGE) this.options.loadMore('older');
    if (scrollTop > this.lastTop && below < NEAR_EDGE) this.options.loadMore('newer');
    this.lastTop = scrollTop;
    this.cancelSave();
    this.cancelSave = this.options.after(SAVE_MS, () => this.options.save(this.atEnd.value ? null : this.capture()));
  }

  /** The first message on screen. */
  capture(): Anchor | null {
    const top = this.log.getBoundingClientRect().top;
    for (const article of this.articles()) {
      const box = article.getBoundingClientRect();
      if (box.bottom > top) return { id: article.dataset['messageId'] ?? '', offset: box.top - top };
    }
    return null;
  }

  /** Puts a message back where it was. */
  restore(anchor: Anchor | SavedScroll): void {
    const article = this.find('messageId' in anchor ? anchor.messageId : anchor.id);
    if (!article) return;
    const offset = article.getBoundingClientRect().top - this.log.getBoundingClientRect().top;
    this.log.scrollTop += offset - anchor.offset;
    this.lastTop = this.log.scrollTop;
  }

  /** Leaves the end, so that what comes does not move the reader away. */
  leaveEnd(): void {
    this.atEnd.value = false;
  }

  toEnd(): void {
    this.atEnd.value = this.options.reachesEnd();
    this.log.scrollTop = this.log.scrollHeight;
  }

  find(id: string): HTMLElement | undefined {
    return this.articles().find((article) => article.dataset['messageId'] === id);
  }

  private articles(): HTMLElement[] {
    return Array.from(this.log.querySelectorAll<HTMLElement>('article'));
  }

  private follow(): void {
    // A chat without messages is read from its top.
    if (this.atEnd.value && this.articles().length > 0) this.log.scrollTop = this.log.scrollHeight;
  }
}
