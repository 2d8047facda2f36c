import { t } from '@vscode/l10n';
import { english, WordsError } from '../platform/words.js';
import { jobSession } from './jobSession.js';
import { reasonOf } from '../platform/reason.js';
import type { Disposable } from '../platform/ports.js';
import { begin, healRuns, isUnplanned, lockOf, take, writeNext } from './claims.js';
import { dueOf, plannedFor, type Due } from './due.js';
import type { Job } from './job.js';
import { JobEditor } from './jobEditor.js';
import { finished } from './outcome.js';
import type { CronDeps, RunResult } from './ports.js';
import type { RunRecord } from './runs.js';

/** Runs at once, over all windows: only who holds the lease starts any. */
const SIDE_BY_SIDE = 2;
const RUNNER = 'cron.runner';
/** The longest sleep: timers stand still while a machine sleeps and know nothing of a clock that was set. */
const LOOK_MS = 300_000;
/** Milliseconds after which another window's due job is looked at again: it may have crashed. */
const OVERDUE_MS = 5_000;
/** A run that begins this long after its time was missed, and is not merely a little late. */
const LATE_MS = 2 * LOOK_MS;

interface Claim {
  job: Job;
  due: Due;
  why: RunRecord['why'];
}

/**
 * CronService: runs jobs when their time has come, in whichever window or gateway holds the lease. A due time is taken on disk, under the lock of
 * jobs.json, before its run begins, so it runs at most once, whoever is killed and when. One timer, and none where nothing is planned.
 */
export class CronService {
  readonly jobs: JobEditor;
  private readonly running = new Map<string, { controller: AbortController; done: Promise<unknown> }>();
  /** Jobs of which a run is being begun, is under way or is being ended here: a lease of ours does not keep us out. */
  private readonly reserved = new Set<string>();
  private readonly listeners = new Set<() => void>();
  private known: Job[] = [];
  private nextAt: number | undefined;
  private lookedAt = 0;
  private timer: Disposable | undefined;
  private watch: Disposable | undefined;
  private work: Promise<void> = Promise.resolve();
  private stopped = false;
  /** Whether `start` was called; else jobs run only by hand. */
  private started = false;
  private patience = 0;

  constructor(private readonly deps: CronDeps) {
    this.jobs = new JobEditor(deps);
  }

  /**
   * Begins to run jobs by itself. `patienceMs` is for a shell that people do not look at: so long after a job's time it leaves it to a window.
   */
  start({ patienceMs = 0 }: { patienceMs?: number } = {}): void {
    if (this.started || this.stopped) return;
    this.started = true;
    this.patience = patienceMs;
    this.watch = this.deps.store.onChange(() => {
      this.later(() => this.plan());
    });
    this.later(async () => {
      await healRuns(this.deps, (id) => this.reserved.has(id));
      await this.plan();
    });
  }

  /** Whether a run of this job is under way in this process. */
  isRunning(id: string): boolean {
    return this.running.has(id);
  }

  /** Calls back when a job changed, began or ended. */
  onChange(listener: () => void): Disposable {
    this.listeners.add(listener);
    const watch = this.deps.store.onChange(listener);
    return {
      dispose: () => {
        this.listeners.delete(listener);
        watch.dispose();
      },
    };
  }

  /**
   * Runs a job because a person wants it, also one that is disabled; its times stay as they are. `signal` ends it. Rejects where it runs already or
   * is not there.
   */
  async runNow(id: string, signal?: AbortSignal): Promise<RunRecord> {
    const { clock, store } = this.deps;
    const job = await this.jobs.find(id);
    const { name, problem, problemInEnglish = problem } = job;
    if (problem !== undefined)
      throw new WordsError((t) => t('"{0}" cannot run: {1}', name, (t === english ? problemInEnglish : problem) ?? ''));
    if (!(await this.lock(job.id)))
      throw new WordsError((t) => t('"{0}" is running already. Wait until it has ended.', name));
    try {
      let found = false;
      await store.change((jobs) => (found = !this.stopped && begin(jobs, job.id, clock.now())));
      if (!found)
        throw new WordsError((t) =>
          this.stopped ? t('Nanobot is closing: no runs begin any more.') : t('"{0}" was removed meanwhile.', name),
        );
    } catch (cause) {
      await this.unlock(job.id);
      throw cause;
    }
    return this.launch({ job, due: { at: clock.now(), why: 'due' }, why: 'hand' }, signal);
  }

  /** Ends a run of this process. */
  stop(id: string): void {
    this.running.get(id)?.controller.abort();
  }

  /** Resolves when what has been begun so far is done. */
  async settled(): Promise<void> {
    await this.work;
    if (this.running.size > 0) await Promise.allSettled([...this.running.values()].map(({ done }) => done));
  }

  /** Ends runs under way and starts no more. */
  async dispose(): Promise<void> {
    this.stopped = true;
    this.timer?.dispose();
    this.watch?.dispose();
    this.listeners.clear();
    for (const { controller } of this.running.values()) controller.abort();
    await this.settled();
  }

  /** Steps that read and write jobs.json come one after the other. */
  private later(step: () => Promise<void>): void {
    this.work = this.work.then(async () => {
      if (this.stopped || !this.started) return;
      try {
        await step();
      } catch (cause) {
        this.deps.log.error('The schedules could not be looked at.', cause);
        this.sleepUntil(this.deps.clock.now() + LOOK_MS);
      }
    });
  }

  /** Reads the jobs, writes down the times that are missing or stale, and sleeps until the first. */
  private async plan(): Promise<void> {
    const { store, clock } = this.deps;
    this.known = await store.list();
    if (this.known.some((job) => isUnplanned(job, clock))) {
      this.known = await store.change((jobs) => {
        const stale = jobs.filter((job) => isUnplanned(job, clock));
        for (const job of stale) writeNext(job, plannedFor(job, clock.now(), clock.zone()));
        return stale.length > 0;
      });
    }
    this.sleep();
  }

  /** Sleeps until the first job is due. With every place taken the end of a run wakes it. */
  private sleep(): void {
    const { clock } = this.deps;
    const due = this.known.flatMap((job) => {
      const at = this.running.has(job.id) ? undefined : dueOf(job, clock.now(), clock.zone())?.at;
      return at === undefined ? [] : [at + this.patience];
    });
    const isFull = this.running.size >= SIDE_BY_SIDE;
    this.sleepUntil(due.length === 0 || isFull ? undefined : Math.min(...due));
  }

  private sleepUntil(at: number | undefined): void {
    this.nextAt = at;
    this.timer?.dispose();
    this.timer = undefined;
    if (at === undefined || this.stopped) return;
    const left = Math.max(0, at - this.deps.clock.now());
    this.timer = this.deps.clock.after(Math.min(left, LOOK_MS), () => {
      this.look();
    });
  }

  /** Cheap while nothing is due: no file is read. */
  private look(): void {
    const now = this.deps.clock.now();
    const { nextAt = Infinity, lookedAt } = this;
    this.lookedAt = now;
    if (now >= nextAt) this.later(() => this.takeDue());
    // The clock was put back: what is planned may be too far off now.
    else if (now < lookedAt) this.later(() => this.plan());
    else this.sleepUntil(nextAt);
  }

  private async takeDue(): Promise<void> {
    const { clock, leases, budget, notice, settings } = this.deps;
    if (!settings().enabled) return this.sleepUntil(clock.now() + LOOK_MS);
    if (await budget.isSpent()) {
      if (await budget.mayTell())
        notice(
          t(
            'The schedules have used their tokens of today and go on tomorrow. nanobot.cron.maxTokensPerDay sets how many they may use.',
          ),
        );
      return this.sleepUntil(clock.now() + LOOK_MS);
    }
    if (!(await leases.acquire(RUNNER)).held) {
      await this.plan();
      const soon = clock.now() + OVERDUE_MS;
      return this.nextAt !== undefined && this.nextAt < soon ? this.sleepUntil(soon) : undefined;
    }
    let blocked = false;
    try {
      await healRuns(this.deps, (id) => this.reserved.has(id));
      for (const job of await this.dueJobs()) {
        if (this.running.size >= SIDE_BY_SIDE || this.stopped) break;
        const claim = await this.claim(job);
        if (claim === 'busy') blocked = true;
        else if (claim)
          void this.launch(claim).catch((cause: unknown) =>
            this.deps.log.error(`"${job.name}" could not be run.`, cause),
          );
      }
    } finally {
      await this.restIfIdle();
    }
    await this.plan();
    if (blocked) this.sleepUntil(Math.max(this.nextAt ?? 0, clock.now() + OVERDUE_MS));
  }

  /** The earliest first. */
  private async dueJobs(): Promise<Job[]> {
    const { clock, store } = this.deps;
    const now = clock.now();
    return (await store.list())
      .map((job) => ({ job, due: dueOf(job, now, clock.zone()) }))
      .filter(({ job, due }) => due !== undefined && due.at <= now && !this.running.has(job.id))
      .sort((left, right) => (left.due?.at ?? 0) - (right.due?.at ?? 0))
      .map(({ job }) => job);
  }

  /** Takes a due time, on disk, before anything of it runs. Undefined where another took it or it is passed over. */
  private async claim({ id }: Job): Promise<Claim | 'busy' | undefined> {
    const { clock, store, settings, runs } = this.deps;
    if (!(await this.lock(id))) return 'busy';
    let claim: Claim | undefined;
    let skipped: RunRecord | undefined;
    try {
      await store.change((jobs) => {
        const job = jobs.find((one) => one.id === id);
        const now = clock.now();
        const due = job && dueOf(job, now, clock.zone());
        if (!job || !due || due.at > now || this.stopped) return false;
        const passOver =
          now - due.at > LATE_MS && due.why === 'due' && job.schedule.kind !== 'at' && !settings().catchUp;
        take(job, due, now, clock.zone());
        if (passOver) {
          job.state.lastStatus = 'skipped';
          skipped = { at: now, ms: 0, status: 'skipped', why: 'due', dueAt: due.at };
        } else {
          job.state.runningSinceMs = now;
          claim = { job: structuredClone(job), due, why: due.why };
        }
        return true;
      });
    } finally {
      if (!claim) await this.unlock(id);
    }
    if (skipped) await runs.add(id, skipped);
    return claim;
  }

  /** Runs what was taken, and writes down what came of it. */
  private launch({ job, due, why }: Claim, outer?: AbortSignal): Promise<RunRecord> {
    const controller = new AbortController();
    // Disposed while its time was taken: that is written down, and nothing is done.
    if (this.stopped) controller.abort();
    const signal = outer ? AbortSignal.any([controller.signal, outer]) : controller.signal;
    const done = this.runToEnd(job, due, why, signal).finally(async () => {
      this.running.delete(job.id);
      await this.unlock(job.id);
      this.changed();
      this.later(async () => {
        await this.restIfIdle();
        await this.plan();
      });
    });
    this.running.set(job.id, { controller, done });
    this.changed();
    return done;
  }

  private async runToEnd(job: Job, due: Due, why: RunRecord['why'], signal: AbortSignal): Promise<RunRecord> {
    const { clock, store, runs, budget, tell, log } = this.deps;
    const at = clock.now();
    const late = why === 'due' && at - due.at > LATE_MS;
    const result = await this.attempt(job, { signal, late, dueAt: due.at });
    const record: RunRecord = {
      at,
      ms: clock.now() - at,
      status: result.status,
      why,
      session: jobSession(job.id),
      ...(why === 'hand' ? {} : { dueAt: due.at }),
      ...(late ? { late } : {}),
      ...(result.error === undefined ? {} : { error: result.error }),
      ...(result.text === '' ? {} : { text: result.text }),
      ...(result.denied.length === 0 ? {} : { denied: result.denied }),
      ...(result.tokens === 0 ? {} : { tokens: result.tokens }),
    };
    await budget
      .add(result.tokens)
      .catch((cause: unknown) => log.warn(`Tokens could not be counted: ${String(cause)}`));
    await runs.add(job.id, record);
    let end = { disabled: false, retries: false };
    await store.change((jobs) => {
      const found = jobs.findIndex((one) => one.id === job.id);
      const current = jobs[found];
      if (!current) return false;
      const done = finished(current, { at, why, result, now: clock.now(), stopped: signal.aborted });
      end = { disabled: done.disabled, retries: current.state.retryAtMs !== undefined };
      if (done.remove) jobs.splice(found, 1);
      return true;
    });
    if (!this.stopped) tell(job, record, end);
    return record;
  }

  private async attempt(job: Job, options: { signal: AbortSignal; late: boolean; dueAt: number }): Promise<RunResult> {
    try {
      return await this.deps.run(job, options);
    } catch (cause) {
      this.deps.log.error(`"${job.name}" failed.`, cause);
      const error = reasonOf(cause);
      return { status: 'error', text: '', error, tokens: 0, denied: [] };
    }
  }

  private async lock(id: string): Promise<boolean> {
    if (this.reserved.has(id)) return false;
    this.reserved.add(id);
    let held = false;
    try {
      ({ held } = await this.deps.leases.acquire(lockOf(id)));
    } finally {
      if (!held) this.reserved.delete(id);
    }
    return held;
  }

  private async unlock(id: string): Promise<void> {
    try {
      await this.deps.leases.release(lockOf(id));
    } finally {
      this.reserved.delete(id);
    }
  }

  /** The lease is held only while something runs: nothing is renewed in between. */
  private async restIfIdle(): Promise<void> {
    if (this.running.size === 0) await this.deps.leases.release(RUNNER);
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
