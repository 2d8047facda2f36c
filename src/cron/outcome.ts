import { t } from '@vscode/l10n';
import { RETRY_MS } from './due.js';
import type { Job } from './job.js';
import type { RunResult } from './ports.js';

/** Failures in a row after which a job is disabled. */
const MOST_FAILURES = 10;

/**
 * Writes what came of a run into its job: a failed one is tried again after 30 s, 60 s and 5 min, then waits for its next time; ten failures in a
 * row disable it. A single run that is over disables its job, or `remove` says that it goes.
 */
export function finished(
  job: Job,
  run: { at: number; why: 'due' | 'retry' | 'hand'; result: RunResult; now: number; stopped: boolean },
): { remove: boolean; disabled: boolean } {
  const { state } = job;
  delete state.runningSinceMs;
  state.lastRunAtMs = run.at;
  state.lastStatus = run.result.status;
  if (run.result.status === 'ok') {
    delete state.lastError;
    delete state.failures;
    delete state.retryAtMs;
    return { remove: endsSingleRun(job, run.why) && job.deleteAfterRun, disabled: false };
  }
  state.lastError = run.result.error ?? t('It failed without a reason.');
  // Who ran it by hand is there to run it again, and who stopped it did not want it.
  if (run.why === 'hand' || run.stopped) {
    if (run.why !== 'hand') endsSingleRun(job, run.why);
    return { remove: false, disabled: false };
  }
  const failures = (state.failures ?? 0) + 1;
  state.failures = failures;
  const tries = run.why === 'due' ? 0 : (state.tries ?? 0) + 1;
  state.tries = tries;
  const wait = run.result.final === true ? undefined : RETRY_MS[tries];
  if (wait !== undefined) state.retryAtMs = run.now + wait;
  else endsSingleRun(job, run.why);
  if (failures < MOST_FAILURES) return { remove: false, disabled: false };
  job.enabled = false;
  delete state.retryAtMs;
  return { remove: false, disabled: true };
}

/** A run whose process was ended: it is not repeated, since nobody knows how far it came. Gives back why it ran; by hand shows for single runs only. */
export function interrupted(job: Job): 'due' | 'hand' {
  const { schedule, state } = job;
  const why = schedule.kind === 'at' && state.lastDueAtMs !== schedule.atMs ? 'hand' : 'due';
  delete job.state.runningSinceMs;
  job.state.lastStatus = 'error';
  job.state.lastError = t(
    'The program that ran it was ended in the middle. It is not repeated, since it may have done its work.',
  );
  endsSingleRun(job, why);
  return why;
}

function endsSingleRun(job: Job, why: 'due' | 'retry' | 'hand'): boolean {
  if (job.schedule.kind !== 'at' || why === 'hand') return false;
  job.enabled = false;
  return true;
}
