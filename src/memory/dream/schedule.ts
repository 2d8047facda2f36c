import type { Clock, Disposable, Log } from '../../platform/ports.js';
import type { DreamOutcome } from '../dream.js';

const MINUTE = 60_000;
/** Milliseconds after the start before the first look: a window has better things to do while it opens. */
const FIRST_MS = 2 * MINUTE;
/** Milliseconds after which it tries again where something was in the way. */
const RETRY_MS = 5 * MINUTE;
/** The longest sleep. Timers stand still while a machine sleeps and know nothing of a clock that was set, so it looks at the clock now and then. */
const LOOK_MS = 15 * MINUTE;

/**
 * Runs Dream by itself: some time after the start where it is due, then so many hours after each run. One timer at a time. Where the clock is
 * set, no run is further off than one interval; another window's run counts as one's own.
 */
export class Schedule {
  private next: number | undefined;
  private timer: Disposable | undefined;
  private ended = false;

  constructor(
    private readonly deps: {
      clock: Clock;
      log: Log;
      settings(): { enabled: boolean; intervalHours: number };
      /** When the last run of any window ended, epoch milliseconds. */
      lastRunAt(): Promise<number | undefined>;
      attempt(): Promise<DreamOutcome>;
      /** The next time is another one. */
      changed(): void;
    },
  ) {}

  /** Epoch milliseconds; undefined where it does not run by itself. */
  get nextAt(): number | undefined {
    return this.deps.settings().enabled ? this.next : undefined;
  }

  start(): void {
    if (this.next !== undefined || this.ended) return;
    this.plan(this.deps.clock.now() + FIRST_MS);
  }

  dispose(): void {
    this.ended = true;
    this.next = undefined;
    this.timer?.dispose();
  }

  private plan(at: number): void {
    if (this.ended) return;
    this.next = at;
    this.sleep();
    this.deps.changed();
  }

  private sleep(): void {
    const { clock } = this.deps;
    const left = (this.next ?? 0) - clock.now();
    this.timer?.dispose();
    this.timer = clock.after(Math.max(0, Math.min(left, LOOK_MS)), () => {
      this.look().catch((cause: unknown) => {
        this.deps.log.error('Dream could not run by itself.', cause);
        this.plan(clock.now() + RETRY_MS);
      });
    });
  }

  private async look(): Promise<void> {
    const { clock, settings, attempt } = this.deps;
    const interval = settings().intervalHours * 60 * MINUTE;
    const now = clock.now();
    // The clock was set back, or the interval made shorter.
    if ((this.next ?? now) - now > interval) this.next = now + interval;
    if (now < (this.next ?? now)) return this.sleep();
    if (!settings().enabled) return this.plan(now + interval);
    const due = await this.dueAt(now, interval);
    if (due > now) return this.plan(due);
    const outcome = await attempt();
    this.plan(clock.now() + (outcome.kind === 'busy' ? Math.min(RETRY_MS, interval) : interval));
  }

  /** A last run in the future is a clock that was wrong then: it tells nothing. */
  private async dueAt(now: number, interval: number): Promise<number> {
    const last = await this.deps.lastRunAt();
    return last === undefined || last > now ? now : last + interval;
  }
}
