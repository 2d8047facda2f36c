import { unlessAborted } from '../platform/abort.js';
import type { Clock, Disposable, Files, Log, Worker, Workers } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';

/** One thing that was said or noted, found again. */
export interface RecallHit {
  /** Comparable within one answer only; higher is better. */
  score: number;
  /** ISO 8601; empty where the source gives no time. */
  time: string;
  /** Absolute path of the file it stands in. */
  source: string;
  /** 1-based. */
  line: number;
  kind: 'session' | 'history' | 'note' | 'memory';
  role?: string;
  sessionKey?: string;
  text: string;
}

/** What narrows a search. */
export interface RecallOptions {
  /** Hits at most; 8 unless told, 200 at most. */
  limit?: number;
  /** Only what was said or noted in the last so many days. */
  days?: number;
  kinds?: RecallHit['kind'][];
  signal?: AbortSignal;
}

/** What the worker gives for a question. */
export interface RecallAnswer {
  hits: RecallHit[];
  /** For the log: an index that was damaged or could not be saved. */
  warnings: string[];
}

export interface RecallDeps {
  workers: Workers;
  files: Files;
  clock: Clock;
  home: string;
  log: Log;
}

/** How long the index stays in memory after the last question. */
const IDLE_MS = 60_000;

/**
 * Ranked full-text search over the home: sessions, history, notes and MEMORY.md. The index lives in a worker, which is started by the first
 * search and ended 60 seconds after the last one; what it learned stays on disk.
 */
export class Recall {
  private worker: Worker | undefined;
  private idle: Disposable | undefined;
  private running = 0;

  constructor(private readonly deps: RecallDeps) {}

  /**
   * The best hits, best first. An empty query lists what is newest instead. Waits for the index to be brought up to date, which at the first
   * use of a large home takes some seconds. Throws the signal's reason when aborted, and an Error where the home cannot be read at all.
   */
  async search(query: string, options: RecallOptions = {}): Promise<RecallHit[]> {
    const { signal, ...wanted } = options;
    signal?.throwIfAborted();
    this.idle?.dispose();
    this.running += 1;
    try {
      this.worker ??= this.deps.workers.start('recall', { home: this.deps.home });
      const asked = this.worker.call<RecallAnswer>('search', query, { ...wanted, now: this.deps.clock.now() });
      const { hits, warnings } = await (signal ? unlessAborted(asked, signal, 'The search was stopped.') : asked);
      for (const warning of warnings) this.deps.log.warn(warning);
      return hits;
    } finally {
      this.running -= 1;
      if (this.running === 0) this.idle = this.deps.clock.after(IDLE_MS, () => void this.close());
    }
  }

  /** Writes down what is new in the index and frees it. A later search loads it again. */
  async close(): Promise<void> {
    this.idle?.dispose();
    this.idle = undefined;
    const { worker } = this;
    this.worker = undefined;
    if (!worker) return;
    try {
      for (const warning of await worker.call<string[]>('save')) this.deps.log.warn(warning);
    } catch (cause) {
      this.deps.log.warn(`The recall index could not be saved: ${reasonOf(cause)}`);
    }
    await worker.end();
  }
}
