import { createHash } from 'node:crypto';
import { codeOf } from '../platform/fileErrors.js';
import type { Clock, Files, Processes } from '../platform/ports.js';
import { isObject } from './lines.js';

/** A lease that was not renewed for this long belongs to a process that crashed or hangs. */
export const STALE_MS = 15_000;

/** What a lease file says of the one who wrote it. `renewedAt` is epoch milliseconds of that machine's clock. */
export interface LeaseRecord {
  holder: string;
  pid: number;
  host: string;
  renewedAt: number;
}

export type Outcome = { held: true } | { held: false; by: string };

/** The steps on one lease file that have to be safe with several contenders. Knows nothing of timers or of what a lease is for. */
export class LeaseFile {
  /** When we first saw a text that another machine wrote, or that nobody can read: its age by our own clock. */
  private readonly seen = new Map<string, number>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly deps: { files: Files; clock: Clock; holder: string; processes: Processes },
    readonly path: string,
  ) {}

  /** The lease as it stands, or undefined where there is none that counts. */
  async living(): Promise<LeaseRecord | undefined> {
    const text = await this.text(this.path);
    return text === undefined || this.stale(text) ? undefined : (recordOf(text) ?? unknownHolder);
  }

  /** Takes the lease if it is free, ours or stale. */
  take(): Promise<Outcome> {
    return this.serially(() => this.takeNow());
  }

  /**
   * Writes a new time into a lease that is ours. False when it is ours no longer. A lease that has come close to staleness (the machine
   * slept) is taken again by the way that contenders take, so that one of us and them wins.
   */
  renew(): Promise<boolean> {
    return this.serially(() => this.renewNow());
  }

  /** Removes the lease if it is ours. */
  giveUp(): Promise<void> {
    return this.serially(async () => {
      const text = await this.text(this.path);
      if (text !== undefined && recordOf(text)?.holder === this.deps.holder) await this.deps.files.remove(this.path);
    });
  }

  /** Our own steps never overlap: a renewal that is under way must not write the file again after it was given up. */
  private serially<T>(step: () => Promise<T>): Promise<T> {
    const result = this.last.then(step);
    this.last = result.catch(() => undefined);
    return result;
  }

  private async takeNow(): Promise<Outcome> {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const text = await this.text(this.path);
      if (text === undefined) {
        if (await this.deps.files.createExclusive(this.path, this.mine())) return { held: true };
        continue;
      }
      const record = recordOf(text);
      if (record?.holder === this.deps.holder && !this.stale(text)) return { held: true };
      if (!this.stale(text)) return { held: false, by: record?.holder ?? unknownHolder.holder };
      const outcome = await this.takeOver(text);
      if (outcome) return outcome;
    }
    return { held: false, by: (await this.living())?.holder ?? unknownHolder.holder };
  }

  private async renewNow(): Promise<boolean> {
    const text = await this.text(this.path);
    const record = text === undefined ? undefined : recordOf(text);
    if (text === undefined || record?.holder !== this.deps.holder) return false;
    if (this.deps.clock.now() - record.renewedAt < (STALE_MS * 2) / 3) {
      await this.deps.files.writeAtomic(this.path, this.mine(), { flush: false });
      return true;
    }
    const outcome = await this.takeOver(text);
    return outcome?.held === true;
  }

  /** Whether this text is a record whose writer is gone. */
  stale(text: string): boolean {
    const { clock, processes } = this.deps;
    const record = recordOf(text);
    if (record?.host === processes.host) {
      if (!processes.alive(record.pid)) return true;
      const age = clock.now() - record.renewedAt;
      if (age > -STALE_MS) return age > STALE_MS;
    }
    // Clocks of other machines, and our own if set back, cannot be compared: such a lease is stale when we have seen it unchanged for long.
    const since = this.seen.get(text) ?? clock.now();
    this.seen.delete(text);
    this.seen.set(text, since);
    const oldest = this.seen.size > 8 ? this.seen.keys().next().value : undefined;
    if (oldest !== undefined) this.seen.delete(oldest);
    return clock.now() - since > STALE_MS;
  }

  /**
   * Replaces one stale text of the lease by ours. The right to do so is a claim file named after that text, created exclusively, so one
   * contender wins; a claim whose writer died is a stale text itself, to be claimed in turn. Undefined where the lease changed meanwhile.
   */
  private async takeOver(stale: string): Promise<Outcome | undefined> {
    const claims: string[] = [];
    for (let proof = stale; ;) {
      const claim = `${this.path}.${createHash('sha256').update(proof).digest('hex').slice(0, 12)}.claim`;
      claims.push(claim);
      if (await this.deps.files.createExclusive(claim, this.mine())) break;
      const text = await this.text(claim);
      if (text === undefined) return undefined;
      if (!this.stale(text)) return { held: false, by: recordOf(text)?.holder ?? unknownHolder.holder };
      proof += text;
    }
    try {
      return await this.replace(stale);
    } finally {
      for (const claim of claims) await this.deps.files.remove(claim);
    }
  }

  /** Moves the stale lease away, makes sure it was that one, and creates ours. */
  private async replace(stale: string): Promise<Outcome | undefined> {
    const { files, holder } = this.deps;
    if ((await this.text(this.path)) !== stale) return undefined;
    const aside = `${this.path}.${createHash('sha256').update(holder).digest('hex').slice(0, 12)}.stale`;
    try {
      await files.rename(this.path, aside);
    } catch {
      return undefined;
    }
    const moved = await this.text(aside);
    if (moved !== undefined && moved !== stale) await files.createExclusive(this.path, moved);
    const won = moved === stale && (await files.createExclusive(this.path, this.mine()));
    await files.remove(aside);
    if (!won) return undefined;
    return recordOf((await this.text(this.path)) ?? '')?.holder === holder ? { held: true } : undefined;
  }

  private mine(): string {
    const { clock, holder, processes } = this.deps;
    return JSON.stringify({ holder, pid: processes.pid, host: processes.host, renewedAt: clock.now() });
  }

  private async text(path: string): Promise<string | undefined> {
    try {
      return Buffer.from(await this.deps.files.read(path)).toString('utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }
}

const unknownHolder: LeaseRecord = { holder: 'another program', pid: 0, host: '', renewedAt: 0 };

/** The record in a lease's or a request's text; undefined for anything else. */
export function recordOf(text: string): LeaseRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { holder, pid, host, renewedAt } = value;
    if (typeof holder !== 'string' || typeof pid !== 'number' || typeof host !== 'string') return undefined;
    return typeof renewedAt === 'number' ? { holder, pid, host, renewedAt } : undefined;
  } catch {
    return undefined;
  }
}
