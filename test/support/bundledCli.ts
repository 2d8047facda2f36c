import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { beforeAll } from 'vitest';
import { copyAssets, hostOptions, workerEntries } from '../../scripts/lib/bundles.mjs';

/** Bundles the command line as the package has it, once before the tests of a file. Gives the path of its script. */
export function bundledCli(): () => string {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nanobot-cli-'));
    // The extension needs an editor, so only the command line and its threads are bundled.
    await build({
      ...hostOptions({ minify: false, outdir: folder }),
      entryPoints: { cli: 'src/cli.ts', ...workerEntries },
      logLevel: 'error',
    });
    // The folder is taken relative to the repository.
    await copyAssets(relative(join(import.meta.dirname, '../..'), folder));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    return () => rm(folder, { recursive: true, force: true });
  }, 60_000);
  return () => join(folder, 'cli.js');
}
