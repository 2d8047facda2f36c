// Bundles the extension host (ESM, split so that activation loads only the entry), the command line and the chat page into dist/.
// Options: --watch rebuilds on change, --minify makes the small form that is packaged.
import { build, context } from 'esbuild';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { copyAssets, hostOptions, pageOptions } from './lib/bundles.mjs';
import { root } from './lib/paths.mjs';

const watch = process.argv.includes('--watch');
const minify = process.argv.includes('--minify');
const bundles = [hostOptions({ minify }), pageOptions({ minify })];

await rm(join(root, 'dist'), { recursive: true, force: true });
await copyAssets();

if (watch) {
  for (const options of bundles) await (await context(options)).watch();
  console.log('Watching for changes; Ctrl-C ends it.');
} else {
  await Promise.all(bundles.map((options) => build(options)));
}
