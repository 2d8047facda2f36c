import { t } from '@vscode/l10n';
import { codeOf } from '../platform/fileErrors.js';
import { dirname, join } from 'node:path';
import type { Clock, Disposable, Files, Log } from '../platform/ports.js';
import type { Leases } from '../session/lease.js';
import { isObject } from '../session/lines.js';
import { withLease } from '../session/withLease.js';
import { fieldsOf, jobOf, type Job } from './job.js';

/** The lock under which jobs.json is read and written anew. */
const LOCK = 'cron.jobs';
/** Milliseconds after which a file that cannot be read is looked at again: a program may be writing it at this moment. */
const AGAIN_MS = 250;

export interface JobStoreDeps {
  files: Files;
  clock: Clock;
  log: Log;
  home: string;
  leases: Pick<Leases, 'acquire' | 'release'>;
  /** For a person: what was set aside, and where it is. */
  notice(text: string): void;
}

/** An entry of the file: as it stands there, and as a job where it is one. */
interface Entry {
  raw: unknown;
  job: Job | undefined;
}

interface Content {
  root: Record<string, unknown>;
  entries: Entry[];
}

/**
 * cron/jobs.json, nanobot's file of schedules. Each change reads it, changes it and writes it whole under a lock that all windows share. Fields
 * and entries that we do not know stay as they are. A file that is no JSON is set aside beside itself, and what was last read takes its place.
 */
export class JobStore {
  readonly path: string;
  private known: Content | undefined;
  private readonly listeners = new Set<() => void>();
  private watch: Disposable | undefined;

  constructor(private readonly deps: JobStoreDeps) {
    this.path = join(deps.home, 'cron', 'jobs.json');
  }

  /** The jobs as the file has them now, in its order. Rejects where the disk does not let it be read. */
  async list(): Promise<Job[]> {
    return jobsIn(await this.read());
  }

  /**
   * Changes the jobs: `work` gets them and may change them in place, add to them and take some out. The file is written if `work` returns true.
   * Jobs are told apart by their id. Resolves with the jobs as they stand then.
   */
  async change(work: (jobs: Job[]) => boolean): Promise<Job[]> {
    const { clock, leases, files } = this.deps;
    return withLease(leases, LOCK, clock, async () => {
      const content = await this.readUnderLock();
      const jobs = jobsIn(content);
      if (!work(jobs)) return jobs;
      const next = mergedOf(content, jobs);
      await files.writeAtomic(this.path, textOf(next));
      this.known = next;
      for (const listener of this.listeners) listener();
      return jobs;
    });
  }

  /** Calls back after the jobs changed, by whoever. */
  onChange(listener: () => void): Disposable {
    this.listeners.add(listener);
    this.watch ??= this.deps.files.watch(this.path, () => {
      for (const each of this.listeners) each();
    });
    return {
      dispose: () => {
        this.listeners.delete(listener);
        if (this.listeners.size > 0) return;
        this.watch?.dispose();
        this.watch = undefined;
      },
    };
  }

  /** A file that cannot be understood is read once more, and under the lock, before it is set aside. */
  private async read(): Promise<Content> {
    const content = await this.attempt();
    if (content) return content;
    await this.deps.clock.sleep(AGAIN_MS);
    const again = await this.attempt();
    return again ?? withLease(this.deps.leases, LOCK, this.deps.clock, () => this.readUnderLock());
  }

  private async readUnderLock(): Promise<Content> {
    return (await this.attempt()) ?? (await this.setAside());
  }

  private async attempt(): Promise<Content | undefined> {
    const text = await this.text();
    if (text === undefined) return { root: {}, entries: [] };
    const root = parse(text);
    if (root === undefined) return undefined;
    const present = { now: this.deps.clock.now(), zone: this.deps.clock.zone() };
    const list = Array.isArray(root) ? root : root['jobs'];
    if (list !== undefined && !Array.isArray(list)) return undefined;
    const ids = new Set<string>();
    const entries = ((list ?? []) as unknown[]).map((raw): Entry => {
      const job = jobOf(raw, present);
      // Of two with one id the first counts; the other stays in the file.
      if (!job || ids.has(job.id)) return { raw, job: undefined };
      ids.add(job.id);
      return { raw, job };
    });
    this.known = { root: Array.isArray(root) ? {} : root, entries };
    return this.known;
  }

  /** The text of jobs.json, or of an older nanobot's cron.json where there is no other. */
  private async text(): Promise<string | undefined> {
    for (const path of [this.path, join(this.deps.home, 'cron.json')]) {
      try {
        const text = Buffer.from(await this.deps.files.read(path)).toString('utf8');
        // Nothing written yet is no damage.
        return text.trim() === '' ? '{}' : text;
      } catch (cause) {
        if (codeOf(cause) !== 'ENOENT') throw cause;
      }
    }
    return undefined;
  }

  private async setAside(): Promise<Content> {
    const { files, clock, notice } = this.deps;
    const source = (await files.stat(this.path)) ? this.path : join(this.deps.home, 'cron.json');
    const name = `jobs.json.corrupt-${new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '-')}`;
    const aside = join(dirname(this.path), name);
    await files.makeFolder(dirname(aside));
    await files.rename(source, aside);
    const kept = this.known ?? { root: {}, entries: [] };
    if (kept.entries.length > 0) await files.writeAtomic(this.path, textOf(kept));
    notice(
      kept.entries.length > 0
        ? t(
            '{0} could not be understood and was set aside as {1}. The schedules go on as they were read last. Correct that file and give it its old name.',
            source,
            name,
          )
        : t(
            '{0} could not be understood and was set aside as {1}. There are no schedules until it is put right. Correct that file and give it its old name.',
            source,
            name,
          ),
    );
    return kept;
  }
}

function jobsIn({ entries }: Content): Job[] {
  return entries.flatMap(({ job }) => (job ? [structuredClone(job)] : []));
}

/** The file with these jobs: in their old places, new ones at the end, what is no job left alone. */
function mergedOf({ root, entries }: Content, jobs: readonly Job[]): Content {
  const left = new Map(jobs.map((job) => [job.id, job]));
  const kept = entries.flatMap(({ raw, job }): Entry[] => {
    if (!job) return [{ raw, job }];
    const now = left.get(job.id);
    left.delete(job.id);
    if (!now) return [];
    // What did not change stays as it was written.
    return [JSON.stringify(now) === JSON.stringify(job) ? { raw, job } : { raw: fieldsOf(now, raw), job: now }];
  });
  const added = [...left.values()].map((job) => ({ raw: fieldsOf(job, {}), job }));
  return { root, entries: [...kept, ...added] };
}

function textOf({ root, entries }: Content): string {
  return `${JSON.stringify({ version: 1, ...root, jobs: entries.map(({ raw }) => raw) }, null, 2)}\n`;
}

function parse(text: string): Record<string, unknown> | unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isObject(value) || Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
