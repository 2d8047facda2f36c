import { join } from 'node:path';
import { GitStore } from '../../../src/memory/gitStore.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { nodeGitFs } from '../../../src/platform/nodeGitFs.js';
import { nodeIdentity } from '../../../src/platform/nodeIdentity.js';
import type { Clock, Files, GitFs, Log, Processes } from '../../../src/platform/ports.js';
import { Leases } from '../../../src/session/lease.js';

/** A store with leases of its own, as a window has it. Knows nothing of the test runner, so that a process of its own can use it too. */
export function storeOn(
  home: string,
  ports: {
    files?: Files;
    fs?: GitFs;
    clock?: Clock;
    processes?: Processes;
    notices?: string[];
    logged?: string[];
  } = {},
): { store: GitStore; leases: Leases } {
  const files = ports.files ?? nodeFiles();
  const clock = ports.clock ?? nodeClock(() => 'Europe/Berlin');
  const say = (text: string) => void ports.logged?.push(text);
  const log: Log = { debug: say, info: say, warn: say, error: say };
  const leases = new Leases({
    files,
    clock,
    log,
    folder: join(home, '.nanobot', 'locks'),
    holder: `holder-${String(Math.random())}`,
    processes: ports.processes ?? nodeIdentity(),
  });
  const store = new GitStore({
    files,
    clock,
    log,
    home,
    leases,
    fs: ports.fs ?? nodeGitFs(),
    notice: (text) => void ports.notices?.push(text),
  });
  return { store, leases };
}
