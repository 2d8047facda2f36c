import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { hostOptions, workerEntries } from '../../scripts/lib/bundles.mjs';
import { WORKERS_FOLDER } from './workers.js';

/**
 * Bundles the workers as the package has them, once before the tests run, and leaves word of the folder in the environment, for the tests and
 * the processes they start. Where that fails, the tests that use a worker fail, and no others.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'nanobot-workers-'));
  process.env[WORKERS_FOLDER] = folder;
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const options = { ...hostOptions({ minify: false, outdir: folder }), entryPoints: workerEntries, sourcemap: false };
  await build({ ...options, logLevel: 'error' }).catch((cause: unknown) => {
    console.error(cause instanceof Error ? cause.message : cause);
  });
  return () => rm(folder, { recursive: true, force: true });
}
