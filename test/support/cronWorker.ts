import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { DayBudget } from '../../src/cron/dayBudget.js';
import { JobStore } from '../../src/cron/jobs.js';
import { RunHistory } from '../../src/cron/runs.js';
import { CronService } from '../../src/cron/service.js';
import { nodeClock } from '../../src/platform/nodeClock.js';
import { nodeFiles } from '../../src/platform/nodeFiles.js';
import { nodeIdentity } from '../../src/platform/nodeIdentity.js';
import { Leases } from '../../src/session/lease.js';

/** A window that runs schedules, as a process of its own. Each run writes one line, with the due time it was for, before it does anything else. */
const [home = '', holder = '', speed = '1'] = process.argv.slice(2);
const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const files = nodeFiles();
const system = nodeClock(() => 'UTC');
const began = Number(process.env['CRON_BEGAN']);
// Minutes pass in fractions of a second for schedules; leases live in real time.
const clock = {
  ...system,
  now: () => began + (system.now() - began) * Number(speed),
  after: (ms: number, run: () => void) => system.after(ms / Number(speed), run),
};
const leases = new Leases({
  files,
  clock: system,
  log,
  folder: join(home, '.nanobot', 'locks'),
  holder,
  processes: nodeIdentity(),
});
const service = new CronService({
  store: new JobStore({ files, clock: { ...clock, sleep: system.sleep }, log, home, leases, notice: quiet }),
  runs: new RunHistory({ files, log, home }),
  budget: new DayBudget({ files, clock, home, leases, limit: () => 0 }),
  clock,
  log,
  leases,
  settings: () => ({ enabled: true, catchUp: true }),
  run: async (job, { dueAt }) => {
    appendFileSync(join(home, 'ran.txt'), `${job.id} ${String(dueAt)} ${holder}\n`);
    await system.sleep(20);
    return { status: 'ok', text: '', tokens: 0, denied: [] };
  },
  tell: quiet,
  notice: quiet,
  newId: () => 'id',
});
service.start();
process.stdout.write('ready\n');
process.on('SIGTERM', () => {
  void service
    .dispose()
    .then(() => leases.dispose())
    .then(() => process.exit(0));
});
setInterval(quiet, 1_000_000);
