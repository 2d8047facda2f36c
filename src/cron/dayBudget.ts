import { join } from 'node:path';
import { localDate } from '../platform/localTime.js';
import type { Clock, Files } from '../platform/ports.js';
import type { Leases } from '../session/lease.js';
import { isObject } from '../session/lines.js';
import { withLease } from '../session/withLease.js';

/** Tokens that one run may use, sent and received. */
export const RUN_TOKENS = 100_000;

interface Spent {
  /** The local date. */
  day: string;
  tokens: number;
  /** The person has heard that the day's tokens are used up. */
  told: boolean;
  /** When the heartbeat looked last, epoch milliseconds. */
  heartbeatAt: number;
}

/**
 * What schedules and heartbeat have used today, together, in `.nanobot/cron.json`, which is changed under a lock. A file that cannot be
 * understood counts as empty.
 */
export class DayBudget {
  private readonly path: string;

  constructor(
    private readonly deps: {
      files: Files;
      clock: Clock;
      home: string;
      leases: Pick<Leases, 'acquire' | 'release'>;
      limit(): number;
    },
  ) {
    this.path = join(deps.home, '.nanobot', 'cron.json');
  }

  /** Whether today's tokens are used up; 0 is no limit. */
  async isSpent(): Promise<boolean> {
    const limit = this.deps.limit();
    return limit > 0 && (await this.today()).tokens >= limit;
  }

  async add(tokens: number): Promise<void> {
    if (tokens > 0) await this.change((today) => (today.tokens += Math.ceil(tokens)));
  }

  /** True the first time of a day: then the person is told. */
  async mayTell(): Promise<boolean> {
    let first = false;
    await this.change((today) => {
      first = !today.told;
      today.told = true;
    });
    return first;
  }

  async heartbeatAt(): Promise<number> {
    return (await this.today()).heartbeatAt;
  }

  async setHeartbeatAt(at: number): Promise<void> {
    await this.change((today) => (today.heartbeatAt = at));
  }

  private async today(): Promise<Spent> {
    const { clock } = this.deps;
    const day = localDate(clock);
    const read = await this.read();
    const heartbeatAt = typeof read['heartbeatAt'] === 'number' ? read['heartbeatAt'] : 0;
    if (read['day'] !== day) return { day, tokens: 0, told: false, heartbeatAt };
    return { day, tokens: Number(read['tokens']) || 0, told: read['told'] === true, heartbeatAt };
  }

  private async read(): Promise<Record<string, unknown>> {
    try {
      const value: unknown = JSON.parse(Buffer.from(await this.deps.files.read(this.path)).toString('utf8'));
      return isObject(value) ? value : {};
    } catch {
      return {};
    }
  }

  private async change(edit: (spent: Spent) => void): Promise<void> {
    const { files, leases, clock } = this.deps;
    await withLease(leases, 'cron.budget', clock, async () => {
      const spent = await this.today();
      edit(spent);
      await files.writeAtomic(this.path, `${JSON.stringify(spent)}\n`, { flush: false });
    });
  }
}
