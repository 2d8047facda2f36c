import { t } from '@vscode/l10n';
import type { Job } from '../cron/job.js';
import type { RunRecord } from '../cron/runs.js';
import { nextRuns, type Schedule } from '../cron/schedule.js';
import { scheduleWords } from '../cron/scheduleWords.js';
import { readWhen } from '../cron/whenWords.js';
import { capitalised, momentWords, type Present } from './dates.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How far off a time is: `in 5 min`, `in 2 h`, `now`, `3 d ago`. */
export function distanceWords(at: number, now: number): string {
  const apart = Math.abs(at - now);
  const isAhead = at >= now;
  if (apart < MINUTE) return isAhead ? t('in a moment') : t('just now');
  const count = (unitMs: number) => Math.floor(apart / unitMs);
  if (apart < HOUR) return isAhead ? t('in {0} min', count(MINUTE)) : t('{0} min ago', count(MINUTE));
  if (apart < DAY) return isAhead ? t('in {0} h', count(HOUR)) : t('{0} h ago', count(HOUR));
  return isAhead ? t('in {0} d', count(DAY)) : t('{0} d ago', count(DAY));
}

/** What stands beside a job's name. */
export function jobDescription(job: Job, running: boolean, present: Present): string {
  const words = scheduleWords(job.schedule, present.zone);
  if (running) return `${t('running now')} · ${words}`;
  if (job.problem !== undefined) return `${t('cannot run')} · ${job.problem}`;
  const isDone = job.schedule.kind === 'at' && job.state.lastDueAtMs !== undefined;
  if (!job.enabled) return `${isDone ? t('done') : t('disabled')} · ${words}`;
  const next = job.state.retryAtMs ?? job.state.nextRunAtMs;
  return next === undefined ? words : `${nextWords(next, present)} · ${words}`;
}

/** Who added a job, where that was not the person or Nanobot for them. */
export function addedWords({ payload }: Job): string | undefined {
  return payload.from === 'agent' ? t('Added by another agent.') : undefined;
}

/** A coming time, relative and absolute. */
export function nextWords(at: number, present: Present): string {
  return `${distanceWords(at, present.now)} · ${momentWords(at, present)}`;
}

/** A run as a row: when, and what came of it in short. */
export function runWords(run: RunRecord, present: Present): { label: string; description: string } {
  const said =
    run.status === 'error'
      ? (run.error ?? t('failed'))
      : run.status === 'skipped'
        ? t('missed, not made up for')
        : (run.text ?? t('done'));
  const marks = [
    run.late === true ? t('late') : '',
    run.why === 'retry' ? t('tried again') : '',
    run.why === 'hand' ? t('by hand') : '',
  ];
  const flat = said.replaceAll(/\s+/g, ' ').slice(0, 120);
  return { label: momentWords(run.at, present), description: [...marks, flat].filter(Boolean).join(' · ') };
}

/** The next three times in words. */
function comingWords(schedule: Schedule, present: Present): string {
  const { now, zone } = present;
  const times = nextRuns(schedule, now, { zone, count: 3 }).map((at) => momentWords(at, present, 'short'));
  if (times.length === 1) return t('Runs once: {0}', times.join(''));
  return t('Next: {0}', times.join(t({ message: '; ', comment: 'between moments' })));
}

/** A schedule in words, with its next times. */
export function whenWords(schedule: Schedule, present: Present): string {
  return t('{0}. {1}', capitalised(scheduleWords(schedule, present.zone)), comingWords(schedule, present));
}

/** What a box for words says of them while they are typed. */
export function whenHint(text: string, present: Present): { ok: boolean; message: string } {
  const read = readWhen(text, present);
  if ('problem' in read) return { ok: false, message: read.problem };
  return {
    ok: true,
    message: whenWords(read.schedule, present),
  };
}

/** A schedule as a person can write it again. */
export function editableWords(schedule: Schedule, zone: string): string {
  const there = schedule.kind === 'cron' ? (schedule.tz ?? zone) : zone;
  const tz = there === zone ? '' : ` ${there}`;
  if (schedule.kind === 'at') {
    return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).format(
      schedule.atMs,
    );
  }
  // In its own zone: then the words do not name one.
  const words = scheduleWords(schedule, there);
  if (isReadAs(schedule, readWhen(`${words}${tz}`, { now: 0, zone }))) return `${words}${tz}`;
  return schedule.kind === 'cron' ? `${schedule.expr}${tz}` : `every ${String(schedule.everyMs / MINUTE)} minutes`;
}

function isReadAs(schedule: Exclude<Schedule, { kind: 'at' }>, read: ReturnType<typeof readWhen>): boolean {
  if (!('schedule' in read)) return false;
  const { schedule: back } = read;
  if (schedule.kind === 'every') return back.kind === 'every' && back.everyMs === schedule.everyMs;
  return back.kind === 'cron' && back.expr === schedule.expr;
}
