import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nodeFiles } from './nodeFiles.js';
import type { GitFs } from './ports.js';

/**
 * The `GitFs` port over node:fs. The library writes each file with one plain call, and takes an object that is there for a good one; so a write
 * is a temporary file that is flushed and renamed. In the object store its name starts as git's own do, and git cleans up what a kill left.
 */
export function nodeGitFs(): GitFs {
  const files = nodeFiles();
  return {
    promises: {
      readFile: (path, options) => fs.readFile(path, options as Parameters<typeof fs.readFile>[1]),
      async writeFile(path, data) {
        if (!/[\\/]objects[\\/]/.test(path)) return files.writeAtomic(path, data);
        const temporary = join(dirname(path), `tmp_obj_${randomBytes(6).toString('hex')}`);
        try {
          await files.writeAtomic(temporary, data);
          await files.rename(temporary, path);
        } finally {
          await files.remove(temporary);
        }
      },
      unlink: (path) => fs.unlink(path),
      readdir: (path) => fs.readdir(path),
      mkdir: (path) => fs.mkdir(path),
      rmdir: (path) => fs.rmdir(path),
      stat: (path) => fs.stat(path),
      lstat: (path) => fs.lstat(path),
      readlink: (path, options) => fs.readlink(path, options as Parameters<typeof fs.readlink>[1]),
      symlink: (target, path) => fs.symlink(target, path),
      chmod: (path, mode) => fs.chmod(path, mode),
    },
  };
}
