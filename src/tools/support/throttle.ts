import type { Clock, Disposable } from '../../platform/ports.js';

/**
 * Runs something at once at the first poke, then at most every `ms` milliseconds while there is news. No timer runs while there is none.
 */
export class Throttle {
  private timer: Disposable | undefined;
  private news = false;

  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    private readonly ms: number,
    private readonly run: () => void,
  ) {}

  poke(): void {
    this.news = true;
    if (!this.timer) this.tick();
  }

  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.news = false;
  }

  private tick(): void {
    this.timer = undefined;
    if (!this.news) return;
    this.news = false;
    this.timer = this.clock.after(this.ms, () => {
      this.tick();
    });
    this.run();
  }
}
