import { t } from '@vscode/l10n';
import { dirname, join, resolve } from 'node:path';
import type { Files, GitFs, GitStat } from '../../platform/ports.js';
import { codeOf } from '../../platform/fileErrors.js';
import { DamagedHistory, isAbsent } from './damage.js';

/** Where the repository of a home lies, or what has to be done to have one. */
export type Place =
  | { kind: 'repository'; gitdir: string }
  /** There is none; it belongs to `target`. `keptOut` says why the home's own `.git` was left alone. */
  | { kind: 'none'; target: string; keptOut?: string }
  /** One of nanobot's in the memory folder, which belongs to `target`. */
  | { kind: 'elsewhere'; found: string; target: string }
  /** Something in the repository's place that is none. */
  | { kind: 'stray'; path: string };

/** What HEAD says. `sha` is undefined on a branch without a commit. */
export interface Head {
  /** The file below the repository that a commit moves. */
  ref: string;
  sha: string | undefined;
}

/** Where memory is kept apart from a repository that is not ours to write. */
export function separateFolder(home: string): string {
  return join(home, '.nanobot', 'memory.git');
}

/**
 * Finds the repository of a home; writes nothing. A separate one that was made once is used for good. The home's own `.git` is adopted, whoever
 * made it, unless the library cannot write its form: then nothing in it is touched.
 */
export async function findPlace({ fs, files, home }: { fs: GitFs; files: Files; home: string }): Promise<Place> {
  const separate = separateFolder(home);
  const made = await statOf(fs, separate);
  if (made) return made.isDirectory() ? { kind: 'repository', gitdir: separate } : { kind: 'stray', path: separate };
  const own = join(home, '.git');
  const found = await statOf(fs, own);
  if (found?.isDirectory()) {
    const keptOut = await foreignForm(fs, files, own);
    return keptOut === undefined ? { kind: 'repository', gitdir: own } : { kind: 'none', target: separate, keptOut };
  }
  if (found) {
    // Work trees and submodules have a file that names their repository: the home is part of another one then.
    return (await namesRepository(fs, home, own)) ? { kind: 'none', target: separate } : { kind: 'stray', path: own };
  }
  const target = (await insideAnother(fs, home)) ? separate : own;
  const old = join(home, 'memory', '.git');
  return (await statOf(fs, old))?.isDirectory() ? { kind: 'elsewhere', found: old, target } : { kind: 'none', target };
}

/** What HEAD stands for. Throws `DamagedHistory` where it, or the branch it names, is no such thing. */
export async function readHead(fs: GitFs, gitdir: string): Promise<Head> {
  let ref = 'HEAD';
  for (let depth = 0; depth < 5; depth += 1) {
    const text = (await textOf(fs, join(gitdir, ref)))?.trim();
    if (text === undefined && ref === 'HEAD') throw new DamagedHistory(t('its HEAD is missing'));
    if (text === undefined) return { ref, sha: await packedRef(fs, gitdir, ref) };
    if (/^[0-9a-f]{40}$/.test(text)) return { ref, sha: text };
    const next = /^ref: (refs\/[^\s~^:?*[\\]+)$/.exec(text)?.[1];
    if (next === undefined || next.includes('..'))
      throw new DamagedHistory(t('its {0} says "{1}"', ref, text.slice(0, 40)));
    ref = next;
  }
  throw new DamagedHistory(t('its HEAD leads nowhere'));
}

async function packedRef(fs: GitFs, gitdir: string, ref: string): Promise<string | undefined> {
  const lines = ((await textOf(fs, join(gitdir, 'packed-refs'))) ?? '').split('\n');
  const line = lines.find((each) => each.slice(41).trim() === ref);
  return line === undefined ? undefined : /^[0-9a-f]{40}(?= )/.exec(line)?.[0];
}

/** Why the library could not write this repository without harm; undefined where it can, or where the repository is too damaged to say. */
async function foreignForm(fs: GitFs, files: Files, gitdir: string): Promise<string | undefined> {
  const config = (await textOf(fs, join(gitdir, 'config')).catch(() => undefined)) ?? '';
  if (/^\s*repositoryformatversion\s*=\s*[1-9]/im.test(config)) return 'it has a form of its own';
  if (/^\s*splitindex\s*=\s*true/im.test(config)) return 'its index is split';
  if (await statOf(fs, join(gitdir, 'objects', 'info', 'alternates'))) return 'it shares the objects of another one';
  if (await statOf(fs, join(gitdir, 'commondir'))) return 'it is a work tree of another one';
  const index = await files.readRange(join(gitdir, 'index'), 0, 8).catch(() => new Uint8Array());
  const isIndex = Buffer.from(index.subarray(0, 4)).toString('latin1') === 'DIRC';
  return isIndex && index[7] === 4 ? 'its index is of version 4' : undefined;
}

async function namesRepository(fs: GitFs, home: string, file: string): Promise<boolean> {
  const text = await textOf(fs, file).catch(() => undefined);
  const named = /^gitdir: (.+)$/m.exec(text ?? '')?.[1]?.trim();
  return named !== undefined && (await statOf(fs, resolve(home, named)))?.isDirectory() === true;
}

async function insideAnother(fs: GitFs, home: string): Promise<boolean> {
  for (let at = dirname(home); ; at = dirname(at)) {
    const found = await statOf(fs, join(at, '.git')).catch(() => undefined);
    if (found?.isFile()) return true;
    if (found?.isDirectory() && (await statOf(fs, join(at, '.git', 'HEAD')).catch(() => undefined))) return true;
    if (dirname(at) === at) return false;
  }
}

async function statOf(fs: GitFs, path: string): Promise<GitStat | undefined> {
  try {
    return await fs.promises.stat(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** The file's text; undefined where nothing is there. A folder in its place is damage. */
async function textOf(fs: GitFs, path: string): Promise<string | undefined> {
  try {
    return Buffer.from((await fs.promises.readFile(path)) as Uint8Array).toString('utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (isAbsent(error)) throw new DamagedHistory(t('{0} is not a file', path));
    throw error;
  }
}
