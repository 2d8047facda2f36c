import type { Clock, Disposable } from '../platform/ports.js';

/** Calls that report progress may take this many times their limit. */
const MOST_LIMITS = 20;

/**
 * The time limit of one call: it begins anew with each sign of life (up to 20 limits in all) and stands still while a person is asked something. Ends with
 * an abort of `signal`, whose reason says so.
 */
export class CallTimer {
  private readonly controller = new AbortController();
  private timer: Disposable | undefined;
  private pauses = 0;
  private readonly begun: number;

  constructor(
    private readonly clock: Clock,
    private readonly limitMs: number,
    private readonly words: string,
  ) {
    this.begun = clock.now();
    this.start();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The server is alive. */
  touch(): void {
    if (this.pauses === 0 && this.clock.now() - this.begun < this.limitMs * MOST_LIMITS) this.start();
  }

  /** Stands still until the work is done. */
  async pausedFor<T>(work: Promise<T>): Promise<T> {
    this.pauses++;
    this.timer?.dispose();
    try {
      return await work;
    } finally {
      if (--this.pauses === 0) this.start();
    }
  }

  /** Ends the call at once. */
  fail(words: string): void {
    this.controller.abort(new Error(words));
  }

  dispose(): void {
    this.timer?.dispose();
    this.pauses = Number.POSITIVE_INFINITY;
  }

  private start(): void {
    this.timer?.dispose();
    this.timer = this.clock.after(this.limitMs, () => {
      this.controller.abort(new Error(this.words));
    });
  }
}
