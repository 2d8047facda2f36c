import type { Clock, Disposable } from '../platform/ports.js';

/** Milliseconds in which a page that can be seen has to acknowledge what it was sent. */
export const SILENCE_MS = 10_000;
/** Rebuilds in a row that did not help; then the page is left as it is and the person is told. */
const MAX_REBUILDS = 2;

export interface PageWatchDeps {
  clock: Clock;
  /** Whether the person has the page before them: a page that nobody sees may draw nothing. */
  isSeen(): boolean;
  /** The page is dead. */
  rebuild(): void;
  /** It is dead still after it was rebuilt. */
  giveUp(): void;
}

/**
 * Watches over a page: one that is seen and acknowledges nothing for ten seconds is rebuilt. What happened while it was hidden, or its window had not the
 * focus, does not count.
 */
export class PageWatch implements Disposable {
  private timer: Disposable | undefined;
  private waitsFor: number | undefined;
  private rebuilds = 0;

  constructor(private readonly deps: PageWatchDeps) {}

  /** A frame or snapshot with this number went out. */
  sent(n: number): void {
    this.waitsFor = n;
    if (!this.timer) this.start();
  }

  acked(n: number): void {
    this.rebuilds = 0;
    if (this.waitsFor !== undefined && n >= this.waitsFor) this.waitsFor = undefined;
    this.restart();
  }

  /** The page was shown or hidden, or the window got or lost the focus: the time counts anew. */
  seenChanged(): void {
    this.restart();
  }

  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.waitsFor = undefined;
  }

  private restart(): void {
    this.timer?.dispose();
    this.timer = undefined;
    if (this.waitsFor !== undefined) this.start();
  }

  private start(): void {
    // Nobody looks at a page that is not seen: the next change of that starts the time.
    if (!this.deps.isSeen()) return;
    this.timer = this.deps.clock.after(SILENCE_MS, () => {
      this.timer = undefined;
      if (this.waitsFor === undefined || !this.deps.isSeen()) return;
      this.waitsFor = undefined;
      if (this.rebuilds++ < MAX_REBUILDS) this.deps.rebuild();
      else this.deps.giveUp();
    });
  }
}
