import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isStale } from './fresh.mjs';
import { withLock } from './lock.mjs';
import { root, workbenchDir } from './paths.mjs';
import { PlainError, runNpm, say } from './run.mjs';

/** What the bundles in dist/ are made from. A path that does not exist counts as older than everything. */
const sources = [
  ...['src', 'webview', 'l10n', 'package.json', 'package-lock.json', 'tsconfig.json'],
  ...['scripts/build.mjs', 'scripts/lib/bundles.mjs'],
];

/** What goes into the package besides dist/. */
const packaged = [
  ...['skills', 'media', 'l10n', 'walkthrough', 'package.nls.json', 'package.nls.zh-cn.json'],
  ...['README.md', 'CHANGELOG.md', 'LICENSE', '.vscodeignore', 'scripts/package.mjs', 'dist'],
];

/** Throws a `PlainError` on a Node that is too old for the build tools. */
export function ensureNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20) {
    throw new PlainError(`Node 20 or newer is needed, this is ${process.version}. Get it from https://nodejs.org.`);
  }
}

/** Installs the project's own packages if node_modules is missing or not what package-lock.json says. */
export async function ensureDependencies() {
  await withLock(join(workbenchDir, 'dependencies.lock'), async () => {
    if (areDependenciesInstalled()) return;
    say('Installing the packages this project is built with (once, about half a minute) …');
    await runNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root });
  });
}

/** Builds dist/ if it is missing or older than a source file. */
export async function ensureBuilt() {
  await withLock(join(workbenchDir, 'build.lock'), async () => {
    if (!isStale([join(root, 'dist')], under(sources))) return;
    say('Building the extension …');
    await runNpm(['run', '--silent', 'build'], { cwd: root });
  });
}

/** True if the package file is missing or older than anything that goes into it. */
export function isPackageStale(file) {
  return !existsSync(file) || isStale([file], under([...sources, ...packaged]));
}

/**
 * Compares the lock file with the one npm leaves in node_modules when an installation is complete. By content, since
 * the times of the two say nothing after a checkout. What is optional may be missing: it is for other platforms.
 */
function areDependenciesInstalled() {
  const made = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(made)) return false;
  const installed = readPackages(made);
  const wanted = Object.entries(readPackages(join(root, 'package-lock.json'))).filter(([path]) => path !== '');
  return wanted.every(([path, entry]) => {
    const found = installed[path];
    return found ? found.version === entry.version : entry.optional || entry.devOptional || entry.peer;
  });
}

function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

function under(names) {
  return names.map((name) => join(root, name));
}
