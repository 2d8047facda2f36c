import { join } from 'node:path';
import type { Clock, Files } from '../platform/ports.js';

/** What a person rejected of a Dream by undoing it: a line of `.nanobot/undone.jsonl`. */
export interface Rejection {
  /** ISO time of the undoing. */
  time: string;
  /** Path below the home. */
  file: string;
  /** Lines that the Dream had added, or what it had made of others. */
  lines: string[];
  /** Lines that the Dream had removed or changed: the person wants to keep them. */
  removed: string[];
  /** Cursors of the history entries which the Dream had read; empty where it did not say. */
  cursors: number[];
  /** The Dream's commit. */
  commit: string;
}

/** Lines kept of one file and letters kept of one line: enough to know them again. */
const MAX_LINES = 200;
const MAX_LETTERS = 1_000;

/**
 * What a person undid of Dreams, in `.nanobot/undone.jsonl`. The file only grows: bringing a Dream back appends a line that says so. Lines that
 * cannot be read are passed over.
 */
export class UndoneFile {
  constructor(private readonly deps: { files: Files; clock: Clock; home: string }) {}

  /** What stands rejected now, in the order in which it was. */
  async list(): Promise<Rejection[]> {
    let standing: Rejection[] = [];
    for (const line of (await this.text()).split('\n')) {
      const record = parse(line);
      if (record && 'withdrawn' in record) standing = standing.filter(({ commit }) => commit !== record.withdrawn);
      else if (record) standing.push(record);
    }
    return standing;
  }

  /** Adds what was rejected of one commit; nothing where that commit stands rejected already. Flushed before it resolves. */
  async reject(rejections: readonly Omit<Rejection, 'time'>[]): Promise<void> {
    const standing = new Set((await this.list()).map(({ commit }) => commit));
    const time = this.now();
    const fresh = rejections.filter(({ commit }) => !standing.has(commit));
    await this.append(fresh.map((each) => ({ time, ...each, lines: cut(each.lines), removed: cut(each.removed) })));
  }

  /** Takes back what was rejected of a commit. */
  async withdraw(commit: string): Promise<void> {
    const standing = (await this.list()).some((each) => each.commit === commit);
    if (standing) await this.append([{ time: this.now(), withdrawn: commit }]);
  }

  private async append(records: readonly object[]): Promise<void> {
    if (records.length === 0) return;
    const text = await this.text();
    // A line that a crash cut off must not swallow the next one.
    const start = text === '' || text.endsWith('\n') ? '' : '\n';
    const lines = records.map((record) => `${JSON.stringify(record)}\n`);
    await this.deps.files.append(this.path(), start + lines.join(''), { flush: true });
  }

  private async text(): Promise<string> {
    if (!(await this.deps.files.stat(this.path()))) return '';
    return Buffer.from(await this.deps.files.read(this.path())).toString('utf8');
  }

  private path(): string {
    return join(this.deps.home, '.nanobot', 'undone.jsonl');
  }

  private now(): string {
    return new Date(this.deps.clock.now()).toISOString();
  }
}

function cut(lines: readonly string[]): string[] {
  return lines.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_LETTERS));
}

function parse(line: string): Rejection | { withdrawn: string } | undefined {
  let value: Partial<Record<keyof Rejection | 'withdrawn', unknown>> | null;
  try {
    value = JSON.parse(line) as typeof value;
  } catch {
    return undefined; // Torn by a crash, or edited by hand: the other lines count.
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (typeof value.withdrawn === 'string') return { withdrawn: value.withdrawn };
  if (typeof value.file !== 'string') return undefined;
  return {
    time: typeof value.time === 'string' ? value.time : '',
    file: value.file,
    lines: listOf(value.lines, (each) => typeof each === 'string'),
    removed: listOf(value.removed, (each) => typeof each === 'string'),
    cursors: listOf(value.cursors, (each) => typeof each === 'number' && Number.isInteger(each)),
    commit: typeof value.commit === 'string' ? value.commit : '',
  };
}

function listOf<T>(value: unknown, fits: (each: unknown) => boolean): T[] {
  return Array.isArray(value) ? (value.filter(fits) as T[]) : [];
}
