import { join } from 'node:path';
import type { Clock, Files, Log } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';
import { ATTACHMENTS_FOLDER } from './attachmentStore.js';

const DAY_MS = 24 * 3_600_000;
const KEEP_RESULTS_MS = 7 * DAY_MS;
/** Chips of older messages no longer open what was attached; what the model got stays in the session. */
const KEEP_ATTACHMENTS_MS = 30 * DAY_MS;
/** The folders of the home in which files are written through a temporary one. */
const WRITTEN = [
  '',
  'memory',
  'sessions',
  'cron',
  '.nanobot',
  ATTACHMENTS_FOLDER,
  '.nanobot/locks',
  '.nanobot/partial',
  '.nanobot/results',
  '.nanobot/snapshots',
];

interface Deps {
  files: Files;
  clock: Clock;
  home: string;
  log: Log;
}

/** Deletes spilled results that are older than seven days, attachments nobody used for thirty, and temporary files that a process left when it was killed. Never throws. */
export async function cleanUp(deps: Deps): Promise<void> {
  await deleteOld(deps, '.nanobot/results', () => true, KEEP_RESULTS_MS);
  await deleteOld(deps, ATTACHMENTS_FOLDER, () => true, KEEP_ATTACHMENTS_MS);
  for (const folder of WRITTEN) await deleteOld(deps, folder, isTemporary, DAY_MS);
}

async function deleteOld(
  deps: Deps,
  folder: string,
  isMeant: (name: string) => boolean,
  keepMs: number,
): Promise<void> {
  const { files, clock, home, log } = deps;
  const path = join(home, folder);
  try {
    for (const { name, type } of await files.list(path)) {
      if (type !== 'file' || !isMeant(name)) continue;
      const stat = await files.stat(join(path, name));
      if (stat && clock.now() - stat.mtime > keepMs) await files.remove(join(path, name));
    }
  } catch (cause) {
    log.warn(`Old files in ${path} could not be deleted: ${reasonOf(cause)}`);
  }
}

/** As `Files.writeAtomic` names what it writes before the rename. */
function isTemporary(name: string): boolean {
  return /\.[0-9a-f]{12}\.tmp$/.test(name);
}
