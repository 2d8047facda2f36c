// Writes package.json's `contributes.configuration` from the settings schema, and what it says into package.nls.json. With --check it only tells (exit
// status 1) where one of them is out of date.
import { build } from 'esbuild';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { withKeys } from './lib/nls.mjs';
import { requireBanner } from './lib/bundles.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = await mkdtemp(join(tmpdir(), 'nanobot-generate-'));
try {
  const outfile = join(folder, 'schema.mjs');
  await build({
    entryPoints: [join(root, 'src/config/schema.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: { js: requireBanner },
    outfile,
    logLevel: 'error',
  });
  const { configurationManifest } = await import(pathToFileURL(outfile).href);
  const { part, texts } = withKeys(configurationManifest(), 'settings');
  await update('package.json', (manifest) => ({
    ...manifest,
    contributes: { ...manifest.contributes, configuration: part },
  }));
  await update('package.nls.json', (all) => {
    const others = Object.entries(all).filter(([key]) => !key.startsWith('settings.'));
    return { ...Object.fromEntries(others), ...texts };
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function update(name, change) {
  const path = join(root, name);
  const before = await readFile(path, 'utf8');
  const after = JSON.stringify(change(JSON.parse(before)), null, 2) + '\n';
  if (before === after) return;
  if (process.argv.includes('--check')) {
    console.error(`${name}: settings differ from src/config/schema.ts. Run: npm run generate`);
    process.exitCode = 1;
  } else {
    await writeFile(path, after);
    console.log(`${name}: settings written from src/config/schema.ts.`);
  }
}
