import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { isPackageStale } from './needs.mjs';
import { root, workbenchDir } from './paths.mjs';
import { PlainError, runNpm, say } from './run.mjs';
import { unzip } from './unzip.mjs';

/**
 * Packages the extension if a source is newer than the package, and resolves to the path of the `.vsix`. What people
 * install is what gets started and tested, so a file that is missing from the package is noticed at once.
 */
export async function ensurePackaged() {
  const file = join(root, `nanobot-${readManifest(root).version}.vsix`);
  await withLock(join(workbenchDir, 'package.lock'), async () => {
    if (!isPackageStale(file)) return;
    say('Packaging the extension …');
    await runNpm(['run', '--silent', 'package'], { cwd: root, quiet: true });
    if (!existsSync(file)) throw new PlainError(`"npm run package" did not write ${file}.`);
  });
  return file;
}

/**
 * Unpacks the package once and resolves to the folder of the extension in it, ready to be copied into a folder of
 * extensions under the name `publisher.name-version`. Copies of older packages are removed once no test run can still
 * be using them.
 */
export async function ensureUnpacked() {
  const file = await ensurePackaged();
  const folder = join(workbenchDir, 'unpacked');
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16);
  const target = join(folder, hash);
  await withLock(join(workbenchDir, 'unpack.lock'), async () => {
    if (existsSync(target)) return;
    removeOldCopies(folder);
    // Under another name first: a copy torn by an interruption must not look like a whole one.
    rmSync(join(folder, 'new'), { recursive: true, force: true });
    unzip(file, join(folder, 'new'));
    renameSync(join(folder, 'new'), target);
  });
  return join(target, 'extension');
}

/** The folder name VS Code expects for an unpacked extension: `publisher.name-version`. */
export function extensionFolderName(extension) {
  const { publisher, name, version } = readManifest(extension);
  return `${publisher}.${name}-${version}`;
}

function removeOldCopies(folder) {
  if (!existsSync(folder)) return;
  const anHourAgo = Date.now() - 3_600_000;
  for (const name of readdirSync(folder)) {
    const copy = join(folder, name);
    if (statSync(copy).mtimeMs < anHourAgo) rmSync(copy, { recursive: true, force: true });
  }
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
