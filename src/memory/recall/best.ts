/** A text by its number, with what it is worth for a question. */
export interface Ranked {
  text: number;
  score: number;
}

/** The best so many, kept as a heap with the least of them on top. */
export class Best {
  private readonly heap: Ranked[] = [];

  constructor(private readonly count: number) {}

  /** What a score has to exceed to be among the best. */
  get floor(): number {
    return this.heap.length < this.count ? 0 : (this.heap[0]?.score ?? 0);
  }

  offer(text: number, score: number): void {
    if (this.heap.length >= this.count) {
      if (score <= this.floor) return;
      this.heap[0] = { text, score };
      this.sink();
      return;
    }
    this.heap.push({ text, score });
    for (let at = this.heap.length - 1; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.swapIfLess(at, parent)) break;
      at = parent;
    }
  }

  sorted(): Ranked[] {
    return [...this.heap].sort((a, b) => b.score - a.score || a.text - b.text);
  }

  private sink(): void {
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      if (left >= this.heap.length) return;
      const right = left + 1;
      const least = right < this.heap.length && this.scoreAt(right) < this.scoreAt(left) ? right : left;
      if (!this.swapIfLess(least, at)) return;
      at = least;
    }
  }

  private scoreAt(at: number): number {
    return this.heap[at]?.score ?? 0;
  }

  /** Puts the entry at `lower` above the one at `upper` where it is less. */
  private swapIfLess(lower: number, upper: number): boolean {
    const [a, b] = [this.heap[lower], this.heap[upper]];
    if (!a || !b || a.score >= b.score) return false;
    this.heap[lower] = b;
    this.heap[upper] = a;
    return true;
  }
}
