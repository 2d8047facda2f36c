import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, isMissing } from './fileErrors.js';
import { watchPath } from './nodeWatch.js';
import type { DirEntry, FileStat, Files } from './ports.js';

/** The `Files` port over node:fs. Writes go on until every byte is down: a full disk is an error, never a shorter file. */
export function nodeFiles(): Files {
  return {
    read: (path) => fs.readFile(path),
    readRange,
    stat,
    list,
    append: (path, data, options) => inFolder(path, () => append(path, data, options?.flush === true)),
    writeAtomic: (path, data, options) => inFolder(path, () => writeAtomic(path, data, options?.flush !== false)),
    createExclusive: (path, data, options) =>
      inFolder(path, () => createExclusive(path, data, options?.flush === true)),
    truncate: (path, size) => fs.truncate(path, size),
    rename: (from, to) => inFolder(to, () => whileBusy(() => fs.rename(from, to))),
    remove: (path) => fs.rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 }),
    async makeFolder(path) {
      await fs.mkdir(path, { recursive: true });
    },
    watch: watchPath,
  };
}

/** Makes the missing folder of `path` and tries again; nothing is spent where the folder is there. */
async function inFolder<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await fs.mkdir(dirname(path), { recursive: true });
    return run();
  }
}

/** On Windows a scanner or a reader can hold a file for a moment, and a rename over it fails meanwhile. */
async function whileBusy(run: () => Promise<void>): Promise<void> {
  const waits = process.platform === 'win32' ? [10, 40, 160, 640] : [];
  for (const wait of waits) {
    try {
      return await run();
    } catch (error) {
      if (!['EPERM', 'EACCES', 'EBUSY'].includes(codeOf(error) ?? '')) throw error;
      await sleep(wait);
    }
  }
  return run();
}

async function readRange(path: string, offset: number, length: number): Promise<Uint8Array> {
  const handle = await fs.open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await handle.close();
  }
}

async function stat(path: string): Promise<FileStat | undefined> {
  try {
    const found = await fs.stat(path);
    const type = found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
    return { type, size: found.size, mtime: found.mtimeMs, ino: found.ino, mode: found.mode & 0o777 };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function list(path: string): Promise<DirEntry[]> {
  try {
    const entries = await fs.readdir(path, { withFileTypes: true });
    return entries
      .map((entry): DirEntry => ({
        name: entry.name,
        type: entry.isFile()
          ? 'file'
          : entry.isDirectory()
            ? 'directory'
            : entry.isSymbolicLink()
              ? 'symlink'
              : 'other',
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

async function append(path: string, data: string | Uint8Array, flush: boolean): Promise<void> {
  const created = await appendAndClose(path, data, flush);
  if (created) await flushFolder(path);
}

/** True where a flush was asked and the file was empty before, so that its name has to be flushed too. */
async function appendAndClose(path: string, data: string | Uint8Array, flush: boolean): Promise<boolean> {
  const handle = await fs.open(path, 'a');
  try {
    const created = flush && (await handle.stat()).size === 0;
    await writeAll(handle, data);
    if (flush) await handle.datasync();
    return created;
  } finally {
    await handle.close();
  }
}

async function writeAtomic(path: string, data: string | Uint8Array, flush: boolean): Promise<void> {
  const target = await fs.realpath(path).catch(() => path);
  await throughTemporary(target, data, flush, (temporary) => whileBusy(() => fs.rename(temporary, target)));
  if (flush) await flushFolder(target);
}

/** The content appears under its name at once (a hard link), so nobody ever reads a half-written lock. */
async function createExclusive(path: string, data: string | Uint8Array, flush: boolean): Promise<boolean> {
  try {
    await throughTemporary(path, data, flush, (temporary) => linkOrCopy(temporary, path));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  if (flush) await flushFolder(path);
  return true;
}

/** Hard links are missing on FAT and some network disks; there an exclusive copy has to do. */
async function linkOrCopy(temporary: string, path: string): Promise<void> {
  try {
    await fs.link(temporary, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw error;
    await fs.copyFile(temporary, path, fs.constants.COPYFILE_EXCL);
  }
}

/**
 * Writes the whole content beside `path`, hands the temporary file on and leaves none behind. Not `write-file-atomic`: it takes a short write
 * (a disk that becomes full midway) for success and then renames the stump over the good file.
 */
async function throughTemporary(
  path: string,
  data: string | Uint8Array,
  flush: boolean,
  use: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const mode = await fs.stat(path).then(
      (found) => found.mode & 0o777,
      () => 0o666,
    );
    const handle = await fs.open(temporary, 'wx', mode);
    try {
      await writeAll(handle, data);
      if (flush) await handle.sync();
    } finally {
      await handle.close();
    }
    await use(temporary);
  } finally {
    await fs.rm(temporary, { force: true });
  }
}

/** One write call in the ordinary case; goes on after a short write, so that the disk's own error comes out. */
async function writeAll(handle: FileHandle, data: string | Uint8Array): Promise<void> {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
  let written = 0;
  while (written < bytes.length) {
    written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
  }
}

/** Makes a new name survive a power cut. Windows cannot open folders, and needs not. */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await fs.open(dirname(path), 'r');
  try {
    await folder.sync();
  } catch (error) {
    if (codeOf(error) !== 'EINVAL') throw error;
  } finally {
    await folder.close();
  }
}
