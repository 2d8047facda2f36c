import { join } from 'node:path';
import * as z from 'zod';
import { HEARTBEAT_ID } from '../cron/jobSession.js';
import { dateOf } from '../platform/localTime.js';
import type { Clock, Files, Log } from '../platform/ports.js';
import type { Usage } from '../protocol/message.js';

/** Who asked a model: a person's chats and what belongs to them, Dream, schedules with the heartbeat, subagents. */
export const USAGE_SOURCES = ['chat', 'dream', 'schedules', 'subagents'] as const;
export type UsageSource = (typeof USAGE_SOURCES)[number];

/** Days that are told together. */
const DAYS = 7;
const DAY_MS = 86_400_000;

const count = z.number().nonnegative();
const lineSchema = z.object({
  day: z.string(),
  source: z.enum(USAGE_SOURCES),
  input: count,
  output: count,
  cost: count.optional(),
});

/** Tokens sent and received, and US dollars as far as prices are known. */
export interface UsageSum {
  input: number;
  output: number;
  cost: number;
  /** Requests whose price is not known. */
  unpriced: number;
}

/** A local day, `YYYY-MM-DD`, with what each source used in it. */
export interface UsageDay {
  day: string;
  sources: Record<UsageSource, UsageSum>;
}

/**
 * Counts what every request to a model used, in one line each of `.nanobot/usage/<month>.jsonl`: append-only, so windows and processes do not disturb one
 * another. A line that cannot be written or read is logged and missing from the sums; it never keeps a turn from going on.
 */
export class UsageLedger {
  private writing: Promise<void> = Promise.resolve();
  /** Files this process has written to. */
  private readonly begun = new Set<string>();

  constructor(private readonly deps: { files: Files; clock: Clock; log: Log; home: string }) {}

  /** Counts a request made under this session's key. Returns at once. */
  add(sessionKey: string, model: string, usage: Usage): void {
    const { files, clock, log } = this.deps;
    const now = clock.now();
    const line = {
      at: new Date(now).toISOString(),
      day: dateOf(now, clock.zone()),
      source: sourceOf(sessionKey),
      model,
      ...{ input: usage.inputTokens, output: usage.outputTokens, cached: usage.cachedTokens },
      ...(usage.cost === undefined ? {} : { cost: usage.cost }),
      ...(usage.estimated ? { estimated: true } : {}),
    };
    this.writing = this.writing
      .then(async () => {
        const path = this.path(line.day);
        await files.append(path, `${await this.lineEnd(path)}${JSON.stringify(line)}\n`);
      })
      .catch((cause: unknown) => {
        log.warn(`What ${model} used could not be noted in ${this.path(line.day)}: ${String(cause)}`);
      });
  }

  /** The last seven days, today last, those without use too. */
  async week(): Promise<UsageDay[]> {
    await this.writing;
    const { clock } = this.deps;
    const names = Array.from({ length: DAYS }, (_, at) => dateOf(clock.now() - (DAYS - 1 - at) * DAY_MS, clock.zone()));
    const days = new Map([...new Set(names)].map((day) => [day, { day, sources: emptySources() }]));
    for (const path of new Set(names.map((day) => this.path(day)))) {
      for (const { day, source, input, output, cost } of await this.read(path)) {
        const sum = days.get(day)?.sources[source];
        if (!sum) continue;
        sum.input += input;
        sum.output += output;
        if (cost === undefined) sum.unpriced += 1;
        else sum.cost += cost;
      }
    }
    return [...days.values()];
  }

  /** Resolves when everything that was counted is written. */
  async close(): Promise<void> {
    await this.writing;
  }

  /** The line end that a process which was killed in the middle of a line owes; only looked for once. */
  private async lineEnd(path: string): Promise<string> {
    const { files } = this.deps;
    if (this.begun.has(path)) return '';
    this.begun.add(path);
    const size = (await files.stat(path))?.size ?? 0;
    if (size === 0) return '';
    const [last] = await files.readRange(path, size - 1, 1);
    return last === 10 ? '' : '\n';
  }

  private path(day: string): string {
    return join(this.deps.home, '.nanobot', 'usage', `${day.slice(0, 7)}.jsonl`);
  }

  private async read(path: string): Promise<z.output<typeof lineSchema>[]> {
    const { files, log } = this.deps;
    if (!(await files.stat(path))) return [];
    const lines = new TextDecoder().decode(await files.read(path)).split('\n');
    const read = lines.flatMap((line) => lineOf(line) ?? []);
    const broken = lines.filter((line) => line.trim() !== '').length - read.length;
    if (broken > 0) log.warn(`${String(broken)} lines of ${path} could not be read and are not counted.`);
    return read;
  }
}

function lineOf(line: string): z.output<typeof lineSchema> | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function sourceOf(sessionKey: string): UsageSource {
  if (sessionKey === 'dream') return 'dream';
  if (sessionKey.startsWith('subagent:')) return 'subagents';
  return sessionKey.startsWith('cron:') || sessionKey === HEARTBEAT_ID ? 'schedules' : 'chat';
}

function emptySources(): Record<UsageSource, UsageSum> {
  const nothing = () => ({ input: 0, output: 0, cost: 0, unpriced: 0 });
  return { chat: nothing(), dream: nothing(), schedules: nothing(), subagents: nothing() };
}
