import type { Clock } from '../platform/ports.js';
import { safeName } from '../session/names.js';
import { following, plannedFor, type Due } from './due.js';
import type { Job } from './job.js';
import { interrupted } from './outcome.js';
import type { CronDeps } from './ports.js';

/** Runs whose process is gone are over: they are not repeated, and the person sees that. */
export async function healRuns(
  { store, leases, clock, runs }: Pick<CronDeps, 'store' | 'leases' | 'clock' | 'runs'>,
  isOurs: (id: string) => boolean,
): Promise<void> {
  for (const { id, state } of await store.list()) {
    const since = state.runningSinceMs;
    if (since === undefined || isOurs(id)) continue;
    if ((await leases.otherHolder(lockOf(id))) !== undefined) continue;
    let why: 'due' | 'hand' | undefined;
    await store.change((jobs) => {
      const job = jobs.find((one) => one.id === id);
      if (job?.state.runningSinceMs === since) why = interrupted(job);
      return why !== undefined;
    });
    if (why)
      await runs.add(id, {
        at: since,
        ms: clock.now() - since,
        status: 'error',
        why,
        error: 'The program that ran it was ended.',
      });
  }
}

/** The lease that is held while a job runs. */
export function lockOf(id: string): string {
  return `cron.job.${safeName(id)}`;
}

/** Whether the time in the file is missing or does not fit its schedule any more. */
export function isUnplanned(job: Job, clock: Clock): boolean {
  if (!job.enabled || job.problem !== undefined) return false;
  return plannedFor(job, clock.now(), clock.zone()) !== job.state.nextRunAtMs;
}

/** Marks a job as running; false where it is gone. */
export function begin(jobs: Job[], id: string, now: number): boolean {
  const job = jobs.find((one) => one.id === id);
  if (job) job.state.runningSinceMs = now;
  return job !== undefined;
}

/** Takes a due time: from now on it never comes again. */
export function take(job: Job, due: Due, now: number, zone: string): void {
  delete job.state.retryAtMs;
  if (due.why === 'retry') return;
  job.state.lastDueAtMs = due.at;
  writeNext(job, following(job, now, zone));
}

/** Writes down when a job comes next. */
export function writeNext({ state }: Job, next: number | undefined): void {
  if (next === undefined) delete state.nextRunAtMs;
  else state.nextRunAtMs = next;
}
