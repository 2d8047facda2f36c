import { join } from 'node:path';
import { t } from '@vscode/l10n';
import { unlessAborted } from '../platform/abort.js';
import type { Clock, Disposable, Files, Log, Processes } from '../platform/ports.js';
import { LeaseFile, type Outcome, recordOf } from './leaseFile.js';

/** How often every lease of this process is renewed, by one timer. */
export const RENEW_MS = 5_000;
/** A holder that has not renewed for this long asks the file before it writes. */
const CONFIRM_MS = 10_000;
/** A holder that is asked while it works looks again this often, so that the one who waits goes on soon after. */
const ASKED_MS = 500;

/** Why a lease ended without our asking: another took it after we had not renewed it, or asked for it and was given it. */
export type LeaseEnd = 'taken' | 'handover';

/**
 * The leases of one process on things that one process at a time may write. They live in a folder as `<name>.lock`, hold while this process
 * renews them, and are free at once when its process is gone, 15 s after the last renewal otherwise. A process that wants one writes
 * `<name>.request`; the holder gives it up when its owner says that nothing runs. No timer and no watch while nothing is held or wanted.
 */
export class Leases {
  /** When each was renewed last. */
  private readonly held = new Map<string, { renewedAt: number }>();
  private readonly wanted = new Map<string, { got(): void; giveUp(reason: Error): void }>();
  /** Lease files remember what they saw of other machines' clocks, so one object serves a name for good. */
  private readonly files = new Map<string, LeaseFile>();
  private readonly endings = new Set<(name: string, why: LeaseEnd) => void>();
  private mayHandOver: (name: string) => boolean = () => false;
  private timer: Disposable | undefined;
  private asked: Disposable | undefined;
  private watch: Disposable | undefined;
  private round: Promise<void> | undefined;
  private next: 'nothing' | 'look' | 'renew' = 'nothing';

  constructor(
    private readonly deps: {
      files: Files;
      clock: Clock;
      log: Log;
      /** Where the lease files lie. */
      folder: string;
      /** Unique to this process or window. */
      holder: string;
      processes: Processes;
    },
  ) {}

  /** Takes a lease, or says who has it. Taking one that is ours already is no work. */
  async acquire(name: string): Promise<Outcome> {
    if (this.held.has(name) && (await this.confirm(name))) return { held: true };
    const outcome = await this.file(name).take();
    if (outcome.held) {
      this.held.set(name, { renewedAt: this.deps.clock.now() });
      this.wakeUp();
    }
    return outcome;
  }

  /**
   * Whether we may write now. Asks the file only where the last renewal is long ago, as after a sleep of the machine: another process may
   * have taken over meanwhile. When so, listeners are told and the lease is gone.
   */
  async confirm(name: string): Promise<boolean> {
    const lease = this.held.get(name);
    if (!lease) return false;
    if (Math.abs(this.deps.clock.now() - lease.renewedAt) < CONFIRM_MS) return true;
    return this.renew(name, lease);
  }

  get folder(): string {
    return this.deps.folder;
  }

  holds(name: string): boolean {
    return this.held.has(name);
  }

  /** Who else holds it now; undefined where nobody or we do. */
  async otherHolder(name: string): Promise<string | undefined> {
    if (this.held.has(name)) return undefined;
    const record = await this.file(name).living();
    return record && record.holder !== this.deps.holder ? record.holder : undefined;
  }

  async release(name: string): Promise<void> {
    if (!this.held.delete(name)) return;
    this.restIfIdle();
    await this.file(name).giveUp();
  }

  /**
   * Asks the holder for a lease and resolves once it is ours, which may take as long as the holder's work does. Rejects with the signal's
   * reason when aborted; the request is then withdrawn.
   */
  async request(name: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const path = this.requestPath(name);
    const waiting = new Promise<void>((resolve, reject) => {
      this.wanted.set(name, { got: resolve, giveUp: reject });
    });
    try {
      this.wakeUp();
      this.look();
      await unlessAborted(waiting, signal);
    } finally {
      this.wanted.delete(name);
      this.restIfIdle();
      await this.round;
      await this.deps.files.remove(path);
    }
  }

  /** Who decides whether a lease may go to another process now. Until somebody does, none goes. */
  allowHandover(decide: (name: string) => boolean): Disposable {
    this.mayHandOver = decide;
    return { dispose: () => (this.mayHandOver = () => false) };
  }

  /** Leases that ended without our asking. */
  onEnd(listener: (name: string, why: LeaseEnd) => void): Disposable {
    this.endings.add(listener);
    return { dispose: () => this.endings.delete(listener) };
  }

  /** Gives every lease back and stops renewing. */
  async dispose(): Promise<void> {
    for (const wish of this.wanted.values()) wish.giveUp(new Error(t('The window was closed before it got the chat.')));
    const names = [...this.held.keys()];
    for (const name of names) await this.release(name);
    this.restIfIdle();
    await this.round;
  }

  private file(name: string): LeaseFile {
    const file = this.files.get(name) ?? new LeaseFile(this.deps, join(this.deps.folder, `${name}.lock`));
    this.files.set(name, file);
    return file;
  }

  private requestPath(name: string): string {
    return join(this.deps.folder, `${name}.request`);
  }

  private wakeUp(): void {
    this.timer ??= this.deps.clock.after(RENEW_MS, () => {
      this.timer = undefined;
      this.look(true);
      if (this.held.size > 0 || this.wanted.size > 0) this.wakeUp();
    });
    this.watch ??= this.deps.files.watch(this.deps.folder, () => this.look());
  }

  private restIfIdle(): void {
    if (this.held.size > 0 || this.wanted.size > 0) return;
    this.timer?.dispose();
    this.asked?.dispose();
    this.watch?.dispose();
    this.timer = undefined;
    this.asked = undefined;
    this.watch = undefined;
  }

  /** One round over all leases at a time; news during a round starts another after it. */
  private look(renew = false): void {
    if (this.round) {
      if (this.next !== 'renew') this.next = renew ? 'renew' : 'look';
      return;
    }
    this.round = this.goRound(renew).finally(() => {
      this.round = undefined;
      const next = this.next;
      this.next = 'nothing';
      if (next !== 'nothing') this.look(next === 'renew');
    });
  }

  private async goRound(renew: boolean): Promise<void> {
    for (const [name, lease] of [...this.held]) {
      await this.attempt(name, async () => {
        if (!renew || (await this.renew(name, lease))) await this.handOverIfAsked(name);
      });
    }
    for (const [name, wish] of [...this.wanted]) {
      await this.attempt(name, async () => {
        const outcome = await this.acquire(name);
        if (outcome.held) wish.got();
        else await this.askFor(name, renew);
      });
    }
  }

  /** What goes wrong with one lease must not keep the others from being renewed. */
  private async attempt(name: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.deps.log.warn(`The lease of ${name} could not be looked after: ${String(error)}`);
    }
  }

  private async renew(name: string, lease: { renewedAt: number }): Promise<boolean> {
    const ours = await this.file(name).renew();
    if (ours) lease.renewedAt = this.deps.clock.now();
    else if (this.held.get(name) === lease) this.end(name, 'taken');
    return ours && this.held.get(name) === lease;
  }

  private async handOverIfAsked(name: string): Promise<void> {
    const path = this.requestPath(name);
    const stat = await this.deps.files.stat(path);
    if (!stat || !this.held.has(name)) return;
    const text = Buffer.from(await this.deps.files.read(path)).toString('utf8');
    if (recordOf(text)?.holder === this.deps.holder) return;
    if (this.file(name).stale(text)) return this.deps.files.remove(path);
    if (!this.mayHandOver(name)) {
      this.asked ??= this.deps.clock.after(ASKED_MS, () => {
        this.asked = undefined;
        this.look();
      });
      return;
    }
    this.end(name, 'handover');
    await this.file(name).giveUp();
  }

  /** Writes the request, and writes it again with each renewal, so that one of a process that is gone can be told. */
  private async askFor(name: string, renew: boolean): Promise<void> {
    const path = this.requestPath(name);
    if (!renew && (await this.deps.files.stat(path))) return;
    const { clock, holder, processes } = this.deps;
    const record = { holder, pid: processes.pid, host: processes.host, renewedAt: clock.now() };
    await this.deps.files.writeAtomic(path, JSON.stringify(record), { flush: false });
  }

  private end(name: string, why: LeaseEnd): void {
    this.held.delete(name);
    this.restIfIdle();
    for (const listener of this.endings) listener(name, why);
  }
}
