import { t } from '@vscode/l10n';
import { join } from 'node:path';
import type * as IsomorphicGit from 'isomorphic-git';
import type { TreeEntry } from 'isomorphic-git';
import { codeOf } from '../../platform/fileErrors.js';
import type { GitFs } from '../../platform/ports.js';
import { isAbsent, readingHistory } from './damage.js';

/** The git library, which is fetched at first use. */
export type Git = typeof IsomorphicGit;

/** A file in a tree. */
export interface Entry {
  oid: string;
  /** `100644` or `100755`. */
  mode: string;
}

export interface StoredCommit {
  sha: string;
  tree: string;
  parents: string[];
  text: string;
  /** Epoch milliseconds. */
  time: number;
}

export interface NewCommit {
  text: string;
  tree: string;
  parents: string[];
  /** Epoch milliseconds. */
  time: number;
  /** Minutes to add to local time for UTC. */
  offset: number;
}

/** Bytes of content that is read back: more would take too long in one go. */
const MAX_CHECKED = 256 * 1024;

/**
 * The objects of one repository, for the length of one operation: what was read once is kept. Reads throw `DamagedHistory` for what is missing or
 * broken; what is written is read back, if it is not too
 * large, so a broken object of the same content is replaced.
 */
export class GitObjects {
  private readonly cache = {};
  private readonly trees = new Map<string, Promise<TreeEntry[]>>();

  constructor(
    private readonly git: Git,
    private readonly fs: GitFs,
    readonly gitdir: string,
  ) {}

  commit(sha: string): Promise<StoredCommit> {
    return readingHistory(t('the commit {0}', sha.slice(0, 7)), async () => {
      const { commit } = await this.git.readCommit({ ...this.place(), oid: sha });
      const { tree, parent: parents, message: text, committer } = commit;
      return { sha, tree, parents, text, time: committer.timestamp * 1000 };
    });
  }

  tree(oid: string): Promise<readonly TreeEntry[]> {
    const known = this.trees.get(oid);
    if (known) return known;
    const read = readingHistory(t('the folder {0}', oid.slice(0, 7)), async () => {
      return (await this.git.readTree({ ...this.place(), oid })).tree;
    });
    this.trees.set(oid, read);
    return read;
  }

  blob(oid: string): Promise<Uint8Array> {
    return readingHistory(t('the content {0}', oid.slice(0, 7)), async () => {
      return (await this.git.readBlob({ ...this.place(), oid })).blob;
    });
  }

  /** The one object that begins so; undefined where there is none or several. */
  async expand(short: string): Promise<string | undefined> {
    try {
      return await this.git.expandOid({ ...this.place(), oid: short.toLowerCase() });
    } catch (error) {
      if (/^(NotFound|Ambiguous)Error$/.test(codeOf(error) ?? '')) return undefined;
      return readingHistory(t('the store of objects'), () => Promise.reject(error as Error));
    }
  }

  putBlob(blob: Uint8Array): Promise<string> {
    const write = () => this.git.writeBlob({ ...this.place(), blob });
    return blob.length > MAX_CHECKED ? write() : this.put(write);
  }

  putTree(tree: readonly TreeEntry[]): Promise<string> {
    return this.put(() => this.git.writeTree({ ...this.place(), tree: [...tree] }));
  }

  putCommit({ text, tree, parents, time, offset }: NewCommit): Promise<string> {
    const person = {
      name: 'Nanobot',
      email: 'nanobot@localhost',
      timestamp: Math.floor(time / 1000),
      timezoneOffset: offset,
    };
    const commit = { message: text, tree, parent: parents, author: person, committer: person };
    return this.put(() => this.git.writeCommit({ ...this.place(), commit }));
  }

  private place() {
    return { fs: this.fs, gitdir: this.gitdir, cache: this.cache };
  }

  /** The library leaves an object alone that is there, whatever it holds: one that cannot be read is taken away and written again. */
  private async put(write: () => Promise<string>): Promise<string> {
    const oid = await write();
    try {
      await this.git.readObject({ ...this.place(), oid, format: 'content' });
    } catch {
      await this.fs.promises.unlink(join(this.gitdir, 'objects', oid.slice(0, 2), oid.slice(2))).catch((error) => {
        if (!isAbsent(error)) throw error;
      });
      await write();
    }
    return oid;
  }
}
