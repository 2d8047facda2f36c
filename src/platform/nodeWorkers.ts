import { join } from 'node:path';
import { Worker as Thread, type ResourceLimits } from 'node:worker_threads';
import type { Worker, Workers } from './ports.js';
import { reasonOf } from './reason.js';
import type { WorkerAnswer, WorkerCall } from './workerServer.js';

/** Memory of threads that read what strangers made: one that wants more ends, and nothing else does. */
const LIMITS: Partial<Record<string, ResourceLimits>> = { web: { maxOldGenerationSizeMb: 512 } };

/**
 * Workers as threads of this process, from the scripts `<folder>/<name>Worker.js`. A thread keeps the process alive only while a call is under
 * way, so that whoever awaits an answer gets it and a forgotten thread holds nobody up.
 */
export function nodeWorkers(folder: string): Workers {
  return { start: (name, data) => new NodeWorker(join(folder, `${name}Worker.js`), data, LIMITS[name] ?? {}) };
}

interface PendingCall {
  resolve(result: unknown): void;
  reject(cause: Error): void;
}

/** A thread that is running, with the calls it has not answered. */
interface RunningThread {
  thread: Thread;
  pending: Map<number, PendingCall>;
}

class NodeWorker implements Worker {
  private running: RunningThread | undefined;
  private calls = 0;

  constructor(
    private readonly script: string,
    private readonly data: unknown,
    private readonly limits: ResourceLimits,
  ) {}

  call<T>(method: string, ...args: unknown[]): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { thread, pending } = (this.running ??= this.begin());
      const id = ++this.calls;
      thread.postMessage({ id, method, args } satisfies WorkerCall);
      if (pending.size === 0) thread.ref();
      pending.set(id, {
        resolve: (result) => {
          resolve(result as T);
        },
        reject,
      });
    });
  }

  async end(): Promise<void> {
    const { running } = this;
    if (!running) return;
    this.forget(running, 'it was ended');
    await running.thread.terminate();
  }

  private begin(): RunningThread {
    const thread = new Thread(this.script, { workerData: this.data, resourceLimits: this.limits });
    const running: RunningThread = { thread, pending: new Map() };
    let reason: string | undefined;
    thread.on('message', (answer: WorkerAnswer) => {
      const call = running.pending.get(answer.id);
      running.pending.delete(answer.id);
      if (running.pending.size === 0) thread.unref();
      if ('failed' in answer) call?.reject(new Error(answer.failed));
      else call?.resolve(answer.result);
    });
    thread.on('error', (cause: unknown) => {
      reason = reasonOf(cause);
    });
    thread.on('exit', (code) => {
      this.forget(running, reason ?? `it ended with code ${String(code)}`);
    });
    thread.unref();
    return running;
  }

  /** A thread that ended, or is about to: the next call begins another. */
  private forget(running: RunningThread, reason: string): void {
    if (this.running === running) this.running = undefined;
    for (const call of running.pending.values()) {
      call.reject(new Error(`The worker ${this.script} gave no answer: ${reason}.`));
    }
    running.pending.clear();
  }
}
