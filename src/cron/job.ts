import { english, translated, type Translate, type Words } from '../platform/words.js';
import { isObject } from '../session/lines.js';
import { momentOf } from './zone.js';
import { problemOf, type Schedule } from './schedule.js';

/** How a run ended. `skipped`: it was missed, and missed runs are not made up for. */
export type RunStatus = 'ok' | 'error' | 'skipped';

/** What is kept of a job between its runs. Times are epoch milliseconds. */
export interface JobState {
  nextRunAtMs?: number;
  lastRunAtMs?: number;
  lastStatus?: RunStatus;
  lastError?: string;
  /** The due time that was taken last: it is never taken again. */
  lastDueAtMs?: number;
  /** When a failed run is tried again. */
  retryAtMs?: number;
  /** Failures since the last success. */
  failures?: number;
  /** How often the due time taken last was tried again. */
  tries?: number;
  /** When the run began that is under way, as far as it is known. */
  runningSinceMs?: number;
}

export interface Job {
  /** Eight hexadecimal digits, or what another program chose. */
  id: string;
  name: string;
  enabled: boolean;
  schedule: Schedule;
  payload: {
    message: string;
    /** Whether the person is told the result; else it waits in the job's session. */
    deliver: boolean;
    channel?: string;
    to?: string;
    /** `agent_turn`, or a kind that another program has and we do not run. */
    kind: string;
    /** Another agent of the editor wrote the message: it is text from outside, and never the person's words. */
    from?: 'agent';
  };
  state: JobState;
  createdAtMs: number;
  updatedAtMs: number;
  /** A single run that was done is forgotten with its job. */
  deleteAfterRun: boolean;
  /** Why it cannot run; such a job is kept and shown. */
  problem?: string;
  /** The same for the model, where that of the person is not in English. */
  problemInEnglish?: string;
}

type Fields = Record<string, unknown>;

const OPTIONAL_STATE = [
  'lastDueAtMs',
  'retryAtMs',
  'failures',
  'tries',
  'runningSinceMs',
] as const satisfies readonly (keyof JobState)[];

/** Reads a job as nanobot writes it, in camelCase or snake_case; undefined for what is none. Says in `problem` why one cannot run. */
export function jobOf(value: unknown, { now, zone }: { now: number; zone: string }): Job | undefined {
  if (!isObject(value) || typeof value['id'] !== 'string' || value['id'] === '') return undefined;
  const at = field(value);
  const payload = objectOf(at('payload'));
  const inPayload = field(payload);
  const message = textOf(inPayload('message'));
  const kind = textOf(inPayload('kind')) ?? 'agent_turn';
  const read = scheduleOf(objectOf(at('schedule')), zone);
  const problemIn = (t: Translate) =>
    read.problem?.(t) ??
    problemOf(read.schedule, now, zone, t) ??
    (kind === 'agent_turn' ? undefined : t('A job of the kind "{0}" is not run here.', kind)) ??
    (message === undefined ? t('It has no message: there is nothing to do.') : undefined);
  const [problem, problemInEnglish] = [problemIn(translated), problemIn(english)];
  const channel = textOf(inPayload('channel'));
  const to = textOf(inPayload('to'));
  return {
    id: value['id'],
    name: textOf(value['name']) ?? message?.slice(0, 30) ?? value['id'],
    enabled: at('enabled') !== false,
    schedule: read.schedule,
    payload: {
      message: message ?? '',
      deliver: inPayload('deliver') === true,
      kind,
      ...(channel === undefined ? {} : { channel }),
      ...(to === undefined ? {} : { to }),
      ...(inPayload('from') === 'agent' ? { from: 'agent' as const } : {}),
    },
    state: stateOf(objectOf(at('state'))),
    createdAtMs: numberOf(at('createdAtMs')) ?? numberOf(at('updatedAtMs')) ?? 0,
    updatedAtMs: numberOf(at('updatedAtMs')) ?? numberOf(at('createdAtMs')) ?? 0,
    deleteAfterRun: at('deleteAfterRun') === true,
    ...(problem === undefined ? {} : { problem }),
    ...(problemInEnglish === undefined || problemInEnglish === problem ? {} : { problemInEnglish }),
  };
}

/** A job as it is written, over the fields it was read from: those we do not know stay. */
export function fieldsOf(job: Job, before: unknown): Fields {
  const old = objectOf(before);
  const { schedule, payload, state } = job;
  const optional = OPTIONAL_STATE.flatMap((name) => (state[name] === undefined ? [] : [[name, state[name]] as const]));
  const oldState = Object.fromEntries(
    Object.entries(unknownOf(objectOf(old['state']))).filter(
      ([name]) => !(OPTIONAL_STATE as readonly string[]).includes(name),
    ),
  );
  return {
    ...unknownOf(old),
    id: job.id,
    name: job.name,
    enabled: job.enabled,
    // A schedule that cannot be read stays as a person wrote it.
    schedule: job.problem !== undefined && isObject(old['schedule']) ? old['schedule'] : scheduleFields(schedule, old),
    payload: {
      ...unknownOf(objectOf(old['payload'])),
      kind: payload.kind,
      message: payload.message,
      deliver: payload.deliver,
      channel: payload.channel ?? null,
      to: payload.to ?? null,
      ...(payload.from === undefined ? {} : { from: payload.from }),
    },
    state: {
      ...oldState,
      nextRunAtMs: state.nextRunAtMs ?? null,
      lastRunAtMs: state.lastRunAtMs ?? null,
      lastStatus: state.lastStatus ?? null,
      lastError: state.lastError ?? null,
      ...Object.fromEntries(optional),
    },
    createdAtMs: job.createdAtMs,
    updatedAtMs: job.updatedAtMs,
    deleteAfterRun: job.deleteAfterRun,
  };
}

function scheduleFields(schedule: Schedule, old: Fields): Fields {
  return {
    ...unknownOf(objectOf(old['schedule'])),
    kind: schedule.kind,
    atMs: schedule.kind === 'at' ? schedule.atMs : null,
    everyMs: schedule.kind === 'every' ? schedule.everyMs : null,
    expr: schedule.kind === 'cron' ? schedule.expr : null,
    tz: schedule.kind === 'cron' ? (schedule.tz ?? null) : null,
  };
}

function scheduleOf(value: Fields, zone: string): { schedule: Schedule; problem?: Words } {
  const at = field(value);
  const kind = at('kind');
  const tz = textOf(at('tz'));
  switch (kind) {
    case 'at':
      return { schedule: { kind, atMs: numberOf(at('atMs')) ?? momentIn(at('at'), zone) } };
    case 'every':
      return { schedule: { kind, everyMs: numberOf(at('everyMs')) ?? NaN } };
    case 'cron':
      return { schedule: { kind, expr: textOf(at('expr')) ?? '', ...(tz === undefined ? {} : { tz }) } };
    default: {
      const problem: Words = (t) =>
        t('Its schedule has the kind {0}; there are "at", "every" and "cron".', JSON.stringify(kind ?? null));
      return { schedule: { kind: 'at', atMs: NaN }, problem };
    }
  }
}

/** A time a person may have written by hand in place of milliseconds. */
function momentIn(value: unknown, zone: string): number {
  const found = typeof value === 'string' ? /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::\d\d)?$/.exec(value) : null;
  if (!found) return typeof value === 'string' ? Date.parse(value) : NaN;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = found.slice(1).map(Number);
  return momentOf({ year, month, day, hour, minute }, zone);
}

function stateOf(value: Fields): JobState {
  const at = field(value);
  const state: JobState = {};
  for (const name of ['nextRunAtMs', 'lastRunAtMs', ...OPTIONAL_STATE] as const) {
    const number = numberOf(at(name));
    if (number !== undefined) state[name] = number;
  }
  const status = at('lastStatus');
  if (status === 'ok' || status === 'error' || status === 'skipped') state.lastStatus = status;
  const error = textOf(at('lastError'));
  if (error !== undefined) state.lastError = error;
  return state;
}

/** Looks a field up by its name in camelCase, then in snake_case. */
function field(value: Fields): (name: string) => unknown {
  return (name) => value[name] ?? (/[A-Z]/.test(name) ? value[snake(name)] : undefined);
}

const KNOWN = [
  ...['deleteAfterRun', 'createdAtMs', 'updatedAtMs', 'nextRunAtMs', 'lastRunAtMs', 'lastStatus', 'lastError'],
  ...['atMs', 'everyMs'],
];

const SNAKE_FORMS = new Set(KNOWN.map(snake));

/** The fields without the snake_case forms of those that are written in camelCase. */
function unknownOf(value: Fields): Fields {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !SNAKE_FORMS.has(name)));
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function objectOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
