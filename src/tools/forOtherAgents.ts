import * as z from 'zod';
import { momentText, nextRuns, problemOf, type Schedule } from '../cron/schedule.js';
import { scheduleWords } from '../cron/scheduleWords.js';
import type { CronService } from '../cron/service.js';
import { readWhen } from '../cron/whenWords.js';
import type { Notes } from '../memory/notes.js';
import type { Recall } from '../memory/recall.js';
import type { Clock } from '../platform/ports.js';
import { english, translated, WordsError, type Translate } from '../platform/words.js';
import { parseArguments } from '../runner/arguments.js';
import { scheduleOf } from './cron.js';
import { recallParams, searchMemory } from './recall.js';
import { note, rememberParams } from './remember.js';

/** What notes of other agents are marked with. */
const QUOTED_FROM = 'another agent';
/** Times told of a new schedule. */
const TIMES = 3;

const scheduleParams = z.object({
  message: z.string().trim().min(1).max(4_000).describe('What Nanobot should do then, complete in itself'),
  when: z.string().optional().describe('In words: every weekday at 9, in 20 minutes, 0 9 * * 1-5'),
  name: z.string().optional(),
  every_seconds: z.number().optional().describe('In place of when: 60 or more'),
  cron_expr: z.string().optional().describe('In place of when: five fields'),
  tz: z.string().optional().describe('IANA zone of cron_expr or at'),
  at: z.string().optional().describe('In place of when: once, local ISO time'),
});
type Wanted = z.output<typeof scheduleParams>;

/** Names of the tools, as package.json contributes them. */
export type OtherAgentsTool = 'nanobot_recall' | 'nanobot_remember' | 'nanobot_schedule';

/** Their arguments. The contributed schemas say the same. */
export const OTHER_AGENTS_PARAMS = {
  nanobot_recall: recallParams,
  nanobot_remember: rememberParams,
  nanobot_schedule: scheduleParams,
} satisfies Record<OtherAgentsTool, z.ZodType>;

export interface OtherAgentsDeps {
  recall: Pick<Recall, 'search'>;
  notes: Pick<Notes, 'append'>;
  jobs: Pick<CronService['jobs'], 'add'>;
  clock: Clock;
  home: string;
}

/** What other agents of the editor may do with Nanobot's memory. Whatever they write is another's words and never the person's. */
export interface OtherAgents {
  /** Resolves with what the other agent is told. Rejects in words for it: wrong arguments, a disk that refuses, a time that has passed. */
  invoke(tool: OtherAgentsTool, input: unknown, signal: AbortSignal): Promise<string>;
  /** How a wish to schedule is understood, for the person who is asked; undefined where it cannot be, which `invoke` then says. */
  understood(input: unknown): string | undefined;
}

/** Makes the tools for other agents over the memory and the schedules. */
export function forOtherAgents(deps: OtherAgentsDeps): OtherAgents {
  const tools: Record<OtherAgentsTool, (input: unknown, signal: AbortSignal) => Promise<string>> = {
    nanobot_recall: async (input, signal) =>
      (await searchMemory(deps, checked('nanobot_recall', recallParams, input), signal)).text,
    nanobot_remember: async (input) => {
      const { text } = checked('nanobot_remember', rememberParams, input);
      return (await note(deps.notes, text, { quotedFrom: QUOTED_FROM })).text;
    },
    nanobot_schedule: async (input) => schedule(deps, checked('nanobot_schedule', scheduleParams, input)),
  };
  return {
    invoke: async (tool, input, signal) => {
      try {
        return await tools[tool](input, signal);
      } catch (cause) {
        throw cause instanceof WordsError ? new Error(cause.english, { cause }) : cause;
      }
    },
    understood: (input) => {
      try {
        const wanted = checked('nanobot_schedule', scheduleParams, input);
        const read = readSchedule(wanted, deps.clock);
        const problem = problemOf(read, deps.clock.now(), deps.clock.zone());
        return problem === undefined ? wordsOf(read, deps.clock, translated) : undefined;
      } catch {
        // The call itself says what is wrong.
        return undefined;
      }
    },
  };
}

async function schedule({ jobs, clock }: OtherAgentsDeps, wanted: Wanted): Promise<string> {
  const { message, name } = wanted;
  const job = await jobs.add({
    message,
    schedule: readSchedule(wanted, clock),
    from: 'agent',
    ...(name === undefined ? {} : { name }),
  });
  return `Scheduled "${job.name}" (id: ${job.id}), ${wordsOf(job.schedule, clock, english)} Nobody watches when it runs: what would need the person's approval is left undone then.`;
}

function readSchedule(wanted: Wanted, clock: Clock): Schedule {
  const { when } = wanted;
  if (when === undefined || when.trim() === '') return scheduleOf(wanted, clock);
  const { every_seconds, cron_expr, at, tz } = wanted;
  if ([every_seconds, cron_expr, at].some((value) => value !== undefined))
    throw new Error('Give either when, or one of every_seconds, cron_expr and at.');
  const read = readWhen(tz === undefined ? when : `${when} ${tz}`, { now: clock.now(), zone: clock.zone() }, english);
  if ('problem' in read) throw new Error(read.problem);
  return read.schedule;
}

function wordsOf(wanted: Schedule, clock: Clock, t: Translate): string {
  const zone = clock.zone();
  const now = clock.now();
  const times = nextRuns(wanted, now, { zone, from: now, count: TIMES }).map((at) => momentText(at, zone));
  const words = scheduleWords(wanted, zone, t);
  return times.length === 1
    ? t('{0}. Runs once: {1}.', words, times.join(''))
    : t('{0}. Next: {1}.', words, times.join('; '));
}

function checked<S extends z.ZodType>(name: string, schema: S, input: unknown): z.output<S> {
  const parameters = z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>;
  const parsed = parseArguments({ name, schema, parameters }, JSON.stringify(input ?? {}));
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.args as z.output<S>;
}
