import type { FileVersion, MemoryCommit } from '../memoryCommit.js';
import { parseMessage } from '../memoryCommit.js';
import { DamagedHistory } from './damage.js';
import { textOf } from './disk.js';
import { countChanges } from '../../platform/textLines.js';
import type { Entry, GitObjects, StoredCommit } from './objects.js';
import { DREAM_CURSOR, treeChanges, type TreeChange } from './trees.js';

/** Commits that a look for memory commits goes back at most: the home's repository may hold others. */
const MAX_WALK = 2_000;

/** Commits of the history from `sha` back, each with the first of its parents, until the first one or one that cannot be read. */
export async function* historyFrom(objects: GitObjects, sha: string | undefined): AsyncGenerator<StoredCommit> {
  for (let next = sha; next !== undefined;) {
    const commit = await readable(objects.commit(next));
    if (!commit) return;
    yield commit;
    next = commit.parents[0];
  }
}

/** The newest commits that `describe` knows something of, newest first. What cannot be read is passed over. */
export async function newestCommits(
  { objects, head }: { objects: GitObjects; head: { sha: string | undefined } },
  limit: number,
  describe: (commit: StoredCommit) => Promise<MemoryCommit | undefined>,
): Promise<MemoryCommit[]> {
  const found: MemoryCommit[] = [];
  let steps = 0;
  for await (const commit of historyFrom(objects, head.sha)) {
    if (found.length >= limit || (steps += 1) > MAX_WALK) break;
    const described = await readable(describe(commit));
    if (described) found.push(described);
  }
  return found;
}

/** What a commit changed in tracked files, the Dream cursor included. */
export async function changesOf(objects: GitObjects, { tree, parents }: StoredCommit): Promise<TreeChange[]> {
  const [parent] = parents;
  const before = parent === undefined ? undefined : (await objects.commit(parent)).tree;
  return treeChanges(objects, before, tree);
}

/** A commit as people see it; undefined where it changed nothing that is tracked, or nothing but the Dream cursor. */
export async function describe(objects: GitObjects, commit: StoredCommit): Promise<MemoryCommit | undefined> {
  // Without its parent, as at the end of a shallow clone, a commit is as good as the first one.
  const all = (await readable(changesOf(objects, commit))) ?? (await treeChanges(objects, undefined, commit.tree));
  const changes = all.filter(({ path }) => path !== DREAM_CURSOR);
  if (changes.length === 0) return undefined;
  const { sha, time, text } = commit;
  const files = changes.map(({ path }) => path);
  return { sha, time, ...parseMessage(text), changes: await countAll(objects, changes), files };
}

/** The number of changes of `MemoryCommit`. What cannot be read, and what is no text, counts as one. */
export async function countAll(objects: GitObjects, changes: readonly TreeChange[]): Promise<number> {
  let sum = 0;
  for (const { path, before, after } of changes) {
    if (path === DREAM_CURSOR) continue;
    const texts = before && after ? [await textIn(objects, before), await textIn(objects, after)] : [];
    sum += texts[0] === undefined || texts[1] === undefined ? 1 : countChanges(texts[0], texts[1]);
  }
  return sum;
}

/** A changed file's versions for people. Throws `DamagedHistory` where one cannot be read. */
export async function versionsOf(objects: GitObjects, { path, before, after }: TreeChange): Promise<FileVersion> {
  const bytes = [before && (await objects.blob(before.oid)), after && (await objects.blob(after.oid))] as const;
  const binary = bytes.some((each) => each && textOf(each) === undefined);
  const shown = (each: Uint8Array | undefined) =>
    each && (binary ? `A binary file of ${each.length.toLocaleString('en')} bytes.\n` : textOf(each));
  return { path, before: shown(bytes[0]), after: shown(bytes[1]), ...(binary ? { binary } : {}) };
}

async function textIn(objects: GitObjects, entry: Entry): Promise<string | undefined> {
  const bytes = await readable(objects.blob(entry.oid));
  return bytes && textOf(bytes);
}

/** Undefined for what is damaged: what is older or beside it can still be told. */
export async function readable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof DamagedHistory) return undefined;
    throw error;
  }
}
