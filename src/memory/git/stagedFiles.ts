import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Clock, Files, GitFs, Log } from '../../platform/ports.js';
import { timeStamp } from './stamp.js';
import type { Entry, Git, GitObjects } from './objects.js';
import { NAMED_FILES, SKILLS } from './trees.js';

/** What is needed to keep git's index in step with our commits. */
export interface StagingDeps {
  git: Git;
  fs: GitFs;
  files: Files;
  clock: Clock;
  log: Log;
  home: string;
}

/**
 * Makes the index say of the tracked files what the commit says, so that `git status` shows nothing of them. Entries of other files, staged or
 * not, stay as they are. An index that is missing or cannot be read is made anew from the commit's tree; nothing depends on it.
 */
export async function stageTracked(
  deps: StagingDeps,
  objects: GitObjects,
  commit: { tree: string; tracked: ReadonlyMap<string, Entry>; removed: readonly string[] },
): Promise<void> {
  const path = join(objects.gitdir, 'index');
  if (!(await deps.files.stat(path))) return writeIndex(deps, objects, commit.tree);
  const cache = {};
  let staged: Map<string, Entry>;
  try {
    staged = await stagedFiles(deps, objects.gitdir, cache);
  } catch (error) {
    const aside = `${path}.corrupt-${timeStamp(deps.clock.now())}`;
    deps.log.warn(`${path} could not be read (${String(error)}). It was set aside as ${aside} and made anew.`);
    await deps.files.rename(path, aside);
    return writeIndex(deps, objects, commit.tree);
  }
  const place = { fs: deps.fs, dir: deps.home, gitdir: objects.gitdir, cache };
  for (const filepath of [...staged.keys(), ...commit.removed]) {
    if (commit.tracked.has(filepath) || (await deps.files.stat(join(deps.home, filepath)))) continue;
    await deps.git.updateIndex({ ...place, filepath, remove: true, force: true });
  }
  for (const [filepath, { oid, mode }] of commit.tracked) {
    const former = staged.get(filepath);
    if (former?.oid === oid && former.mode === mode) continue;
    await deps.git.updateIndex({ ...place, filepath, oid, mode: Number.parseInt(mode, 8), add: true });
  }
}

/** Tracked files in the index. */
async function stagedFiles({ git, fs, home }: StagingDeps, gitdir: string, cache: object): Promise<Map<string, Entry>> {
  const staged = new Map<string, Entry>();
  await git.walk({
    fs,
    dir: home,
    gitdir,
    cache,
    trees: [git.STAGE()],
    map: async (path, [entry]) => {
      const above = path === '.' || path === 'memory' || path === SKILLS;
      const within = NAMED_FILES.includes(path) || path.startsWith(`${SKILLS}/`);
      // Null keeps the walk from going deeper.
      if (!above && !within) return null;
      const mode = entry && (await entry.type()) === 'blob' ? ((await entry.mode()) ?? 0).toString(8) : '';
      if (within && entry && /^100(644|755)$/.test(mode)) staged.set(path, { oid: (await entry.oid()) ?? '', mode });
      return undefined;
    },
  });
  return staged;
}

/** Writes an index that stands for exactly this tree. */
async function writeIndex({ files }: StagingDeps, objects: GitObjects, tree: string): Promise<void> {
  const entries = (await everyFile(objects, tree, '')).sort((left, right) => Buffer.compare(left.path, right.path));
  const head = Buffer.alloc(12);
  head.write('DIRC', 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([head, ...entries.map(indexEntry)]);
  await files.writeAtomic(
    join(objects.gitdir, 'index'),
    Buffer.concat([body, createHash('sha1').update(body).digest()]),
    { flush: false },
  );
}

interface IndexEntry {
  path: Buffer;
  oid: string;
  mode: string;
}

async function everyFile(objects: GitObjects, tree: string, prefix: string): Promise<IndexEntry[]> {
  const found: IndexEntry[] = [];
  for (const { path, oid, mode, type } of await objects.tree(tree)) {
    if (type === 'tree') found.push(...(await everyFile(objects, oid, `${prefix}${path}/`)));
    else found.push({ path: Buffer.from(`${prefix}${path}`, 'utf8'), oid, mode });
  }
  return found;
}

/** One entry of git's index, version 2. Times and size are 0: git looks at the file itself the first time. */
function indexEntry({ path, oid, mode }: IndexEntry): Buffer {
  const entry = Buffer.alloc(Math.ceil((62 + path.length + 1) / 8) * 8);
  entry.writeUInt32BE(Number.parseInt(mode, 8), 24);
  entry.write(oid, 40, 'hex');
  entry.writeUInt16BE(Math.min(path.length, 0xfff), 60);
  path.copy(entry, 62);
  return entry;
}
