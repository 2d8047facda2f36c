// Builds the small form and writes nanobot-<version>.vsix at the root, and nothing else.
import { createVSIX } from '@vscode/vsce';
import { readFile, rm, readdir } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

for (const step of [['scripts/generate.mjs'], ['scripts/build.mjs', '--minify']]) {
  const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
for (const name of await readdir(root)) if (/^nanobot-.*\.vsix$/.test(name)) await rm(join(root, name));
// Everything the extension needs at run time is in dist/, so no node_modules are packed.
await createVSIX({
  cwd: root,
  packagePath: `nanobot-${version}.vsix`,
  dependencies: false,
  allowMissingRepository: true,
});
