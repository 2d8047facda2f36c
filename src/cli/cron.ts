import { codeOf } from '../platform/fileErrors.js';
import { reasonOf } from '../platform/reason.js';
import { parseArgs } from 'node:util';
import type { App } from '../app.js';
import type { Job } from '../cron/job.js';
import { momentText, nextRuns, type Schedule } from '../cron/schedule.js';
import { scheduleWords } from '../cron/scheduleWords.js';
import { readWhen } from '../cron/whenWords.js';
import type { Clock } from '../platform/ports.js';
import { createCliApp } from './ports.js';

export const CRON_USAGE = `Usage: node dist/cli.js cron add --message TEXT (--every SECONDS | --cron EXPR [--tz ZONE] | --at TIME | --when WORDS) [options]
       node dist/cli.js cron list [--json]
       node dist/cli.js cron remove ID
       node dist/cli.js cron enable ID | disable ID
       node dist/cli.js cron run ID

  -n, --name NAME        what the schedule is called
  -m, --message TEXT     what is to be done then
  -e, --every SECONDS    again and again, 60 or more
  -c, --cron EXPR        a cron expression, such as "0 9 * * 1-5"
      --tz ZONE          its time zone, such as Europe/Berlin
      --at TIME          once, such as 2026-12-24T09:00
      --when WORDS       in words, such as "every weekday at 9"
      --quiet            do not tell the result, only keep it
      --home DIR         the agent's home (default ~/.nanobot/workspace)
      --config FILE      config.json
      --workspace DIR    the project, for run (default: the current folder)
      --model ID         provider/model, or auto, for run
      --json             print JSON

Schedules run in an open editor, or in: node dist/cli.js gateway. Exit status: 0 done, 1 it failed, 2 wrong usage.
`;

interface Values {
  name?: string | undefined;
  message?: string | undefined;
  every?: string | undefined;
  cron?: string | undefined;
  tz?: string | undefined;
  at?: string | undefined;
  when?: string | undefined;
  quiet?: boolean | undefined;
  home?: string | undefined;
  config?: string | undefined;
  workspace?: string | undefined;
  model?: string | undefined;
  json?: boolean | undefined;
}

/** A mistake in the command line itself. */
class Usage extends Error {}

/** Runs `cron`; `args` are those behind the command. Resolves with the exit status. */
export async function cronMain(args: string[]): Promise<number> {
  let app: App | undefined;
  try {
    const { values, positionals } = parse(args);
    const [action = '', ...rest] = positionals;
    if (values.help === true) return say(CRON_USAGE);
    const run = ACTIONS[action];
    if (!run)
      throw new Usage(
        action === ''
          ? 'cron needs an action: add, list, remove, enable, disable or run.'
          : `There is no action "${action}".`,
      );
    const { home, config, model, workspace = '.' } = values;
    app = await createCliApp({
      session: '',
      json: values.json ?? false,
      workspace,
      ...(home === undefined ? {} : { home }),
      ...(config === undefined ? {} : { config }),
      ...(model === undefined ? {} : { model }),
    });
    return await run(app, values, rest);
  } catch (cause) {
    const isUsage = cause instanceof Usage || codeOf(cause)?.startsWith('ERR_PARSE_ARGS');
    process.stderr.write(`${reasonOf(cause)}\n${isUsage ? `\n${CRON_USAGE}` : ''}`);
    return isUsage ? 2 : 1;
  } finally {
    await app?.close();
  }
}

type Action = (app: App, values: Values, rest: string[]) => Promise<number>;

const ACTIONS: Partial<Record<string, Action>> = {
  add: async ({ cron, clock }, values) => {
    const { name, message = '', quiet = false } = values;
    if (message.trim() === '') throw new Usage('--message is missing: say what is to be done.');
    const schedule = scheduleOf(values, clock);
    const job = await cron.service.jobs.add({
      message,
      schedule,
      deliver: !quiet,
      channel: 'cli',
      to: 'direct',
      ...(name === undefined ? {} : { name }),
    });
    return values.json === true ? say(`${JSON.stringify(job)}\n`) : say(`Added ${line(job, clock)}`);
  },
  list: async ({ cron, clock }, { json }) => {
    const jobs = await cron.service.jobs.list();
    if (json === true) return say(`${JSON.stringify(jobs)}\n`);
    return say(jobs.length === 0 ? 'There are no schedules yet.\n' : jobs.map((job) => line(job, clock)).join(''));
  },
  remove: async ({ cron }, _values, rest) => {
    const job = await cron.service.jobs.remove(onlyId(rest));
    return say(`Removed ${job.name} (${job.id}).\n`);
  },
  enable: async ({ cron, clock }, _values, rest) =>
    say(`Enabled ${line(await cron.service.jobs.setEnabled(onlyId(rest), true), clock)}`),
  disable: async ({ cron, clock }, _values, rest) =>
    say(`Disabled ${line(await cron.service.jobs.setEnabled(onlyId(rest), false), clock)}`),
  run: async ({ cron }, { json }, rest) => {
    const job = await cron.service.jobs.find(onlyId(rest));
    const stop = () => {
      cron.service.stop(job.id);
    };
    process.once('SIGTERM', stop).once('SIGINT', stop);
    const record = await cron.service.runNow(job.id);
    if (json === true) say(`${JSON.stringify(record)}\n`);
    else if (record.text !== undefined) say(`${record.text.trimEnd()}\n`);
    for (const denied of record.denied ?? [])
      process.stderr.write(`Not allowed, since nobody could be asked: ${denied}\n`);
    if (record.status === 'ok') return 0;
    process.stderr.write(`${job.name} failed: ${record.error ?? 'no reason given.'}\n`);
    return 1;
  },
};

function say(text: string): number {
  process.stdout.write(text);
  return 0;
}

function onlyId([id, ...more]: string[]): string {
  if (id === undefined || more.length > 0) throw new Usage('Give one id: cron list shows them.');
  return id;
}

function scheduleOf({ every, cron, tz, at, when }: Values, clock: Clock): Schedule {
  if ([every, cron, at, when].filter((value) => value !== undefined).length !== 1)
    throw new Usage('Give exactly one of --every, --cron, --at and --when.');
  if (every !== undefined) {
    if (!/^\d+(\.\d+)?$/.test(every)) throw new Usage(`--every is a number of seconds, not "${every}".`);
    return { kind: 'every', everyMs: Number(every) * 1000 };
  }
  if (cron !== undefined) return { kind: 'cron', expr: cron, ...(tz === undefined ? {} : { tz }) };
  const words = `${at ?? when ?? ''}${tz === undefined ? '' : ` ${tz}`}`;
  const read = readWhen(words, { now: clock.now(), zone: clock.zone() });
  if ('problem' in read) throw new Error(read.problem);
  if (at !== undefined && read.schedule.kind !== 'at')
    throw new Usage('--at is a single time, such as 2026-12-24T09:00.');
  return read.schedule;
}

function line({ id, name, schedule, enabled, state, problem, createdAtMs }: Job, clock: Clock): string {
  const zone = clock.zone();
  const [counted] = problem === undefined ? nextRuns(schedule, clock.now(), { zone, from: createdAtMs, count: 1 }) : [];
  const next = state.nextRunAtMs ?? counted;
  const facts = [
    scheduleWords(schedule, zone),
    enabled ? (next === undefined ? 'done' : `next ${momentText(next, zone)}`) : 'disabled',
    ...(state.lastStatus === undefined ? [] : [`last run: ${state.lastStatus}`]),
    ...(state.lastStatus === 'error' && state.lastError !== undefined ? [state.lastError] : []),
    ...(problem === undefined ? [] : [`cannot run: ${problem}`]),
  ];
  return `${id}  ${name}  ${facts.join(' · ')}\n`;
}

function parse(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      name: { type: 'string', short: 'n' },
      message: { type: 'string', short: 'm' },
      every: { type: 'string', short: 'e' },
      cron: { type: 'string', short: 'c' },
      tz: { type: 'string' },
      at: { type: 'string' },
      when: { type: 'string' },
      quiet: { type: 'boolean' },
      home: { type: 'string' },
      config: { type: 'string' },
      workspace: { type: 'string' },
      model: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
}
