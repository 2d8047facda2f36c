import { reasonOf } from './reason.js';

/** A call as it reaches a worker. */
export interface WorkerCall {
  id: number;
  method: string;
  args: unknown[];
}

/** A worker's answer to a call: what the method gave, or why it failed. */
export type WorkerAnswer = { id: number; result: unknown } | { id: number; failed: string };

/** The worker's end of the line: `parentPort` of node:worker_threads. */
export interface WorkerPort {
  on(event: 'message', listener: (call: WorkerCall) => void): unknown;
  postMessage(answer: WorkerAnswer): void;
}

/** A worker's methods by name. They may be asynchronous; then a later call can begin before an earlier one is done. */
export type WorkerHandlers = Record<string, (...args: never[]) => unknown>;

/**
 * Answers the calls of the thread that started this worker; the counterpart of `nodeWorkers`. A method that throws fails its call alone, the
 * worker goes on. Throws where there is no such thread, that is, where the script was not started as a worker.
 */
export function serveWorker(port: WorkerPort | null, handlers: WorkerHandlers): void {
  if (!port) throw new Error('This script runs in a worker thread only; Nanobot starts it by itself.');
  port.on('message', (call) => void answer(call, handlers).then((reply) => post(port, reply)));
}

/** A result that cannot be copied fails its call, too. */
function post(port: WorkerPort, reply: WorkerAnswer): void {
  try {
    port.postMessage(reply);
  } catch (cause) {
    port.postMessage({ id: reply.id, failed: reasonOf(cause) });
  }
}

async function answer({ id, method, args }: WorkerCall, handlers: WorkerHandlers): Promise<WorkerAnswer> {
  try {
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
    if (!handler) throw new Error(`The worker has no method "${method}".`);
    return { id, result: await handler(...(args as never[])) };
  } catch (cause) {
    return { id, failed: reasonOf(cause) };
  }
}
