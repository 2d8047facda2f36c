import { join } from 'node:path';
import { HistoryFile, type HistoryDeps } from '../../src/memory/history.js';
import { nodeClock } from '../../src/platform/nodeClock.js';
import { nodeFiles } from '../../src/platform/nodeFiles.js';
import { nodeIdentity } from '../../src/platform/nodeIdentity.js';
import type { Processes } from '../../src/platform/ports.js';
import { Leases } from '../../src/session/lease.js';

const quiet = () => undefined;

/** The leases of a home as a process of this name has them. Whoever takes one gives it back. */
export function leasesAt(
  home: string,
  holder: string,
  more: Partial<Pick<HistoryDeps, 'files' | 'clock'>> & { processes?: Processes } = {},
): Leases {
  return new Leases({
    files: more.files ?? nodeFiles(),
    clock: more.clock ?? nodeClock(),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    folder: join(home, '.nanobot', 'locks'),
    holder,
    processes: more.processes ?? nodeIdentity(),
  });
}

/** The history of a home over real files, with what it told the person. */
export function historyAt(
  home: string,
  { holder = 'one', ...more }: Partial<HistoryDeps> & { holder?: string } = {},
): { history: HistoryFile; notices: string[] } {
  const notices: string[] = [];
  const deps = {
    files: nodeFiles(),
    clock: nodeClock(),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    home,
    leases: leasesAt(home, holder, more),
    notice: (text: string) => void notices.push(text),
    ...more,
  };
  return { history: new HistoryFile(deps), notices };
}
