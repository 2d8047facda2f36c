import { reasonOf } from '../platform/reason.js';
import { Cron } from 'croner';
import { isZone } from '../platform/localTime.js';
import { translated, type Translate, type Words } from '../platform/words.js';

/** When a job runs: once, after each stretch of time, or by a cron expression on the clocks of a zone. */
export type Schedule =
  /** Epoch milliseconds. */
  | { kind: 'at'; atMs: number }
  /** Milliseconds, at least a minute. */
  | { kind: 'every'; everyMs: number }
  /** Five fields (six with seconds); `tz` is an IANA name, the person's own zone unless given. */
  | { kind: 'cron'; expr: string; tz?: string };

/** The shortest stretch between two runs of a job. */
export const SHORTEST_MS = 60_000;
/** The longest stretch that can be counted on: ten years. */
const LONGEST_MS = 10 * 366 * 86_400_000;

/**
 * The first time after `after` (both epoch milliseconds), or undefined where there is none. `zone` is the person's own. Stretches are counted from
 * `from`, the moment the schedule was made. A daily time that the clocks skip comes right after the change, one that they show twice comes once.
 * Throws for a schedule that `problemOf` would refuse.
 */
export function nextRun(
  schedule: Schedule,
  after: number,
  { zone, from = after }: { zone: string; from?: number },
): number | undefined {
  switch (schedule.kind) {
    case 'at':
      return schedule.atMs > after ? schedule.atMs : undefined;
    case 'every': {
      const { everyMs } = schedule;
      const passed = Math.max(0, Math.floor((after - from) / everyMs));
      return from + (passed + 1) * everyMs;
    }
    case 'cron':
      return nextOf(schedule.expr, schedule.tz ?? zone, after);
  }
}

/** The next `count` times, as `nextRun` gives them one after the other. */
export function nextRuns(
  schedule: Schedule,
  after: number,
  options: { zone: string; from?: number; count: number },
): number[] {
  const times: number[] = [];
  const from = options.from ?? after;
  for (let at: number | undefined = after; times.length < options.count;) {
    at = nextRun(schedule, at, { zone: options.zone, from });
    if (at === undefined) break;
    times.push(at);
  }
  return times;
}

/** Why a schedule cannot be used, by `t`, with what to write instead; undefined where it can. A time in the past is not looked at: see `pastProblem`. */
export function problemOf(schedule: Schedule, now: number, zone: string, t = translated): string | undefined {
  switch (schedule.kind) {
    case 'at':
      return Number.isFinite(schedule.atMs) ? undefined : t('The time cannot be read. Write it as 2026-12-24T09:00.');
    case 'every':
      return stretchProblem(schedule.everyMs, t);
    case 'cron':
      return cronProblem(schedule.expr, schedule.tz ?? zone, now)?.(t);
  }
}

/** Why a single time is refused: it is over. Names the time that is meant and the present one. */
export function pastProblem(schedule: Schedule, now: number, zone: string, t = translated): string | undefined {
  if (schedule.kind !== 'at' || schedule.atMs > now) return undefined;
  return t(
    '{0} is in the past: it is {1} now. Give a later time.',
    momentText(schedule.atMs, zone),
    momentText(now, zone),
  );
}

/** A moment to the minute with its zone, such as `2026-04-15 15:23 (Europe/Berlin)`. */
export function momentText(at: number, zone: string): string {
  const options = { timeZone: zone, dateStyle: 'short', timeStyle: 'short' } as const;
  return `${new Intl.DateTimeFormat('sv-SE', options).format(at)} (${zone})`;
}

function stretchProblem(everyMs: number, t: Translate): string | undefined {
  if (!Number.isFinite(everyMs) || everyMs < SHORTEST_MS)
    return t('A job runs at most once a minute: {0} s is too short. Give 60 s or more.', everyMs / 1000);
  return everyMs > LONGEST_MS ? t('That is more than ten years apart. Give a shorter stretch.') : undefined;
}

/** What was found of expressions before: a file of jobs is read again and again, and looking for six times takes milliseconds. */
const found = new Map<string, Words | undefined>();
/** Expressions that are remembered at most. */
const REMEMBERED = 500;

function cronProblem(expr: string, zone: string, now: number): Words | undefined {
  const key = `${zone} ${expr}`;
  if (!found.has(key)) {
    if (found.size >= REMEMBERED) found.clear();
    found.set(key, lookedAt(expr, zone, now));
  }
  return found.get(key);
}

function lookedAt(expr: string, zone: string, now: number): Words | undefined {
  if (!isZone(zone)) return (t) => zoneProblem(zone, t);
  try {
    const times = cronOf(expr, zone).nextRuns(6, new Date(now));
    const [first] = times;
    if (!first) return (t) => t('"{0}" never comes: there is no such date. Check its day and month.', expr);
    const tooOften = times.some((time, n) => n > 0 && time.getTime() - (times[n - 1]?.getTime() ?? 0) < SHORTEST_MS);
    if (!tooOften) return undefined;
    return (t) => t('"{0}" runs more than once a minute. Leave out the field of seconds.', expr);
  } catch (cause) {
    const reason = reasonOf(cause).replace(/^Cron\w+: /, '');
    return (t) =>
      t(
        '"{0}" is no cron expression ({1}). Write five fields: minute, hour, day, month, weekday, such as 0 9 * * 1-5.',
        expr,
        reason,
      );
  }
}

/** Says that there is no such zone. */
export function zoneProblem(zone: string, t = translated): string {
  return t('There is no time zone "{0}". Write an IANA name such as Europe/Berlin or America/New_York.', zone);
}

interface Span {
  after: number;
  next: number | undefined;
}

/** For each expression the answers given last: until that time has come, the next time stays the same. */
const spans = new Map<string, Span[]>();

function nextOf(expr: string, zone: string, after: number): number | undefined {
  const key = `${zone} ${expr}`;
  const known = spans.get(key) ?? [];
  const span = known.find((one) => one.after <= after && one.next !== undefined && after < one.next);
  if (span) return span.next;
  const next = cronOf(expr, zone).nextRun(new Date(after))?.getTime();
  if (spans.size >= REMEMBERED) spans.clear();
  spans.set(key, [{ after, next }, ...known.slice(0, 3)]);
  return next;
}

function cronOf(expr: string, zone: string): Cron {
  // A list of hours is as much a time of day as a single one: it must neither be skipped nor come twice when the clocks change.
  return new Cron(expr, { timezone: zone, paused: true, mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard' });
}
