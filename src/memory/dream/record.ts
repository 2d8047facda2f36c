import { join } from 'node:path';
import * as z from 'zod';
import { localDate } from '../../platform/localTime.js';
import type { Clock, Files, Log } from '../../platform/ports.js';
import type { DreamOutcome } from '../dream.js';

const commitSchema = z.looseObject({
  sha: z.string(),
  time: z.number(),
  message: z.string(),
  kind: z.enum(['dream', 'hand', 'restore', 'other']),
  changes: z.number(),
  files: z.array(z.string()),
});
const outcomeSchema = z.union([
  z.object({ kind: z.literal('learned'), commit: commitSchema, entries: z.number() }),
  z.object({ kind: z.enum(['nothing', 'skipped']), entries: z.number() }),
  z.object({ kind: z.literal('failed'), reason: z.string(), next: z.array(z.string()) }),
]);
const count = z.number().int().nonnegative();
const fileSchema = z.looseObject({
  tokens: z.object({ day: z.string(), used: count }).optional().catch(undefined),
  strikes: z.object({ from: count, to: count, count, reason: z.string() }).optional().catch(undefined),
  lastRun: z.object({ at: z.number(), outcome: outcomeSchema }).optional().catch(undefined),
  headings: z.record(z.string(), z.string()).catch({}).default({}),
});
type RecordFile = z.output<typeof fileSchema>;

/** `at` in epoch milliseconds. */
export interface LastRun {
  at: number;
  outcome: DreamOutcome;
}

/** A batch that failed, and how often. */
export interface Strikes {
  from: number;
  to: number;
  count: number;
  /** Why it failed the last time. */
  reason: string;
}

/**
 * What Dream keeps between its runs in `.nanobot/dream.json`: tokens of the day, failures of a batch, the last run, names of projects. Only
 * the holder of Dream's lease writes it. A file that cannot be understood counts as empty: all of it can be begun anew.
 */
export class DreamRecord {
  private readonly path: string;

  constructor(private readonly deps: { files: Files; clock: Clock; log: Log; home: string }) {
    this.path = join(deps.home, '.nanobot', 'dream.json');
  }

  async lastRun(): Promise<LastRun | undefined> {
    return (await this.read()).lastRun as LastRun | undefined;
  }

  async setLastRun(run: LastRun): Promise<void> {
    await this.change({ lastRun: run as RecordFile['lastRun'] });
  }

  /** Tokens used today, by the local date. */
  async tokensToday(): Promise<number> {
    const { tokens } = await this.read();
    return tokens?.day === this.today() ? tokens.used : 0;
  }

  async addTokens(used: number): Promise<void> {
    await this.change({ tokens: { day: this.today(), used: (await this.tokensToday()) + Math.ceil(used) } });
  }

  async strikes(): Promise<Strikes | undefined> {
    return (await this.read()).strikes;
  }

  async setStrikes(strikes: Strikes | undefined): Promise<void> {
    await this.change({ strikes });
  }

  /**
   * The name under which each of these projects stands in MEMORY.md: the last part of its path or address. Two projects that end alike get
   * different names, and each keeps its own for good.
   */
  async headings(projects: readonly string[]): Promise<Map<string, string>> {
    const { headings } = await this.read();
    const named = { ...headings };
    for (const project of projects) named[project] ??= freeName(project, new Set(Object.values(named)));
    if (Object.keys(named).length > Object.keys(headings).length) await this.change({ headings: named });
    return new Map(projects.map((project) => [project, named[project] ?? project]));
  }

  private today(): string {
    return localDate(this.deps.clock);
  }

  private async change(change: Partial<RecordFile>): Promise<void> {
    const { strikes, ...rest } = { ...(await this.read()), ...change };
    const file = { version: 1, ...rest, ...(strikes ? { strikes } : {}) };
    await this.deps.files.writeAtomic(this.path, `${JSON.stringify(file, null, 2)}\n`);
  }

  private async read(): Promise<RecordFile> {
    const { files, log } = this.deps;
    if (!(await files.stat(this.path))) return { headings: {} };
    try {
      const text = new TextDecoder().decode(await files.read(this.path));
      return fileSchema.parse(JSON.parse(text));
    } catch (cause) {
      log.warn(`${this.path} could not be understood and counts as empty: ${String(cause)}`);
      return { headings: {} };
    }
  }
}

function freeName(project: string, taken: ReadonlySet<string>): string {
  const parts = project
    .replace(/\.git$/, '')
    .split(/[\\/:]+/)
    .filter((part) => part !== '' && !part.includes('@'));
  const name = (parts.at(-1) ?? project).replace(/[#\r\n]/g, ' ').trim() || 'unnamed';
  const longer = parts.length > 1 ? `${name} (${parts.at(-2) ?? ''})` : name;
  for (const candidate of [name, longer]) if (!taken.has(candidate)) return candidate;
  for (let n = 2; ; n++) if (!taken.has(`${longer} ${String(n)}`)) return `${longer} ${String(n)}`;
}
