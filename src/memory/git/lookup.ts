import { t } from '@vscode/l10n';
import { readable } from './commits.js';
import { DamagedHistory } from './damage.js';
import type { GitObjects, StoredCommit } from './objects.js';

/** The commit of a whole or shortened sha. Rejects in plain words where it names none. */
export async function findCommit(objects: GitObjects, sha: string): Promise<StoredCommit> {
  const asked = sha.trim().toLowerCase();
  if (!/^[0-9a-f]{4,40}$/.test(asked)) throw unknownCommit(sha);
  const full = asked.length === 40 ? asked : await objects.expand(asked);
  if (full === undefined) throw unknownCommit(sha);
  const commit = await readable(objects.commit(full));
  if (!commit) throw unknownCommit(sha);
  return commit;
}

/** The error for a sha that names no commit. */
export function unknownCommit(sha: string): Error {
  return new Error(
    t('There is no memory commit "{0}", or more than one begins so. /dream-log lists them.', sha.slice(0, 60)),
  );
}

/** Runs a read of one commit; where it is damaged, the error says so for people. */
export async function explainDamage<T>(sha: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof DamagedHistory)) throw error;
    throw new Error(
      t('The commit {0} is damaged: {1}. Other commits can still be used.', sha.slice(0, 7), error.message),
      { cause: error },
    );
  }
}
