import { DayBudget } from '../../src/cron/dayBudget.js';
import type { Job } from '../../src/cron/job.js';
import { JobStore } from '../../src/cron/jobs.js';
import type { CronDeps, RunResult } from '../../src/cron/ports.js';
import { RunHistory, type RunRecord } from '../../src/cron/runs.js';
import { CronService } from '../../src/cron/service.js';
import type { Clock, Files, Processes } from '../../src/platform/ports.js';
import { Leases } from '../../src/session/lease.js';
import { memoryFiles } from './memoryFiles.js';

/** A Wednesday, 15:23 in Berlin. */
export const CRON_TIME = Date.parse('2026-04-15T13:23:00Z');

/** A clock that stands still until told, in Berlin unless it is elsewhere. */
export class TestClock implements Clock {
  constructor(private readonly place = 'Europe/Berlin') {}

  private time = CRON_TIME;
  private readonly timers = new Set<{ at: number; run: () => void }>();

  now = () => this.time;
  zone = () => this.place;
  after(ms: number, run: () => void) {
    const timer = { at: this.time + ms, run };
    this.timers.add(timer);
    return { dispose: () => this.timers.delete(timer) };
  }
  sleep(ms: number): Promise<void> {
    this.time += ms;
    return Promise.resolve();
  }
  /** Somebody sets the clock, or the machine slept: timers do not notice. */
  set(to: number): void {
    for (const timer of this.timers) timer.at += to - this.time;
    this.time = to;
  }
  /** Time passes; after each timer everything it began comes to its end. */
  async pass(ms: number, settle: () => Promise<void>): Promise<void> {
    const until = this.time + ms;
    for (;;) {
      let next: { at: number; run: () => void } | undefined;
      for (const timer of this.timers) if (timer.at <= until && (!next || timer.at < next.at)) next = timer;
      if (!next) break;
      this.timers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.run();
      await settle();
    }
    this.time = until;
  }
  get pending(): number {
    return this.timers.size;
  }
}

export interface CronLabOptions {
  files?: Files & { texts?: Map<string, string> };
  clock?: TestClock;
  settings?: { enabled?: boolean; catchUp?: boolean };
  limit?: number;
  run?: CronDeps['run'];
  pid?: number;
  gone?: number[];
  start?: boolean;
}

export const OK: RunResult = { status: 'ok', text: 'done', tokens: 10, denied: [] };
export const FAILED: RunResult = { status: 'error', text: '', error: 'no luck', tokens: 10, denied: [] };

/** The service as one window has it, on a disk in memory; `ran` lists each run as it began. */
export function cronLab(options: CronLabOptions = {}) {
  const files = options.files ?? memoryFiles();
  const clock = options.clock ?? new TestClock();
  const home = '/home/agent';
  const texts = files as ReturnType<typeof memoryFiles>;
  const gone = options.gone ?? [];
  const pid = options.pid ?? 1;
  const processes: Processes = { pid, host: 'here', alive: (other) => !gone.includes(other) };
  const logged: string[] = [];
  const say = (text: string, cause?: unknown) =>
    void logged.push(cause instanceof Error ? `${text} ${cause.message}` : text);
  const log = { debug: () => undefined, info: () => undefined, warn: say, error: say };
  const notices: string[] = [];
  const notice = (text: string) => void notices.push(text);
  const leases = new Leases({
    files,
    clock,
    log,
    folder: `${home}/.nanobot/locks`,
    holder: `window-${String(pid)}`,
    processes,
  });
  const store = new JobStore({ files, clock, log, home, leases, notice });
  const runs = new RunHistory({ files, log, home });
  const budget = new DayBudget({ files, clock, home, leases, limit: () => options.limit ?? 0 });
  const ran: { name: string; at: string; late: boolean }[] = [];
  const told: { job: Job; record: RunRecord; disabled: boolean }[] = [];
  const settings = { enabled: true, catchUp: true, ...options.settings };
  let ids = 0;
  const service = new CronService({
    ...{ store, runs, budget, clock, log, leases, notice },
    settings: () => settings,
    newId: () => (++ids).toString(16).padStart(8, '0'),
    run: async (job, given) => {
      ran.push({ name: job.name, at: new Date(clock.now()).toISOString().slice(0, 16), late: given.late });
      return (await options.run?.(job, given)) ?? OK;
    },
    tell: (job, record, { disabled }) => void told.push({ job, record, disabled }),
  });
  if (options.start !== false) service.start();
  const settle = async () => {
    let before: number;
    do {
      before = texts.steps();
      await service.settled();
    } while (texts.steps() !== before);
  };
  return {
    ...{ service, store, files, clock, leases, ran, told, notices, logged, settings, budget, runs },
    settle,
    pass: (ms: number) => clock.pass(ms, settle),
    times: (name: string) => ran.filter((run) => run.name === name).map(({ at }) => at),
    file: () =>
      JSON.parse(
        Buffer.from((files as ReturnType<typeof memoryFiles>).texts.get(`${home}/cron/jobs.json`) ?? '{}').toString(
          'utf8',
        ),
      ) as { jobs: Record<string, unknown>[] },
    write: (value: unknown) =>
      files.writeAtomic(`${home}/cron/jobs.json`, typeof value === 'string' ? value : JSON.stringify(value)),
  };
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
