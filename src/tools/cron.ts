import { t } from '@vscode/l10n';
import { isScheduledTurn, jobSession } from '../cron/jobSession.js';
import { english, englishReason } from '../platform/words.js';
import * as z from 'zod';
import type { Job } from '../cron/job.js';
import { momentText, nextRuns, type Schedule } from '../cron/schedule.js';
import { scheduleWords } from '../cron/scheduleWords.js';
import type { CronService } from '../cron/service.js';
import { readWhen } from '../cron/whenWords.js';
import type { Clock } from '../platform/ports.js';
import { defineTool, ToolError, type Access, type Tool, type ToolContext } from '../runner/tool.js';

const params = z.object({
  action: z.enum(['add', 'list', 'remove', 'run']),
  message: z.string().optional().describe('What to do then'),
  name: z.string().optional(),
  every_seconds: z.number().optional().describe('60 or more'),
  cron_expr: z.string().optional().describe('Five fields'),
  tz: z.string().optional().describe('IANA zone of cron_expr or at'),
  at: z.string().optional().describe('Once, local ISO time'),
  job_id: z.string().optional().describe('For remove and run'),
});
type Arguments = z.output<typeof params>;

export interface CronToolDeps {
  service: Pick<CronService, 'jobs' | 'runNow'>;
  clock: Clock;
}

/** Schedules work for later. A schedule that runs cannot add others: jobs must not breed jobs. */
export function cronTool(deps: CronToolDeps): Tool {
  return defineTool({
    name: 'cron',
    description:
      'Schedule reminders and recurring tasks: add (message and every_seconds, cron_expr or at), list, remove, run. Each runs later as a turn of its own that nobody watches.',
    params,
    access: accessOf,
    summary: ({ action, name, message, job_id }) =>
      `${actionWords(action)} ${name ?? message ?? job_id ?? ''}`.trim().slice(0, 120),
    run: async (args, context) => {
      if (isScheduledTurn(context.sessionKey, context.watched) && args.action !== 'list')
        throw new ToolError(
          'A schedule that runs cannot change schedules or run them. Say in your answer what should be scheduled.',
        );
      try {
        return await ACTIONS[args.action](args, deps, context);
      } catch (cause) {
        throw cause instanceof ToolError ? cause : new ToolError(englishReason(cause));
      }
    },
  });
}

function actionWords(action: Arguments['action']): string {
  switch (action) {
    case 'add':
      return t({ message: 'add', comment: 'what a tool does with schedules' });
    case 'list':
      return t({ message: 'list', comment: 'what a tool does with schedules' });
    case 'remove':
      return t({ message: 'remove', comment: 'what a tool does with schedules' });
    case 'run':
      return t({ message: 'run', comment: 'what a tool does with schedules' });
  }
}

function accessOf({ action, message, job_id }: Arguments): Access[] {
  switch (action) {
    case 'add':
      // A job is words that a later turn takes for the person's wish.
      return [{ kind: 'remember', text: message ?? '' }];
    case 'remove':
      return [{ kind: 'schedule', title: 'Remove a schedule', id: job_id ?? '' }];
    case 'run':
      return [{ kind: 'schedule', title: 'Run a schedule now', id: job_id ?? '' }];
    case 'list':
      return [];
  }
}

type Action = (args: Arguments, deps: CronToolDeps, context: ToolContext) => Promise<string>;

const ACTIONS: Record<Arguments['action'], Action> = {
  add: async (args, { service, clock }, { sessionKey }) => {
    const { message = '', name } = args;
    if (message.trim() === '') throw new ToolError('message is missing: say what is to be done then.');
    const colon = sessionKey.indexOf(':');
    const job = await service.jobs.add({
      message,
      schedule: scheduleOf(args, clock),
      deliver: true,
      channel: sessionKey.slice(0, Math.max(0, colon)),
      to: sessionKey.slice(colon + 1),
      ...(name === undefined ? {} : { name }),
    });
    return `Added "${job.name}" (id: ${job.id}), ${wordsOf(job, clock)}.`;
  },
  list: async (_args, { service, clock }) => {
    const jobs = await service.jobs.list();
    if (jobs.length === 0) return 'There are no schedules.';
    return jobs.map((job) => `- ${job.name} (id: ${job.id}), ${wordsOf(job, clock)}${stateOf(job)}`).join('\n');
  },
  remove: async ({ job_id }, { service }) => {
    const job = await service.jobs.remove(given(job_id));
    return `Removed "${job.name}" (id: ${job.id}).`;
  },
  run: async ({ job_id }, { service }, context) => {
    const job = await service.jobs.find(given(job_id));
    if (context.sessionKey === jobSession(job.id))
      throw new ToolError(`"${job.name}" runs in this chat, so it cannot be run from here. Do its task in this turn.`);
    const { status, error, text } = await service.runNow(job.id, context.signal);
    // Nobody watched what it read.
    context.markUntrusted('a schedule');
    if (status === 'error') throw new ToolError(`"${job.name}" failed: ${error ?? 'no reason given.'}`);
    return `"${job.name}" ran${text === undefined ? '.' : ` and said:\n${text}`}`;
  },
};

function given(id: string | undefined): string {
  if (id === undefined || id.trim() === '') throw new ToolError('job_id is missing. The action list shows the ids.');
  return id.trim();
}

/** The schedule that the fields say. Throws in words where they do not say one. */
export function scheduleOf(
  { every_seconds, cron_expr, tz, at }: Pick<Arguments, 'every_seconds' | 'cron_expr' | 'tz' | 'at'>,
  clock: Clock,
): Schedule {
  const kinds = [every_seconds, cron_expr, at].filter((value) => value !== undefined);
  if (kinds.length !== 1) throw new ToolError('Give exactly one of every_seconds, cron_expr and at.');
  if (every_seconds !== undefined) {
    if (tz !== undefined) throw new ToolError('tz goes with cron_expr or at, not with every_seconds.');
    return { kind: 'every', everyMs: every_seconds * 1000 };
  }
  if (cron_expr !== undefined) return { kind: 'cron', expr: cron_expr.trim(), ...(tz === undefined ? {} : { tz }) };
  const read = readWhen(
    `${at ?? ''}${tz === undefined ? '' : ` ${tz}`}`,
    { now: clock.now(), zone: clock.zone() },
    english,
  );
  if ('problem' in read) throw new ToolError(read.problem);
  if (read.schedule.kind !== 'at') throw new ToolError('at is a single time, such as 2026-12-24T09:00.');
  return read.schedule;
}

function wordsOf({ schedule, state, enabled, createdAtMs }: Job, clock: Clock): string {
  const zone = clock.zone();
  const words = scheduleWords(schedule, zone, english);
  if (!enabled) return words;
  const [next] =
    state.nextRunAtMs === undefined
      ? nextRuns(schedule, clock.now(), { zone, from: createdAtMs, count: 1 })
      : [state.nextRunAtMs];
  return next === undefined ? words : `${words}; next ${momentText(next, zone)}`;
}

function stateOf({ enabled, problem, problemInEnglish = problem, state }: Job): string {
  const last =
    state.lastStatus === undefined
      ? ''
      : `; last run: ${state.lastStatus}${state.lastError ? ` (${state.lastError})` : ''}`;
  return `${enabled ? '' : '; disabled'}${last}${problemInEnglish === undefined ? '' : `; cannot run: ${problemInEnglish}`}`;
}
