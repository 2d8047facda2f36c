import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { PlainError, run, say } from './run.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge', 'chrome'];

/**
 * The path of a Chromium, Chrome or Edge on this machine; on Debian and Ubuntu it is installed if we may. The variable
 * NANOBOT_BROWSER names another one. Throws a `PlainError` that says what to install.
 */
export async function ensureBrowser() {
  const found = findBrowser();
  if (found) return found;
  if (isDebian() && process.getuid?.() === 0) {
    say('Installing Chromium, which the workbench tests drive (once, about a minute) …');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await run('apt-get', ['update', '-qq'], { env, quiet: true });
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { env, quiet: true });
    const installed = findBrowser();
    if (installed) return installed;
  }
  throw new PlainError(
    'The workbench tests need Chromium, Google Chrome or Microsoft Edge, and none was found.\n' +
      'Install one (Debian, Ubuntu: sudo apt-get install chromium), or set NANOBOT_BROWSER to its path.',
  );
}

/** The path of an installed browser that the tests can drive, or undefined. */
export function findBrowser() {
  const chosen = process.env.NANOBOT_BROWSER;
  if (chosen) return existsSync(chosen) ? chosen : undefined;
  return [...onPath(), ...wellKnownPlaces()].find((place) => existsSync(place));
}

function onPath() {
  const ending = process.platform === 'win32' ? '.exe' : '';
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name + ending)));
}

function wellKnownPlaces() {
  if (process.platform === 'darwin') {
    return ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
      (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
    );
  }
  if (process.platform !== 'win32') return ['/usr/bin/chromium', '/snap/bin/chromium', '/opt/google/chrome/chrome'];
  const folders = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA']
    .map((name) => process.env[name])
    .filter(Boolean);
  const programs = ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe'];
  return folders.flatMap((folder) => programs.map((program) => join(folder, program)));
}

function isDebian() {
  return process.platform === 'linux' && existsSync('/etc/os-release')
    ? /^ID(_LIKE)?=.*(debian|ubuntu)/m.test(readFileSync('/etc/os-release', 'utf8'))
    : false;
}
