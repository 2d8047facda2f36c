import type { Job } from '../cron/job.js';
import type { RunRecord } from '../cron/runs.js';
import { nextRuns, type Schedule } from '../cron/schedule.js';
import { scheduleWords } from '../cron/scheduleWords.js';
import { readWhen } from '../cron/whenWords.js';
import { capitalised, momentWords, type Present } from './dates.js';

const UNITS: [number, string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
];

/** How far off a time is: `in 5 min`, `in 2 h`, `now`, `3 d ago`. */
export function distanceWords(at: number, now: number): string {
  const apart = Math.abs(at - now);
  const [unitMs, name] = UNITS.find(([ms]) => apart >= ms) ?? [60_000, 'min'];
  if (apart < 60_000) return at >= now ? 'in a moment' : 'just now';
  const words = `${String(Math.floor(apart / unitMs))} ${name}`;
  return at >= now ? `in ${words}` : `${words} ago`;
}

/** What stands beside a job's name. */
export function jobDescription(job: Job, running: boolean, present: Present): string {
  const words = scheduleWords(job.schedule, present.zone);
  if (running) return `running now · ${words}`;
  if (job.problem !== undefined) return `cannot run · ${job.problem}`;
  const isDone = job.schedule.kind === 'at' && job.state.lastDueAtMs !== undefined;
  if (!job.enabled) return `${isDone ? 'done' : 'disabled'} · ${words}`;
  const next = job.state.retryAtMs ?? job.state.nextRunAtMs;
  return next === undefined ? words : `${nextWords(next, present)} · ${words}`;
}

/** Who added a job, where that was not the person or Nanobot for them. */
export function addedWords({ payload }: Job): string | undefined {
  return payload.from === 'agent' ? 'Added by another agent.' : undefined;
}

/** A coming time, relative and absolute. */
export function nextWords(at: number, present: Present): string {
  return `${distanceWords(at, present.now)} · ${momentWords(at, present)}`;
}

/** A run as a row: when, and what came of it in short. */
export function runWords(run: RunRecord, present: Present): { label: string; description: string } {
  const said =
    run.status === 'error'
      ? (run.error ?? 'failed')
      : run.status === 'skipped'
        ? 'missed, not made up for'
        : (run.text ?? 'done');
  const marks = [
    run.late === true ? 'late' : '',
    run.why === 'retry' ? 'tried again' : '',
    run.why === 'hand' ? 'by hand' : '',
  ];
  const flat = said.replaceAll(/\s+/g, ' ').slice(0, 120);
  return { label: momentWords(run.at, present), description: [...marks, flat].filter(Boolean).join(' · ') };
}

/** The next three times in words. */
export function comingWords(schedule: Schedule, present: Present): string {
  const { now, zone } = present;
  const times = nextRuns(schedule, now, { zone, count: 3 }).map((at) => longMoment(at, present));
  return times.length === 1 ? `Runs once: ${times.join('')}` : `Next: ${times.join('; ')}`;
}

/** What a box for words says of them while they are typed. */
export function whenHint(text: string, present: Present): { ok: boolean; message: string } {
  const read = readWhen(text, present);
  if ('problem' in read) return { ok: false, message: read.problem };
  return {
    ok: true,
    message: `${capitalised(scheduleWords(read.schedule, present.zone))}. ${comingWords(read.schedule, present)}`,
  };
}

/** A schedule as a person can write it again. */
export function editableWords(schedule: Schedule, zone: string): string {
  const isElsewhere = schedule.kind === 'cron' && schedule.tz !== undefined && schedule.tz !== zone;
  const tz = isElsewhere ? ` ${schedule.tz}` : '';
  if (schedule.kind === 'at') {
    return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).format(
      schedule.atMs,
    );
  }
  const words = scheduleWords(schedule, zone).replace(/ \([^)]*\)$/, '');
  if (schedule.kind === 'every') return words;
  const back = readWhen(`${words}${tz}`, { now: 0, zone });
  const isSame = 'schedule' in back && back.schedule.kind === 'cron' && back.schedule.expr === schedule.expr;
  return isSame ? `${words}${tz}` : `${schedule.expr}${tz}`;
}

function longMoment(at: number, present: Present): string {
  const moment = momentWords(at, present);
  if (/^t/.test(moment)) return moment;
  const weekday = new Intl.DateTimeFormat('en-GB', { timeZone: present.zone, weekday: 'short' }).format(at);
  return `${weekday} ${moment}`;
}
