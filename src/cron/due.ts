import type { Job } from './job.js';
import { nextRun } from './schedule.js';

/** A clock that is put back by no more than this shows hours that were lived through already: their runs are not repeated. */
const SET_BACK_MS = 2 * 3_600_000;
/** Milliseconds before a failed run is tried again, by the number of tries. */
export const RETRY_MS = [30_000, 60_000, 300_000];

export interface Due {
  at: number;
  why: 'due' | 'retry';
}

/** When a job runs next, be it in the past; undefined where it does not run by itself. Times are epoch milliseconds. */
export function dueOf(job: Job, now: number, zone: string): Due | undefined {
  if (!job.enabled || job.problem !== undefined) return undefined;
  const at = plannedFor(job, now, zone);
  const { retryAtMs } = job.state;
  // A clock that was set back must not put a try off for hours.
  const retry = retryAtMs === undefined ? undefined : Math.min(retryAtMs, now + Math.max(...RETRY_MS));
  if (retry !== undefined && (at === undefined || retry < at)) return { at: retry, why: 'retry' };
  return at === undefined ? undefined : { at, why: 'due' };
}

/**
 * The time that the schedule means next: what the file says, where that fits the schedule, else counted from now. A due time that was taken never
 * comes again, also where the clock was put back an hour; one that lies days ahead since the clock was wrong is forgotten.
 */
export function plannedFor(job: Job, now: number, zone: string): number | undefined {
  const { schedule, state } = job;
  const { nextRunAtMs: stored, lastDueAtMs: last, lastRunAtMs } = state;
  if (schedule.kind === 'at') {
    const isDone = last === schedule.atMs || (last === undefined && (lastRunAtMs ?? -Infinity) >= schedule.atMs);
    return isDone ? undefined : schedule.atMs;
  }
  if (schedule.kind === 'every') {
    if (stored !== undefined && stored !== last && stored <= now + schedule.everyMs) return stored;
    const wasSetBack = (last ?? stored ?? now) > now;
    return wasSetBack ? now + schedule.everyMs : nextRun(schedule, now, { zone, from: job.updatedAtMs || now });
  }
  const livedThrough = last !== undefined && last > now && last - now <= SET_BACK_MS;
  const expected = nextRun(schedule, livedThrough ? last : now, { zone });
  if (stored === undefined || expected === undefined || stored > expected || stored === last) return expected;
  if (livedThrough && stored <= last) return expected;
  return nextRun(schedule, stored - 1_000, { zone }) === stored ? stored : expected;
}

/** When a job comes after a run that began now. */
export function following(job: Job, now: number, zone: string): number | undefined {
  const { schedule } = job;
  return schedule.kind === 'at' ? undefined : nextRun(schedule, now, { zone, from: anchorOf(job, now) });
}

/** Stretches go on from the time that was planned, so that they do not creep by the length of each run. */
function anchorOf({ state, updatedAtMs }: Job, now: number): number {
  const planned = state.lastDueAtMs ?? state.nextRunAtMs ?? updatedAtMs;
  return planned > now || planned === 0 ? now : planned;
}
