// Writes package.json's `contributes.configuration` from the settings schema. With --check it only tells (exit status 1) where it is out of date.
import { build } from 'esbuild';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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
  const path = join(root, 'package.json');
  const before = await readFile(path, 'utf8');
  const manifest = JSON.parse(before);
  manifest.contributes = { ...manifest.contributes, configuration: configurationManifest() };
  const after = JSON.stringify(manifest, null, 2) + '\n';
  if (before !== after && process.argv.includes('--check')) {
    console.error('package.json: settings differ from src/config/schema.ts. Run: npm run generate');
    process.exitCode = 1;
  } else if (before !== after) {
    await writeFile(path, after);
    console.log('package.json: settings written from src/config/schema.ts.');
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
