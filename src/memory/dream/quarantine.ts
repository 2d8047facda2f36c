import { join } from 'node:path';
import type { Clock, Files } from '../../platform/ports.js';
import type { Batch } from './batch.js';

/**
 * Keeps a batch that failed again and again in `.nanobot/quarantine`, whole and with the reason. Resolves with the path. Doing it twice leaves
 * one file, so a process that is killed behind it does no harm.
 */
export async function setAside(
  deps: { files: Files; clock: Clock; home: string },
  batch: Batch,
  reason: string,
): Promise<string> {
  const { files, clock, home } = deps;
  const path = join(home, '.nanobot', 'quarantine', `dream-${String(batch.from)}-${String(batch.to)}.json`);
  const content = { at: new Date(clock.now()).toISOString(), reason, entries: batch.entries };
  await files.createExclusive(path, `${JSON.stringify(content, null, 2)}\n`, { flush: true });
  return path;
}
