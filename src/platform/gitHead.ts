import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * The branch checked out in the repository that holds a folder, from `.git/HEAD` alone: undefined outside a repository, the short commit
 * where the head is detached. Reads two small files at once, since it is asked when a message is built.
 */
export function gitBranchOf(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const head = readHead(join(at, '.git'));
    if (head !== undefined) {
      const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
      return branch?.trim() ?? head.slice(0, 8);
    }
    if (dirname(at) === at) return undefined;
  }
}

/** `.git` is a folder, or in work trees and submodules a file that names one. */
function readHead(git: string): string | undefined {
  try {
    if (statSync(git).isDirectory()) return readFileSync(join(git, 'HEAD'), 'utf8');
    const named = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1];
    return named && readFileSync(join(resolve(dirname(git), named.trim()), 'HEAD'), 'utf8');
  } catch {
    // No repository here, or one that cannot be read: the branch is a hint and nothing depends on it.
    return undefined;
  }
}
