import { codeOf } from '../platform/fileErrors.js';
import { join } from 'node:path';
import type { Files, Log } from '../platform/ports.js';
import { isObject } from '../session/lines.js';
import { safeName } from '../session/names.js';
import type { RunStatus } from './job.js';

/** Runs kept of a job. */
const KEPT = 100;
/** Characters kept of what a run said. */
const LONGEST = 2_000;

/** One run of a job, as its history keeps it. Times are epoch milliseconds. */
export interface RunRecord {
  at: number;
  ms: number;
  status: RunStatus;
  /** Why it ran: its time had come, a failed run was tried again, or a person wanted it. */
  why: 'due' | 'retry' | 'hand';
  dueAt?: number;
  /** It was missed while nothing could run it. */
  late?: boolean;
  error?: string;
  /** What the agent said last. */
  text?: string;
  /** What was not allowed, since nobody could be asked. */
  denied?: string[];
  tokens?: number;
  session?: string;
}

/** The run history of jobs: cron/runs/<id>.jsonl, the last 100 of each. Nothing in it is needed to run jobs, so a failure to write is only logged. */
export class RunHistory {
  constructor(private readonly deps: { files: Files; log: Log; home: string }) {}

  /** The runs of a job, newest first. A line that cannot be read is left out. */
  async of(id: string): Promise<RunRecord[]> {
    return (await this.lines(id)).flatMap((line) => recordOf(line) ?? []).reverse();
  }

  async add(id: string, record: RunRecord): Promise<void> {
    const { files, log } = this.deps;
    const text = record.text === undefined ? {} : { text: record.text.slice(0, LONGEST) };
    try {
      const lines = [...(await this.lines(id)), JSON.stringify({ ...record, ...text })];
      await files.writeAtomic(this.path(id), `${lines.slice(-KEPT).join('\n')}\n`, { flush: false });
    } catch (cause) {
      log.warn(`The run of ${id} could not be noted: ${String(cause)}`);
    }
  }

  async remove(id: string): Promise<void> {
    await this.deps.files.remove(this.path(id));
  }

  private path(id: string): string {
    return join(this.deps.home, 'cron', 'runs', `${safeName(id)}.jsonl`);
  }

  private async lines(id: string): Promise<string[]> {
    try {
      const text = Buffer.from(await this.deps.files.read(this.path(id))).toString('utf8');
      return text.split(/\r?\n/).filter((line) => line.trim() !== '');
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') return [];
      throw cause;
    }
  }
}

function recordOf(line: string): RunRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isObject(value) || typeof value['at'] !== 'number' || typeof value['status'] !== 'string') return undefined;
    return { ms: 0, why: 'due', ...value } as unknown as RunRecord;
  } catch {
    return undefined;
  }
}
