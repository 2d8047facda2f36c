import { t } from '@vscode/l10n';
import { join } from 'node:path';
import { maskSecrets } from '../platform/maskSecrets.js';
import type { Leases } from '../session/lease.js';
import { withLease } from '../session/withLease.js';
import { changesOf, countAll, describe, newestCommits, versionsOf } from './git/commits.js';
import { DamagedHistory, historyError } from './git/damage.js';
import { TrackedDisk } from './git/disk.js';
import { explainDamage, findCommit, unknownCommit } from './git/lookup.js';
import type { Entry, Git, GitObjects, StoredCommit } from './git/objects.js';
import { readHead } from './git/place.js';
import { openRepository, settleRepository, stateOf, type GitDeps, type Repository } from './git/setup.js';
import { stageTracked } from './git/stagedFiles.js';
import { zoneOffset } from './git/stamp.js';
import { DREAM_CURSOR, sameEntry, trackedFiles, treeChanges, writeChanged } from './git/trees.js';
import { restoreCommit, type RestoreOutcome } from './gitRestore.js';
import { BY_HAND, type FileVersion, type MemoryCommit } from './memoryCommit.js';
import { UndoneFile, type Rejection } from './undone.js';

/** The lease under which every write of the history happens. */
const LEASE = 'memory-git';
/** Commits whose description is kept. They never change. */
const MAX_KEPT = 2_500;

/**
 * The history of what is remembered, in git, without a git program. Tracked are SOUL.md, USER.md, memory/MEMORY.md, memory/.dream_cursor and the
 * files in `skills`; nothing else in the home or its repository is ever touched, staged or committed. What looks like a key is masked in what is
 * committed. Every write happens under a lease, by one process at a time; a kill between any two writes leaves a history that goes on. Reading
 * makes no repository. Errors say what was not done and what to do.
 */
export class GitStore {
  private readonly disk: TrackedDisk;
  private readonly undone: UndoneFile;
  private readonly described = new Map<string, MemoryCommit | undefined>();
  private library: Promise<Git> | undefined;
  /** The last answer about the log, which holds as long as the newest commit is the same. */
  private listed: { state: string; limit: number; commits: readonly MemoryCommit[] } | undefined;
  /** The state of the repository that was last found good. */
  private sound: string | undefined;

  constructor(private readonly deps: GitDeps & { leases: Pick<Leases, 'acquire' | 'release'> }) {
    this.disk = new TrackedDisk(deps);
    this.undone = new UndoneFile(deps);
  }

  /**
   * Makes sure that there is a history to write: makes a repository with what the files say now, adopts nanobot's, keeps a separate one where the
   * home lies inside another repository, sets a damaged one aside with a notice. Rejects where the home cannot be written.
   */
  async ensure(): Promise<void> {
    await this.writing(async () => undefined);
  }

  /**
   * Commits what a person changed in tracked files since the last commit, as `edit: by hand`. Undefined where they changed nothing; a cursor that
   * moved without a file is no change.
   */
  commitByHand(): Promise<MemoryCommit | undefined> {
    return this.writing((repository) => this.record(repository, () => `${BY_HAND}\n`));
  }

  /**
   * Commits what differs now. The message is made from the number of real changes (see `MemoryCommit.changes`); `dreamMessage` makes a Dream's.
   * Undefined where no file but the cursor differs: a Dream that learned nothing leaves no commit.
   */
  commit(message: (changes: number) => string): Promise<MemoryCommit | undefined> {
    return this.writing((repository) => this.record(repository, message));
  }

  /** The newest commits that changed tracked files, newest first. Empty where there is no history yet. */
  async log(limit: number): Promise<MemoryCommit[]> {
    const repository = await this.opened();
    if (!repository) return [];
    const state = stateOf(repository);
    const known = this.listed?.state === state && this.listed.limit >= limit ? this.listed : undefined;
    const describe = (commit: StoredCommit) => this.describe(repository.objects, commit);
    const listed = known ?? { state, limit, commits: await newestCommits(repository, limit, describe) };
    this.listed = listed;
    return listed.commits.slice(0, limit);
  }

  /** A commit with its files before and after. `sha` may be shortened to 4 digits; rejects in plain words where it names no commit. */
  async show(sha: string): Promise<{ commit: MemoryCommit; files: FileVersion[] }> {
    const repository = await this.opened();
    if (!repository) throw unknownCommit(sha);
    const { objects } = repository;
    const stored = await findCommit(objects, sha);
    return explainDamage(stored.sha, async () => {
      const commit = await this.memoryCommit(objects, stored);
      const files: FileVersion[] = [];
      for (const change of await changesOf(objects, stored)) {
        if (change.path !== DREAM_CURSOR) files.push(await versionsOf(objects, change));
      }
      return { commit, files };
    });
  }

  /**
   * Takes back what one commit changed and leaves everything later in place: a three-way merge for each file, written where nothing is in conflict,
   * and a new commit that says so. Uncommitted edits are committed first. Files that later edits changed in the same lines come back untouched, for
   * a merge editor. Undoing the newest Dream in force moves `.dream_cursor` back, in the file and in the commit, and tells where to; what was
   * undone of a Dream is noted as rejected. Restoring a restore brings the changes back and takes the rejection away.
   */
  restore(sha: string): Promise<RestoreOutcome> {
    return this.writing(async (repository) => {
      const { objects } = repository;
      const stored = await findCommit(objects, sha);
      await this.record(repository, () => `${BY_HAND}\n`);
      return explainDamage(stored.sha, async () =>
        restoreCommit(
          {
            ...this.deps,
            objects,
            undone: this.undone,
            head: repository.head.sha,
            record: (text) => this.record(repository, () => text),
          },
          { stored, described: await this.memoryCommit(objects, stored) },
        ),
      );
    });
  }

  /** What a person undid of Dreams and has not brought back, oldest first. */
  rejections(): Promise<Rejection[]> {
    return this.undone.list();
  }

  /** The library is a chunk of its own, fetched when the history is first used. Bundled, a CommonJS package has a default export only. */
  private git(): Promise<Git> {
    this.library ??= import('isomorphic-git').then((library) => library.default as Git);
    return this.library;
  }

  /** The repository for reading, if there is one. A damaged one is set aside as for writing. */
  private async opened(): Promise<Repository | undefined> {
    const git = await this.git();
    try {
      return await openRepository(this.deps, git);
    } catch (error) {
      if (!(error instanceof DamagedHistory)) throw error;
      await this.ensure();
      return openRepository(this.deps, git);
    }
  }

  /** Runs work on a repository that is in order, as the only process that writes it. */
  private async writing<T>(work: (repository: Repository) => Promise<T>): Promise<T> {
    const { leases, clock, home } = this.deps;
    const git = await this.git();
    try {
      return await withLease(leases, LEASE, clock, async () => {
        const repository = await settleRepository(this.deps, git, this.sound);
        if (repository.head.sha === undefined) await this.record(repository, () => 'init: memory history\n', true);
        else if (stateOf(repository) !== this.sound) await this.stage(repository);
        this.sound = stateOf(repository);
        const result = await work(repository);
        this.sound = stateOf(repository);
        return result;
      });
    } catch (error) {
      throw historyError(error, home);
    }
  }

  /** Commits what differs and moves the branch; the repository's head is the new commit then. `anyway` commits even if nothing does. */
  private async record(
    repository: Repository,
    message: (changes: number) => string,
    anyway = false,
  ): Promise<MemoryCommit | undefined> {
    const { objects, head } = repository;
    const former = head.sha === undefined ? undefined : await objects.commit(head.sha);
    const changed = await this.differing(objects, former?.tree);
    if (!anyway && [...changed.keys()].every((path) => path === DREAM_CURSOR)) return undefined;
    const { tree, removed } = await writeChanged(objects, former?.tree, changed);
    const changes = await countAll(objects, await treeChanges(objects, former?.tree, tree));
    const time = this.deps.clock.now();
    const sha = await objects.putCommit({
      text: maskSecrets(message(changes)),
      tree,
      parents: former ? [former.sha] : [],
      time,
      offset: zoneOffset(time, this.deps.clock.zone()),
    });
    if (!(await this.moveHead(repository, sha))) return this.record(repository, message, anyway);
    await this.stage(repository, removed);
    return this.describe(objects, await objects.commit(sha));
  }

  /** Tracked files that are not as in this tree, their content written to the store; undefined for one that is gone. */
  private async differing(objects: GitObjects, tree: string | undefined): Promise<Map<string, Entry | undefined>> {
    const before = await trackedFiles(objects, tree);
    const { files, skipped } = await this.disk.look();
    const changed = new Map<string, Entry | undefined>();
    for (const [path, entry] of files) {
      if (sameEntry(before.get(path), entry)) continue;
      const bytes = await this.disk.read(path);
      if (bytes) changed.set(path, { oid: await objects.putBlob(bytes), mode: entry.mode });
    }
    const kept = (path: string) => skipped.some((each) => path === each || path.startsWith(`${each}/`));
    for (const path of before.keys()) if (!files.has(path) && !kept(path)) changed.set(path, undefined);
    return changed;
  }

  /**
   * The branch moves as one rename, and only from where we built upon: false, with the head as it is now, where a person committed at this very
   * moment.
   */
  private async moveHead(repository: Repository, sha: string): Promise<boolean> {
    const { files, fs } = this.deps;
    const { gitdir } = repository.objects;
    const fresh = join(gitdir, 'nanobot-head.tmp');
    await files.writeAtomic(fresh, `${sha}\n`);
    const now = await readHead(fs, gitdir);
    const moved = now.sha !== repository.head.sha || now.ref !== repository.head.ref;
    if (!moved) await files.rename(fresh, join(gitdir, now.ref));
    repository.head = moved ? now : { ref: now.ref, sha };
    return !moved;
  }

  /** The index is for `git status` only, so what goes wrong with it is logged and set right by the next commit. */
  private async stage({ git, objects, head }: Repository, removed: readonly string[] = []): Promise<void> {
    if (head.sha === undefined) return;
    try {
      const { tree } = await objects.commit(head.sha);
      await stageTracked({ ...this.deps, git }, objects, { tree, tracked: await trackedFiles(objects, tree), removed });
    } catch (error) {
      this.deps.log.warn(`git's index in ${objects.gitdir} could not be brought up to date: ${String(error)}`);
    }
  }

  private async describe(objects: GitObjects, commit: StoredCommit): Promise<MemoryCommit | undefined> {
    if (this.described.has(commit.sha)) return this.described.get(commit.sha);
    const described = await describe(objects, commit);
    if (this.described.size >= MAX_KEPT) this.described.clear();
    this.described.set(commit.sha, described);
    return described;
  }

  private async memoryCommit(objects: GitObjects, commit: StoredCommit): Promise<MemoryCommit> {
    const described = await this.describe(objects, commit);
    if (!described) throw new Error(t('The commit {0} changed nothing of the memory.', commit.sha.slice(0, 7)));
    return described;
  }
}
