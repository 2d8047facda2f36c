import type { GitStore } from '../memory/gitStore.js';
import type { MemoryCommit } from '../memory/memoryCommit.js';
import { undoneIn } from './commitWords.js';

/** Commits shown before more are offered, and how many more at a time. */
const STEP = 50;

/** A commit of the memory as a row. */
export interface CommitRow {
  kind: 'commit';
  id: string;
  commit: MemoryCommit;
  undone: boolean;
}

export type DreamsRow = CommitRow | { kind: 'moreDreams'; id: string } | { kind: 'noDreams'; id: string };

/** The memory's commits, newest first, read when they are looked at. */
export class DreamList {
  private limit = STEP;
  private reading: Promise<MemoryCommit[]> | undefined;

  constructor(private readonly git: Pick<GitStore, 'log'>) {}

  /** There may be other commits now: the next `rows` reads them. */
  invalidate(): void {
    this.reading = undefined;
  }

  more(): void {
    this.limit += STEP;
    this.invalidate();
  }

  /** Rejects where the memory's history cannot be read. */
  async rows(): Promise<DreamsRow[]> {
    const { limit } = this;
    this.reading ??= this.git.log(limit + 1);
    const commits = await this.reading.catch((cause: unknown) => {
      this.invalidate();
      throw cause;
    });
    if (commits.length === 0) return [{ kind: 'noDreams', id: 'no dreams' }];
    const undone = undoneIn(commits);
    const rows = commits.slice(0, limit).map((commit): CommitRow => {
      return { kind: 'commit', id: `commit ${commit.sha}`, commit, undone: undone.has(commit.sha) };
    });
    return commits.length > limit ? [...rows, { kind: 'moreDreams', id: 'more dreams' }] : rows;
  }
}
