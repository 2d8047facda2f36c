import { reasonOf } from '../platform/reason.js';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { App } from '../app.js';
import type { ApprovalSettings } from '../approval/verdict.js';
import { outcomeText } from '../cron/outcomeWords.js';
import { createCliApp } from './ports.js';

export const GATEWAY_USAGE = `Usage: node dist/cli.js gateway [options]

Runs schedules, heartbeat and Dream until SIGTERM or Ctrl-C, so that they go on while the editor is closed. An editor that is open comes first.

      --home DIR         the agent's home (default ~/.nanobot/workspace)
      --config FILE      config.json
      --workspace DIR    the project (default: the current folder)
      --approval MODE    ask, auto, readonly or all (default ask, which denies: nobody can be asked)
      --model ID         provider/model, or auto

Exit status: 0 ended, 2 wrong usage.
`;

/** Milliseconds that an open editor has to run a due job first: there its result is seen. */
const PATIENCE_MS = 2_000;
const MODES = ['ask', 'auto', 'readonly', 'all'];

/** Runs `gateway`; `args` are those behind the command. Resolves with the exit status once it was told to end. */
export async function gatewayMain(args: string[]): Promise<number> {
  let values: ReturnType<typeof parse>['values'];
  try {
    values = parse(args).values;
  } catch (cause) {
    return wrongUsage(reasonOf(cause));
  }
  if (values.help === true) {
    process.stdout.write(GATEWAY_USAGE);
    return 0;
  }
  const { home, config, model, approval } = values;
  if (approval !== undefined && !MODES.includes(approval))
    return wrongUsage(`--approval is one of ${MODES.join(', ')}, not "${approval}".`);
  const workspace = resolve(values.workspace ?? '.');
  if (!(await stat(workspace).catch(() => undefined))?.isDirectory())
    return wrongUsage(`--workspace ${workspace} is not a folder.`);
  const ended = new Promise<void>((done) => {
    process.once('SIGTERM', done).once('SIGINT', done);
    process.stdout.once('error', done);
  });
  const app = await createCliApp({
    session: '',
    json: false,
    workspace,
    ...(home === undefined ? {} : { home }),
    ...(config === undefined ? {} : { config }),
    ...(model === undefined ? {} : { model }),
    ...(approval === undefined ? {} : { approval: approval as ApprovalSettings['mode'] }),
  });
  try {
    await serve(app, ended);
  } finally {
    await app.close();
  }
  return 0;
}

async function serve(app: App, ended: Promise<void>): Promise<void> {
  const { cron, dream, home } = app;
  cron.onOutcome((outcome) => {
    const told = outcomeText(outcome);
    if (told) process.stdout.write(`${new Date(app.clock.now()).toISOString()} ${told.text}\n`);
  });
  const jobs = await cron.service.jobs.list();
  cron.service.start({ patienceMs: PATIENCE_MS });
  cron.heartbeat.start();
  dream.start();
  const active = jobs.filter(({ enabled, problem }) => enabled && problem === undefined).length;
  process.stdout.write(`Nanobot runs in ${home}: ${String(active)} active schedules. Ctrl-C ends it.\n`);
  // Nothing else holds the process while nothing is planned.
  const held = setInterval(() => undefined, 2 ** 30);
  await ended;
  clearInterval(held);
}

function wrongUsage(problem: string): number {
  process.stderr.write(`${problem}\n\n${GATEWAY_USAGE}`);
  return 2;
}

function parse(args: string[]) {
  return parseArgs({
    args,
    options: {
      home: { type: 'string' },
      config: { type: 'string' },
      workspace: { type: 'string' },
      approval: { type: 'string' },
      model: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
}
