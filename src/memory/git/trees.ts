import type { TreeEntry } from 'isomorphic-git';
import type { Entry, GitObjects } from './objects.js';

/** Where Dream has read to; it is in the history so that undoing a Dream undoes that too. */
export const DREAM_CURSOR = 'memory/.dream_cursor';
/** Single files of the home that are tracked; the rest is everything in `skills`. */
export const NAMED_FILES = ['SOUL.md', 'USER.md', 'memory/MEMORY.md', DREAM_CURSOR];
export const SKILLS = 'skills';

/** A tracked file that two trees have differently. */
export interface TreeChange {
  path: string;
  before: Entry | undefined;
  after: Entry | undefined;
}

interface Layout {
  named: Map<string, Entry>;
  /** Names at the top that stand for files of the memory folder, as in a repository that was made within it. */
  old: string[];
  skills: string | undefined;
}

/** Every tracked file of a tree by its path. Links and repositories in `skills` are not ours and not told. */
export async function trackedFiles(objects: GitObjects, root: string | undefined): Promise<Map<string, Entry>> {
  const { named, skills } = await layoutOf(objects, root);
  const files = new Map(named);
  for (const { path, after } of await folderChanges(objects, undefined, skills, SKILLS))
    if (after) files.set(path, after);
  return files;
}

/** What differs between two trees in tracked files, sorted by path. Reads only the folders that differ. */
export async function treeChanges(
  objects: GitObjects,
  before: string | undefined,
  after: string,
): Promise<TreeChange[]> {
  const old = await layoutOf(objects, before);
  const now = await layoutOf(objects, after);
  const changes: TreeChange[] = [];
  for (const path of NAMED_FILES) {
    const change = { path, before: old.named.get(path), after: now.named.get(path) };
    if (!sameEntry(change.before, change.after)) changes.push(change);
  }
  changes.push(...(await folderChanges(objects, old.skills, now.skills, SKILLS)));
  return changes.sort((left, right) => (left.path < right.path ? -1 : 1));
}

/**
 * Writes the tree that differs from `root` in these files, undefined for one that is gone; returns its id. Everything else in it stays as it is,
 * but for memory files that an older repository has at its top: they move to the memory folder. `removed` tells those.
 */
export async function writeChanged(
  objects: GitObjects,
  root: string | undefined,
  changes: ReadonlyMap<string, Entry | undefined>,
): Promise<{ tree: string; removed: string[] }> {
  const { old, named } = await layoutOf(objects, root);
  const all = new Map(changes);
  for (const name of old) {
    const path = `memory/${name}`;
    if (!all.has(path)) all.set(path, named.get(path));
    all.set(name, undefined);
  }
  const tree = (await changeFolder(objects, root, [...all])) ?? (await objects.putTree([]));
  return { tree, removed: old };
}

export function sameEntry(left: Entry | undefined, right: Entry | undefined): boolean {
  return left?.oid === right?.oid && left?.mode === right?.mode;
}

async function layoutOf(objects: GitObjects, root: string | undefined): Promise<Layout> {
  const named = new Map<string, Entry>();
  const old: string[] = [];
  if (root === undefined) return { named, old, skills: undefined };
  const top = await objects.tree(root);
  const folder = folderIn(top, 'memory');
  const memory = folder === undefined ? [] : await objects.tree(folder);
  for (const path of NAMED_FILES) {
    const name = path.replace('memory/', '');
    const own = fileIn(name === path ? top : memory, name);
    const entry = own ?? (folder === undefined && name !== path ? fileIn(top, name) : undefined);
    if (entry) named.set(path, entry);
    if (entry && !own) old.push(name);
  }
  return { named, old, skills: folderIn(top, SKILLS) };
}

function fileIn(tree: readonly TreeEntry[], name: string): Entry | undefined {
  const found = tree.find(({ path }) => path === name);
  return found && isFile(found) ? { oid: found.oid, mode: found.mode } : undefined;
}

function folderIn(tree: readonly TreeEntry[], name: string): string | undefined {
  return tree.find(({ path, type }) => path === name && type === 'tree')?.oid;
}

function isFile({ mode }: TreeEntry): boolean {
  return mode === '100644' || mode === '100755';
}

/** What differs between two folders, at any depth. */
async function folderChanges(
  objects: GitObjects,
  before: string | undefined,
  after: string | undefined,
  prefix: string,
): Promise<TreeChange[]> {
  if (before === after) return [];
  const old = before === undefined ? [] : await objects.tree(before);
  const now = after === undefined ? [] : await objects.tree(after);
  const changes: TreeChange[] = [];
  for (const name of new Set([...old, ...now].map(({ path }) => path))) {
    const path = `${prefix}/${name}`;
    const change = { path, before: fileIn(old, name), after: fileIn(now, name) };
    if (!sameEntry(change.before, change.after)) changes.push(change);
    changes.push(...(await folderChanges(objects, folderIn(old, name), folderIn(now, name), path)));
  }
  return changes;
}

/** The folder with these files changed; undefined where nothing is left in it. */
async function changeFolder(
  objects: GitObjects,
  folder: string | undefined,
  changes: readonly [string, Entry | undefined][],
): Promise<string | undefined> {
  const entries = new Map((folder === undefined ? [] : await objects.tree(folder)).map((entry) => [entry.path, entry]));
  const below = new Map<string, [string, Entry | undefined][]>();
  for (const [path, entry] of changes) {
    const [name = '', ...rest] = path.split('/');
    if (rest.length > 0) {
      below.set(name, [...(below.get(name) ?? []), [rest.join('/'), entry]]);
    } else if (entry) {
      entries.set(name, { path: name, oid: entry.oid, mode: entry.mode, type: 'blob' });
    } else if (entries.get(name)?.type === 'blob') {
      entries.delete(name);
    }
  }
  for (const [name, inner] of below) {
    const former = entries.get(name);
    const oid = await changeFolder(objects, former?.type === 'tree' ? former.oid : undefined, inner);
    if (oid !== undefined) entries.set(name, { path: name, oid, mode: '040000', type: 'tree' });
    else if (former?.type === 'tree') entries.delete(name);
  }
  return entries.size === 0 ? undefined : objects.putTree([...entries.values()]);
}
