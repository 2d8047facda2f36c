import { threadId, parentPort, workerData } from 'node:worker_threads';
import { serveWorker } from '../../../src/platform/workerServer.js';

/** A worker for tests: gives back what it gets, fails, crashes or never answers. */
serveWorker(parentPort, {
  echo: (value: unknown) => value,
  later: async (value: unknown) => {
    await Promise.resolve();
    return value;
  },
  thread: () => threadId,
  data: () => workerData as unknown,
  uncopied: () => () => 1,
  fail: () => {
    throw new Error('this one failed');
  },
  crash: () => {
    setImmediate(() => {
      throw new Error('out of order');
    });
    return new Promise(() => undefined);
  },
  leave: () => process.exit(7),
  never: () => new Promise(() => undefined),
});
