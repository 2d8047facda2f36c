import { nodeWorkers } from '../../src/platform/nodeWorkers.js';
import type { Workers } from '../../src/platform/ports.js';

/** The variable that says where the bundled workers lie; `buildWorkers.ts` sets it before the tests run. */
export const WORKERS_FOLDER = 'NANOBOT_TEST_WORKERS';

/** Where the bundled workers lie. Throws where they were not made. */
export function workersFolder(): string {
  const folder = process.env[WORKERS_FOLDER];
  if (folder === undefined)
    throw new Error(`${WORKERS_FOLDER} is not set: run this with vitest, which makes the workers.`);
  return folder;
}

/** The real workers, in threads of this process. */
export function testWorkers(): Promise<Workers> {
  return Promise.resolve(nodeWorkers(workersFolder()));
}
