import { t } from '@vscode/l10n';
import { join } from 'node:path';
import { codeOf } from '../../platform/fileErrors.js';
import type { Clock, Files, GitFs, Log } from '../../platform/ports.js';
import { DamagedHistory } from './damage.js';
import { GitObjects, type Git } from './objects.js';
import { findPlace, readHead, separateFolder, type Head } from './place.js';
import { timeStamp } from './stamp.js';
import { NAMED_FILES, trackedFiles } from './trees.js';

/** What the history needs of the world. */
export interface GitDeps {
  files: Files;
  clock: Clock;
  log: Log;
  home: string;
  fs: GitFs;
  /** Tells the person something in plain words. */
  notice(text: string): void;
}

/** A repository that is open for one operation. */
export interface Repository {
  git: Git;
  objects: GitObjects;
  head: Head;
}

/** What `git status` of a repository that we made leaves out. */
const EXCLUDE = `# Nanobot keeps the history of these files only. This list is yours to change.
/*
!/SOUL.md
!/USER.md
!/memory/
/memory/*
!/memory/MEMORY.md
!/memory/.dream_cursor
!/skills/
`;

/** Opens the repository as it is; undefined where there is none. Writes nothing. Throws `DamagedHistory` where its HEAD makes no sense. */
export async function openRepository(deps: GitDeps, git: Git): Promise<Repository | undefined> {
  const { fs } = deps;
  const place = await findPlace(deps);
  if (place.kind === 'stray') throw new DamagedHistory(t('{0} is no repository', place.path));
  if (place.kind !== 'repository') return undefined;
  return { git, objects: new GitObjects(git, fs, place.gitdir), head: await readHead(fs, place.gitdir) };
}

/**
 * Opens the repository and makes sure that it can be worked with: makes one where there is none, adopts one of nanobot's in the memory folder,
 * sets a damaged one aside with a notice. Only for the holder of the lease. `sound` names a state, as `stateOf` does, that was found good before.
 */
export async function settleRepository(deps: GitDeps, git: Git, sound: string | undefined): Promise<Repository> {
  // Each round takes one obstacle away; the last one opens.
  for (let round = 0; round < 6; round += 1) {
    const place = await findPlace(deps);
    if (place.kind === 'stray') await setAside(deps, place.path, t('it is a file that names no repository'));
    if (place.kind === 'elsewhere') await moveRepository(deps, git, place.found, place.target);
    if (place.kind === 'none') {
      if (place.keptOut !== undefined) leftAlone(deps, place.keptOut);
      await makeRepository(deps, git, place.target);
    }
    if (place.kind !== 'repository') continue;
    try {
      const repository = {
        git,
        objects: new GitObjects(git, deps.fs, place.gitdir),
        head: await readHead(deps.fs, place.gitdir),
      };
      if (stateOf(repository) !== sound) await checkNewest(repository);
      return repository;
    } catch (error) {
      if (!(error instanceof DamagedHistory)) throw error;
      await giveUpOn(deps, git, place.gitdir, error);
    }
  }
  throw new Error(
    t('The history of the memory could not be set up in {0}: something changes it all the time.', deps.home),
  );
}

/** Names the state of a repository. */
export function stateOf({ objects, head }: Repository): string {
  return `${objects.gitdir} ${head.sha ?? ''}`;
}

/** Whether the newest commit can be built upon: its folders, and the content of the memory files. */
async function checkNewest({ objects, head }: Repository): Promise<void> {
  if (head.sha === undefined) return;
  const { tree } = await objects.commit(head.sha);
  const files = await trackedFiles(objects, tree);
  for (const path of NAMED_FILES) {
    const entry = files.get(path);
    if (entry) await objects.blob(entry.oid);
  }
}

/** A damaged repository goes aside; the home's own one that is sound but holds names the library refuses stays, and ours is kept apart. */
async function giveUpOn(deps: GitDeps, git: Git, gitdir: string, error: DamagedHistory): Promise<void> {
  const separate = separateFolder(deps.home);
  if (codeOf(error.cause) === 'UnsafeFilepathError' && gitdir !== separate) {
    leftAlone(deps, error.message);
    return makeRepository(deps, git, separate);
  }
  return setAside(deps, gitdir, error.message);
}

function leftAlone({ home, log }: GitDeps, why: string): void {
  log.info(
    `The git repository of ${home} is left alone (${why}); the history of the memory is kept in ${separateFolder(home)}.`,
  );
}

/** Complete before it gets its name, so that a kill leaves either none or a good one. */
async function makeRepository({ files, fs, home }: GitDeps, git: Git, target: string): Promise<void> {
  const fresh = join(home, '.nanobot', 'memory.git.new');
  await files.remove(fresh);
  await git.init({ fs, dir: home, gitdir: fresh, defaultBranch: 'main' });
  if (target === separateFolder(home))
    await git.setConfig({ fs, gitdir: fresh, path: 'core.worktree', value: '../..' });
  await files.writeAtomic(join(fresh, 'info', 'exclude'), EXCLUDE);
  await files.rename(fresh, target);
}

/** The name comes last: a move that was cut off goes on where it was. */
async function moveRepository({ files, fs, home }: GitDeps, git: Git, from: string, to: string): Promise<void> {
  const separate = to === separateFolder(home);
  const worktree = (await git.getConfig({ fs, gitdir: from, path: 'core.worktree' })) as string | undefined;
  if (separate || worktree !== undefined) {
    await git.setConfig({ fs, gitdir: from, path: 'core.worktree', value: separate ? '../..' : undefined });
  }
  await files.rename(from, to);
}

async function setAside({ files, clock, log, notice }: GitDeps, path: string, why: string): Promise<void> {
  const name = `${path}.corrupt-${timeStamp(clock.now())}`;
  let aside = name;
  for (let count = 2; await files.stat(aside); count += 1) aside = `${name}-${String(count)}`;
  await files.rename(path, aside);
  log.warn(`${path} was set aside as ${aside}: ${why}.`);
  notice(
    t(
      "The history of Nanobot's memory could not be read: {0}. It was set aside as {1} and a new history begins; the memory files themselves are as they were.",
      why,
      aside,
    ),
  );
}
