import { basename, dirname, join } from 'node:path';
import type { Files, Log } from '../platform/ports.js';

/**
 * Copies sessions that an older nanobot kept beside its home (`~/.nanobot/sessions`) into the home. The originals stay. What was copied
 * once is noted in `.nanobot/adopted.txt`, so that a chat deleted here does not come back. A file that cannot be copied is logged and tried
 * again at the next start.
 */
export async function adoptSessions(files: Files, home: string, log: Log): Promise<void> {
  if (basename(home) !== 'workspace') return;
  const from = join(dirname(home), 'sessions');
  const found = (await files.list(from)).filter((entry) => entry.type === 'file' && entry.name.endsWith('.jsonl'));
  if (found.length === 0) return;
  const notes = join(home, '.nanobot', 'adopted.txt');
  const adopted = new Set(
    (await files.stat(notes))
      ? Buffer.from(await files.read(notes))
          .toString('utf8')
          .split('\n')
      : [],
  );
  const present = new Set((await files.list(join(home, 'sessions'))).map((entry) => entry.name.toLowerCase()));
  for (const { name } of found) {
    if (adopted.has(name)) continue;
    try {
      if (!present.has(name.toLowerCase())) {
        await files.createExclusive(join(home, 'sessions', name), await files.read(join(from, name)), { flush: true });
      }
      await files.append(notes, `${name}\n`);
    } catch (error) {
      log.warn(`The chat ${join(from, name)} could not be copied into ${home}: ${String(error)}`);
    }
  }
}
