import type { Clock, Log } from '../platform/ports.js';
import type { SessionStore } from '../session/store.js';
import { IdleTimer } from './idleTimer.js';

/** Milliseconds without a turn after which the facts of a session are noted. */
const IDLE_MS = 15 * 60_000;
/** How often in a row the facts of an idle session are tried. */
const MAX_TRIES = 3;
/** Sessions that ended windows left without their facts noted: how old they may be, and how many are seen to. */
const LEFT_BEHIND_MS = 7 * 24 * 3_600_000;
const MAX_LEFT_BEHIND = 5;
/** How many of them are opened to see whether there is anything to note: an open session stays in memory. */
const MAX_OPENED = 10;

/** What became of a session's facts: `nothing` where none are owed, or where it cannot be done from here now. */
export type Archived = 'noted' | 'nothing' | 'failed';

/**
 * Sees to it that short chats reach the history as well: the facts of a session are noted once it has been idle for 15 minutes, and those of chats
 * whose window was closed before that by the next window in which a turn ends well.
 */
export class IdleArchive {
  private readonly failures = new Map<string, number>();
  private readonly timer: IdleTimer;
  private isClosed = false;
  private hasLookedBehind = false;

  constructor(
    private readonly deps: {
      clock: Clock;
      log: Log;
      sessions: Pick<SessionStore, 'list'>;
      /** Must not reject. */
      archive(key: string): Promise<Archived>;
    },
  ) {
    this.timer = new IdleTimer(deps.clock, IDLE_MS, (key) => void this.idle(key));
  }

  /** A turn of this session has ended, well or not. */
  turnEnded(key: string, well: boolean): void {
    if (this.isClosed) return;
    this.failures.delete(key);
    this.timer.touch(key);
    if (well) void this.lookBehind();
  }

  forget(key: string): void {
    this.timer.forget(key);
  }

  close(): void {
    this.isClosed = true;
    this.timer.dispose();
  }

  private async idle(key: string): Promise<void> {
    const outcome = await this.deps.archive(key);
    const failures = outcome === 'failed' ? (this.failures.get(key) ?? 0) + 1 : 0;
    this.failures.set(key, failures);
    if (failures > 0 && failures < MAX_TRIES && !this.isClosed) this.timer.touch(key);
  }

  /** Keys of the newest chats of the last week, idle for so long, of which not everything is noted and that no other window works on. */
  async owing(idleMs = 0): Promise<string[]> {
    const { clock, sessions } = this.deps;
    const left = (await sessions.list()).filter(({ updatedAt, busy, noted, messages }) => {
      const age = clock.now() - updatedAt;
      return !busy && noted < messages && age >= idleMs && age <= LEFT_BEHIND_MS;
    });
    return left.slice(0, MAX_OPENED).map(({ key }) => key);
  }

  /** Once a process: the newest few of the last week, one after the other. */
  private async lookBehind(): Promise<void> {
    if (this.hasLookedBehind) return;
    this.hasLookedBehind = true;
    try {
      let seenTo = 0;
      for (const key of await this.owing(IDLE_MS)) {
        if (this.isClosed || seenTo === MAX_LEFT_BEHIND) return;
        const outcome = await this.deps.archive(key);
        if (outcome === 'failed') return;
        if (outcome === 'noted') seenTo += 1;
      }
    } catch (cause) {
      this.deps.log.warn(`Earlier chats could not be looked through: ${String(cause)}`);
    }
  }
}
