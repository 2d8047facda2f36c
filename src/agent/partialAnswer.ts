import { join } from 'node:path';
import type { Clock, Disposable, Files, Log } from '../platform/ports.js';
import { safeName } from '../session/names.js';

/** Milliseconds until an answer that streams is copied, and between two copies: most answers are stored whole before. */
const EVERY_MS = 250;

/** What was told of an answer that is not stored yet. */
export interface PartialText {
  turnId: string;
  /** Of the message. */
  id: string;
  text: string;
}

export interface PartialDeps {
  files: Pick<Files, 'read' | 'writeAtomic' | 'remove'>;
  clock: Pick<Clock, 'after'>;
  log: Log;
  home: string;
}

/**
 * Keeps the answer that streams in a file of its own, since a session's file takes whole messages only: what a person has read outlives a process
 * that is killed. Never throws: an answer must not end because its copy could not be written.
 */
export class PartialAnswer {
  private latest: (() => PartialText | undefined) | undefined;
  private kept = false;
  private steps: Promise<void> = Promise.resolve();
  private timer: Disposable | undefined;
  private readonly path: string;

  constructor(
    private readonly deps: PartialDeps,
    key: string,
  ) {
    this.path = join(deps.home, '.nanobot', 'partial', `${safeName(key)}.json`);
  }

  /** The answer has grown. `read` is called when it is time to write. */
  grown(read: () => PartialText | undefined): void {
    this.latest = read;
    this.timer ??= this.deps.clock.after(EVERY_MS, () => {
      this.timer = undefined;
      this.keep();
    });
  }

  /** The answer is stored, or begins anew. */
  forget(): void {
    this.latest = undefined;
    this.timer?.dispose();
    this.timer = undefined;
    if (this.kept) this.step(() => this.deps.files.remove(this.path));
    this.kept = false;
  }

  /** What a process that was killed has left, once. */
  async take(): Promise<PartialText | undefined> {
    try {
      const found = JSON.parse(new TextDecoder().decode(await this.deps.files.read(this.path))) as Partial<PartialText>;
      await this.deps.files.remove(this.path);
      const { turnId, id, text } = found;
      if (typeof turnId === 'string' && typeof id === 'string' && typeof text === 'string') return { turnId, id, text };
    } catch {
      // Nothing was left, or nothing that can be read.
    }
    return undefined;
  }

  private keep(): void {
    const partial = this.latest?.();
    if (!partial || partial.text === '') return;
    this.kept = true;
    this.step(() => this.deps.files.writeAtomic(this.path, JSON.stringify(partial), { flush: false }));
  }

  private step(work: () => Promise<void>): void {
    this.steps = this.steps.then(work).catch((cause: unknown) => {
      this.deps.log.warn(`The answer so far could not be kept in ${this.path}: ${String(cause)}`);
    });
  }
}
