import type { Clock, Disposable } from '../platform/ports.js';

/**
 * Tells of each session that has been left alone for so long, once. One timer for all of them, for the one that is due next; none while nothing
 * is waited for, so that an idle window wakes nobody.
 */
export class IdleTimer implements Disposable {
  private readonly due = new Map<string, number>();
  private timer: Disposable | undefined;

  constructor(
    private readonly clock: Clock,
    /** Milliseconds. */
    private readonly wait: number,
    private readonly idle: (key: string) => void,
  ) {}

  /** Something happened in this session: its time begins anew. */
  touch(key: string): void {
    // Set anew, so that the map stays in the order in which they fall due.
    this.due.delete(key);
    this.due.set(key, this.clock.now() + this.wait);
    this.arm();
  }

  forget(key: string): void {
    this.due.delete(key);
    if (this.due.size === 0) this.dispose();
  }

  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.due.clear();
  }

  private arm(): void {
    const next = this.due.values().next().value;
    if (this.timer || next === undefined) return;
    this.timer = this.clock.after(Math.max(0, next - this.clock.now()), () => {
      this.timer = undefined;
      const now = this.clock.now();
      const over = [...this.due].filter(([, at]) => at <= now).map(([key]) => key);
      for (const key of over) this.due.delete(key);
      this.arm();
      for (const key of over) this.idle(key);
    });
  }
}
