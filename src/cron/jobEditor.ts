import type { Clock } from '../platform/ports.js';
import { english, WordsError, type Translate } from '../platform/words.js';
import { plannedFor } from './due.js';
import type { Job } from './job.js';
import type { JobStore } from './jobs.js';
import type { RunHistory, RunRecord } from './runs.js';
import { nextRun, pastProblem, problemOf, type Schedule } from './schedule.js';

/** What a person or the agent says of a new job. */
export interface NewJob {
  /** Made from the message where it is missing. */
  name?: string;
  message: string;
  schedule: Schedule;
  deliver?: boolean;
  channel?: string;
  to?: string;
  deleteAfterRun?: boolean;
  /** Another agent of the editor adds it. */
  from?: 'agent';
}

const LONGEST_NAME = 60;

/** Adds, changes and removes jobs. What cannot be done is an error in words with the next step. */
export class JobEditor {
  constructor(private readonly deps: { store: JobStore; runs: RunHistory; clock: Clock; newId(): string }) {}

  list(): Promise<Job[]> {
    return this.deps.store.list();
  }

  /** The job with this id, the beginning of one, or this name. Rejects where there is none, or more than one. */
  async find(wanted: string): Promise<Job> {
    const jobs = await this.list();
    const exact = jobs.find(({ id }) => id === wanted);
    if (exact) return exact;
    const like = jobs.filter(({ id, name }) => wanted !== '' && (id.startsWith(wanted) || name === wanted));
    const [only] = like;
    if (only && like.length === 1) return only;
    const known = jobs.map(({ id, name }) => `${id} (${name})`).join(', ');
    if (like.length > 1)
      throw new WordsError((t) => t('"{0}" means {1} schedules. Give a whole id: {2}.', wanted, like.length, known));
    throw new WordsError((t) =>
      known === ''
        ? t('There is no schedule "{0}". There are none yet.', wanted)
        : t('There is no schedule "{0}". There are: {1}.', wanted, known),
    );
  }

  async add(wanted: NewJob): Promise<Job> {
    const { clock, store, newId } = this.deps;
    this.check(wanted.schedule, wanted.message);
    const now = clock.now();
    const { message, deliver = true, channel, to, from } = wanted;
    const schedule = inZone(wanted.schedule, clock.zone());
    const nextRunAtMs = nextRun(schedule, now, { zone: clock.zone(), from: now });
    const job: Job = {
      id: newId()
        .replaceAll(/[^0-9a-f]/g, '')
        .padEnd(8, '0')
        .slice(0, 8),
      name: nameOf(wanted),
      enabled: true,
      schedule,
      payload: {
        kind: 'agent_turn',
        message: message.trim(),
        deliver,
        ...(channel === undefined ? {} : { channel }),
        ...(to === undefined ? {} : { to }),
        ...(from === undefined ? {} : { from }),
      },
      state: nextRunAtMs === undefined ? {} : { nextRunAtMs },
      createdAtMs: now,
      updatedAtMs: now,
      deleteAfterRun: wanted.deleteAfterRun ?? schedule.kind === 'at',
    };
    await store.change((jobs) => {
      while (jobs.some(({ id }) => id === job.id))
        job.id = ((parseInt(job.id, 16) + 1) >>> 0).toString(16).padStart(8, '0');
      jobs.push(job);
      return true;
    });
    return job;
  }

  /** Changes what is given; a new schedule counts from now. */
  async update(id: string, change: Partial<Pick<NewJob, 'name' | 'message' | 'schedule' | 'deliver'>>): Promise<Job> {
    const { clock } = this.deps;
    const { name, message, schedule, deliver } = change;
    if (schedule) this.check(schedule, message ?? '…');
    if (message?.trim() === '') throw new WordsError((t) => t('The message is empty: say what is to be done.'));
    return this.change(id, (job) => {
      if (name !== undefined && name.trim() !== '') job.name = name.trim().slice(0, LONGEST_NAME);
      if (message !== undefined) job.payload.message = message.trim();
      if (deliver !== undefined) job.payload.deliver = deliver;
      if (!schedule) return;
      const wasOver = job.schedule.kind === 'at' && !job.enabled;
      job.schedule = inZone(schedule, clock.zone());
      job.updatedAtMs = clock.now();
      if (wasOver) job.enabled = true;
      delete job.problem;
      delete job.problemInEnglish;
      this.planAnew(job);
    });
  }

  async setEnabled(id: string, enabled: boolean): Promise<Job> {
    const { clock } = this.deps;
    return this.change(id, (job) => {
      const past = (t: Translate) => pastProblem(job.schedule, clock.now(), clock.zone(), t);
      if (enabled && past(english) !== undefined)
        throw new WordsError((t) => t('"{0}" was to run once. {1}', job.name, past(t) ?? ''));
      job.enabled = enabled;
      delete job.state.failures;
      this.planAnew(job);
    });
  }

  /** Forgets a job with its run history; the conversation it had stays. */
  async remove(id: string): Promise<Job> {
    const { store, runs } = this.deps;
    const job = await this.find(id);
    await store.change((jobs) => {
      const at = jobs.findIndex((one) => one.id === job.id);
      if (at >= 0) jobs.splice(at, 1);
      return at >= 0;
    });
    await runs.remove(job.id);
    return job;
  }

  /** The runs of a job, newest first. */
  runs(id: string): Promise<RunRecord[]> {
    return this.deps.runs.of(id);
  }

  private check(schedule: Schedule, message: string): void {
    const { clock } = this.deps;
    const [now, zone] = [clock.now(), clock.zone()];
    if (message.trim() === '') throw new WordsError((t) => t('The message is empty: say what is to be done.'));
    const problem = (t: Translate) => problemOf(schedule, now, zone, t) ?? pastProblem(schedule, now, zone, t);
    if (problem(english) !== undefined) throw new WordsError((t) => problem(t) ?? '');
  }

  private async change(id: string, edit: (job: Job) => void): Promise<Job> {
    const { id: whole } = await this.find(id);
    let changed: Job | undefined;
    await this.deps.store.change((jobs) => {
      changed = jobs.find((job) => job.id === whole);
      if (changed) edit(changed);
      return changed !== undefined;
    });
    if (!changed) throw new WordsError((t) => t('The schedule {0} was removed meanwhile.', id));
    return changed;
  }

  /** From now on: what was missed or failed before is over. */
  private planAnew(job: Job): void {
    const { clock } = this.deps;
    delete job.state.retryAtMs;
    delete job.state.nextRunAtMs;
    const next = job.enabled ? plannedFor(job, clock.now(), clock.zone()) : undefined;
    if (next !== undefined) job.state.nextRunAtMs = next;
  }
}

/** A home may be shared by processes whose clocks show different times: what one of them adds keeps the zone it was meant in. */
function inZone(schedule: Schedule, zone: string): Schedule {
  return schedule.kind === 'cron' ? { ...schedule, tz: schedule.tz ?? zone } : schedule;
}

function nameOf({ name, message }: NewJob): string {
  const words = (name?.trim() ?? '') || (message.trim().split('\n')[0] ?? '');
  return words.length > LONGEST_NAME ? `${words.slice(0, LONGEST_NAME - 1)}…` : words;
}
