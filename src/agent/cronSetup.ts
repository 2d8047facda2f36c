import { t } from '@vscode/l10n';
import type { MessageBus } from '../bus/bus.js';
import type { Settings } from '../config/schema.js';
import { DayBudget } from '../cron/dayBudget.js';
import { Heartbeat } from '../cron/heartbeat.js';
import type { Job } from '../cron/job.js';
import { JobStore } from '../cron/jobs.js';
import { HEARTBEAT_ID, jobSession } from '../cron/jobSession.js';
import type { Outcome } from '../cron/outcomeWords.js';
import { RunHistory } from '../cron/runs.js';
import { momentText } from '../cron/schedule.js';
import { CronService } from '../cron/service.js';
import type { Clock, Disposable, Files, Log } from '../platform/ports.js';
import type { ModelInfo } from '../protocol/event.js';
import type { ErrorInfo } from '../protocol/message.js';
import type { ToolRegistry } from '../runner/registry.js';
import { tokensIn } from '../runner/usage.js';
import type { Leases } from '../session/lease.js';
import { cronTool } from '../tools/cron.js';
import HEARTBEAT_ASK from '../templates/heartbeatAsk.md';
import HEARTBEAT_TELL from '../templates/heartbeatTell.md';
import type { AgentLoop } from './loop.js';
import type { ReadyModel } from './readyModel.js';
import { runUnwatched, type UnwatchedTurn } from './unwatchedTurn.js';

export interface CronSetup {
  files: Files;
  clock: Clock;
  log: Log;
  home: string;
  leases: Leases;
  bus: MessageBus;
  newId(): string;
  tools: ToolRegistry;
  settings(): Settings;
  /** Seconds between two heartbeats. */
  heartbeatSeconds(): number;
  /** For a person, outside of any chat. */
  notice(text: string): void;
  /** The loop, which is made after the tools: asked for when a job runs. */
  loop(): AgentLoop;
  /** Whether a model may be used only where a person asked. */
  onlyAsked(model: ModelInfo): boolean;
  resolveModel(options: { watched: boolean }): Promise<ReadyModel | { error: ErrorInfo }>;
}

/** Schedules and heartbeat over the parts of the app. */
export interface Cron {
  service: CronService;
  heartbeat: Heartbeat;
  /** Calls back with what the person may have to be told of a run. */
  onOutcome(listener: (outcome: Outcome) => void): Disposable;
  dispose(): Promise<void>;
}

/** Joins schedules and heartbeat with the loop: their turns run through the bus like everybody's. Nothing is read before the first use. */
export function setUpCron(setup: CronSetup): Cron {
  const { clock, log, settings, newId, bus } = setup;
  const listeners = new Set<(outcome: Outcome) => void>();
  const tell = (outcome: Outcome) => {
    for (const listener of listeners) listener(outcome);
  };
  const store = new JobStore(setup);
  const runs = new RunHistory(setup);
  const budget = new DayBudget({ ...setup, limit: () => settings()['cron.maxTokensPerDay'] });
  const turns = () => ({ bus, loop: setup.loop(), clock, log, newId });
  const service = new CronService({
    ...{ store, runs, budget, clock, log, newId },
    leases: setup.leases,
    notice: setup.notice,
    settings: () => ({ enabled: settings()['cron.enabled'], catchUp: settings()['cron.catchUp'] }),
    run: (job, { signal, late, dueAt }) => {
      const text = late ? `${job.payload.message}\n\n(${lateWords(dueAt, clock)})` : job.payload.message;
      const turn = { sessionKey: jobSession(job.id), channel: 'cron', title: job.name, text, ...senderOf(job) };
      return runUnwatched(turns(), turn, signal);
    },
    tell: (job, record, { disabled, retries }) => {
      tell({ ...namesOf(job), record, disabled, retries });
    },
  });
  setup.tools.register(cronTool({ service, clock }));
  const heartbeat = new Heartbeat({
    ...setup,
    budget,
    runs,
    settings: () => ({ enabled: settings()['heartbeat.enabled'], intervalMs: setup.heartbeatSeconds() * 1000 }),
    mayRun: async () => {
      const model = await setup.resolveModel({ watched: false });
      return !('error' in model) && !setup.onlyAsked(model.info);
    },
    run: (tasks, { signal }) => {
      const text = HEARTBEAT_ASK.trim().replace('{{tasks}}', () => tasks);
      return runUnwatched(
        turns(),
        { sessionKey: HEARTBEAT_ID, channel: 'heartbeat', title: 'Heartbeat', text },
        signal,
      );
    },
    worthTelling: (result, signal) => worthTelling(setup, result, signal),
    tell: (record) => {
      const names = { id: HEARTBEAT_ID, name: t('Heartbeat'), message: '', deliver: true };
      tell({ ...names, record, disabled: false, retries: false });
    },
  });
  return {
    service,
    heartbeat,
    onOutcome: (listener) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
    dispose: async () => {
      await Promise.all([service.dispose(), heartbeat.dispose()]);
    },
  };
}

function namesOf({ id, name, payload }: Job): Pick<Outcome, 'id' | 'name' | 'message' | 'deliver'> {
  return { id, name, message: payload.message, deliver: payload.deliver };
}

/** What another agent wrote is text from outside, and tells nothing of the person. */
function senderOf({ payload }: Job): Pick<UnwatchedTurn, 'sender' | 'untrusted'> {
  return payload.from === 'agent' ? { sender: { kind: 'agent' }, untrusted: true } : {};
}

function lateWords(dueAt: number, clock: Clock): string {
  return `This was due on ${momentText(dueAt, clock.zone())} and runs late: nothing was there to run it then.`;
}

/** One small request, without tools; whatever is no clear yes is no. */
async function worthTelling(
  { resolveModel, clock }: CronSetup,
  { tasks, text }: { tasks: string; text: string },
  signal: AbortSignal,
): Promise<{ tell: boolean; tokens: number }> {
  const model = await resolveModel({ watched: false });
  if ('error' in model) return { tell: false, tokens: 0 };
  const content = `The tasks:\n${tasks}\n\nThe account:\n${text}`;
  const request = {
    system: HEARTBEAT_TELL.trim(),
    messages: [{ role: 'user' as const, content, timestamp: new Date(clock.now()).toISOString() }],
    tools: [],
    maxTokens: 256,
    sessionKey: HEARTBEAT_ID,
  };
  const options = { signal, onWait: () => undefined, refusedImages: new Set<string>() };
  for await (const event of model.stream(request, options)) {
    if (event.type !== 'end') continue;
    const { answer } = event;
    const tokens = tokensIn(answer.usage);
    return { tell: answer.stopReason === 'stop' && /^\W*tell\W*$/i.test(answer.text.trim()), tokens };
  }
  return { tell: false, tokens: 0 };
}
