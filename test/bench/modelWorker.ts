import { parentPort } from 'node:worker_threads';
import { startModelServer, type Reply } from '../support/modelServer.js';
import { epoch } from './epoch.js';

/** What the worker tells: where it listens, and when each request had come. */
export type WorkerNews = { url: string } | { at: number; bytes: number };

/** What the model is to say from now on, and how many chunks a second; without a number, as quick as it can. */
export interface WorkerOrder {
  reply: Reply;
  perSecond?: number;
}

if (!parentPort) throw new Error('This runs as a worker of the benchmark.');
const port = parentPort;
let order: WorkerOrder = { reply: { text: 'ok' } };
port.on('message', (next: WorkerOrder) => (order = next));

// The model's work must not stand in the way of what is measured, so it has a thread of its own.
const server = await startModelServer((request) => {
  port.postMessage({ at: performance.timeOrigin + request.at, bytes: request.bytes } satisfies WorkerNews);
  const { reply, perSecond } = order;
  return perSecond === undefined ? reply : { ...reply, gate: pace(perSecond) };
});
port.postMessage({ url: server.url } satisfies WorkerNews);

/** Lets the n-th chunk go when its time has come, counted from the first. */
function pace(perSecond: number): (chunk: number) => Promise<void> | undefined {
  let start: number | undefined;
  return (chunk) => {
    start ??= epoch();
    const wait = start + (chunk * 1_000) / perSecond - epoch();
    return wait > 1 ? new Promise((resolve) => setTimeout(resolve, wait)) : undefined;
  };
}
