import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of its own for one test, gone when the test is over. `home` does not exist yet and is named as nanobot names it. */
export async function tempHome(): Promise<{ root: string; home: string }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'nanobot-')));
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
  return { root, home: join(root, 'workspace') };
}
