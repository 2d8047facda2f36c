import { t } from '@vscode/l10n';
import { join } from 'node:path';
import { codeOf } from '../platform/fileErrors.js';
import type { Clock, Disposable, Files, Log } from '../platform/ports.js';
import type { Leases } from '../session/lease.js';
import type { DayBudget } from './dayBudget.js';
import { HEARTBEAT_ID } from './jobSession.js';
import type { RunHistory, RunRecord } from './runs.js';
import type { RunResult } from './ports.js';

export const HEARTBEAT_FILE = 'HEARTBEAT.md';
const LEASE = 'cron.heartbeat';
/** Milliseconds after the start before the first look, and the longest sleep: see `CronService`. */
const FIRST_MS = 2 * 60_000;
const LOOK_MS = 15 * 60_000;

/** What stands under `## Active Tasks`, without comments; empty where there is nothing to do. */
export function activeTasks(text: string): string {
  const plain = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '');
  const section = /^##\s+Active Tasks\s*$([\s\S]*?)(?=^#{1,2}\s|$(?![\s\S]))/im.exec(plain);
  return (section?.[1] ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*[-*]\s*(?:\[x\].*)?$/i.test(line))
    .join('\n')
    .trim();
}

export interface HeartbeatDeps {
  files: Pick<Files, 'read'>;
  clock: Clock;
  log: Log;
  home: string;
  leases: Pick<Leases, 'acquire' | 'release'>;
  budget: DayBudget;
  runs: RunHistory;
  settings(): { enabled: boolean; intervalMs: number };
  /** Whether there is a model that may be used without being asked. */
  mayRun(): Promise<boolean>;
  /** Works on the tasks in a turn that nobody watches. */
  run(tasks: string, options: { signal: AbortSignal }): Promise<RunResult>;
  /** Asks the model whether a result is worth telling. Anything but a clear yes is no. */
  worthTelling(
    result: { tasks: string; text: string },
    signal: AbortSignal,
  ): Promise<{ tell: boolean; tokens: number }>;
  tell(record: RunRecord): void;
}

/**
 * Looks at the tasks of HEARTBEAT.md from time to time, in one window at a time. An empty list costs no request. The person is told only what a second
 * request calls worth telling.
 */
export class Heartbeat {
  private next: number | undefined;
  private timer: Disposable | undefined;
  private controller: AbortController | undefined;
  private work: Promise<unknown> = Promise.resolve();
  private ended = false;

  constructor(private readonly deps: HeartbeatDeps) {}

  /** Epoch milliseconds; undefined where it does not run by itself. */
  get nextAt(): number | undefined {
    return this.deps.settings().enabled ? this.next : undefined;
  }

  get running(): boolean {
    return this.controller !== undefined;
  }

  start(): void {
    if (this.next !== undefined || this.ended) return;
    this.sleepUntil(this.deps.clock.now() + FIRST_MS);
  }

  /** The tasks as they are written now. */
  async tasks(): Promise<string> {
    try {
      return activeTasks(
        Buffer.from(await this.deps.files.read(join(this.deps.home, HEARTBEAT_FILE))).toString('utf8'),
      );
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') return '';
      throw cause;
    }
  }

  /** Works on the tasks now because a person wants it. Rejects where there are none, or it runs already. */
  async runNow(): Promise<RunRecord> {
    const tasks = await this.tasks();
    if (tasks === '') throw new Error(t('HEARTBEAT.md has no active tasks. Write them under "## Active Tasks".'));
    if (this.controller || !(await this.deps.leases.acquire(LEASE)).held)
      throw new Error(t('The heartbeat is running already. Wait until it has ended.'));
    if (this.ended) {
      await this.deps.leases.release(LEASE);
      throw new Error(t('Nanobot is closing: the heartbeat does not begin any more.'));
    }
    return this.beat(tasks, 'hand');
  }

  async dispose(): Promise<void> {
    this.ended = true;
    this.timer?.dispose();
    this.controller?.abort();
    await this.work;
  }

  private sleepUntil(at: number): void {
    if (this.ended) return;
    const { clock, log } = this.deps;
    this.next = at;
    this.timer?.dispose();
    this.timer = clock.after(Math.max(0, Math.min(at - clock.now(), LOOK_MS)), () => {
      this.work = this.look().catch((cause: unknown) => {
        log.error('The heartbeat could not look at its tasks.', cause);
        this.sleepUntil(clock.now() + this.deps.settings().intervalMs);
      });
    });
  }

  private async look(): Promise<void> {
    const { clock, settings, budget, mayRun, leases } = this.deps;
    const { intervalMs, enabled } = settings();
    const now = clock.now();
    // The clock was set back, or the interval made shorter.
    if ((this.next ?? now) - now > intervalMs) this.next = now + intervalMs;
    if (now < (this.next ?? now)) return this.sleepUntil(this.next ?? now);
    const tasks = enabled ? await this.tasks() : '';
    if (tasks === '' || (await budget.isSpent()) || !(await mayRun())) return this.sleepUntil(now + intervalMs);
    if (this.controller || !(await leases.acquire(LEASE)).held) return this.sleepUntil(now + intervalMs);
    const last = await budget.heartbeatAt();
    if (this.ended || (last <= now && last + intervalMs > now)) {
      await leases.release(LEASE);
      return this.sleepUntil(last + intervalMs);
    }
    await this.beat(tasks, 'due');
    this.sleepUntil(clock.now() + intervalMs);
  }

  /** With the lease in hand. */
  private async beat(tasks: string, why: RunRecord['why']): Promise<RunRecord> {
    const { clock, leases, budget, runs, run, tell, log } = this.deps;
    const controller = new AbortController();
    this.controller = controller;
    try {
      const at = clock.now();
      await budget.setHeartbeatAt(at);
      const result = await run(tasks, { signal: controller.signal });
      const verdict = await this.judge(tasks, result, controller.signal);
      await budget.add(result.tokens + verdict.tokens);
      const record: RunRecord = {
        at,
        ms: clock.now() - at,
        status: result.status,
        why,
        session: HEARTBEAT_ID,
        ...(result.text === '' ? {} : { text: result.text }),
        ...(result.error === undefined ? {} : { error: result.error }),
        ...(result.denied.length === 0 ? {} : { denied: result.denied }),
      };
      await runs.add(HEARTBEAT_ID, record);
      if (record.status === 'error') log.warn(`The heartbeat failed: ${record.error ?? ''}`);
      if ((verdict.tell || record.denied !== undefined) && !this.ended) tell(record);
      return record;
    } finally {
      this.controller = undefined;
      await leases.release(LEASE);
    }
  }

  /** On doubt it is silent. */
  private async judge(tasks: string, { status, text }: RunResult, signal: AbortSignal) {
    if (status !== 'ok' || text.trim() === '' || signal.aborted) return { tell: false, tokens: 0 };
    try {
      return await this.deps.worthTelling({ tasks, text }, signal);
    } catch (cause) {
      this.deps.log.warn(`Whether to tell what the heartbeat found could not be decided: ${String(cause)}`);
      return { tell: false, tokens: 0 };
    }
  }
}
