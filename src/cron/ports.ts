import type { Clock, Log } from '../platform/ports.js';
import type { Leases } from '../session/lease.js';
import type { DayBudget } from './dayBudget.js';
import type { Job } from './job.js';
import type { JobStore } from './jobs.js';
import type { RunHistory, RunRecord } from './runs.js';

/** What came of a run. */
export interface RunResult {
  status: 'ok' | 'error';
  text: string;
  error?: string;
  tokens: number;
  /** What was not allowed, since nobody could be asked. */
  denied: string[];
  /** Trying again would not help. */
  final?: boolean;
  /** Somebody stopped it, or its process ended. */
  stopped?: boolean;
  /** Labels of the files that the turn changed. */
  changed?: string[];
}

export interface CronDeps {
  store: JobStore;
  runs: RunHistory;
  budget: DayBudget;
  clock: Clock;
  log: Log;
  leases: Pick<Leases, 'acquire' | 'release' | 'otherHolder'>;
  settings(): { enabled: boolean; catchUp: boolean };
  /** Runs one job as a turn that nobody watches. */
  run(job: Job, options: { signal: AbortSignal; late: boolean; dueAt: number }): Promise<RunResult>;
  /** Tells the person what came of a run. */
  tell(job: Job, record: RunRecord, end: { disabled: boolean; retries: boolean }): void;
  notice(text: string): void;
  newId(): string;
}
