import { execFile } from 'node:child_process';
import { appendFile, chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { tempHome } from '../../support/tempHome.js';
import { until } from '../../support/until.js';

const files = nodeFiles();
const here = dirname(fileURLToPath(import.meta.url));
const text = (path: string) => readFile(path, 'utf8');

describe('files on disk', () => {
  it('reads a missing file as ENOENT, a missing stat as undefined and a missing folder as empty', async () => {
    const { root } = await tempHome();
    await expect(files.read(join(root, 'no'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await files.stat(join(root, 'no'))).toBeUndefined();
    expect(await files.stat(join(root, 'no', 'deeper'))).toBeUndefined();
    expect(await files.list(join(root, 'no'))).toEqual([]);
  });

  it('appends to a file whose folders do not exist yet, flushed or not', async () => {
    const { root } = await tempHome();
    const path = join(root, 'a', 'b', 'c.jsonl');
    await files.append(path, 'één\n', { flush: true });
    await files.append(path, Buffer.from('two\n'));
    expect(await text(path)).toBe('één\ntwo\n');
  });

  it('reads a part, and less at the end', async () => {
    const { root } = await tempHome();
    const path = join(root, 'f');
    await writeFile(path, '0123456789');
    expect(Buffer.from(await files.readRange(path, 2, 3)).toString()).toBe('234');
    expect(Buffer.from(await files.readRange(path, 8, 10)).toString()).toBe('89');
    expect(await files.readRange(path, 50, 10)).toHaveLength(0);
  });

  it('replaces a file at once, keeps its mode and leaves nothing beside it', async () => {
    const { root } = await tempHome();
    const path = join(root, 'deep', 'f');
    await files.writeAtomic(path, 'one');
    await chmod(path, 0o600);
    const before = await files.stat(path);
    await files.writeAtomic(path, new Uint8Array([0x74, 0x77, 0x6f]));
    expect(await text(path)).toBe('two');
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await files.stat(path))?.ino).not.toBe(before?.ino);
    expect(await readdir(dirname(path))).toEqual(['f']);
  });

  it('creates a file for one of many who want to, whole, and leaves nothing beside it', async () => {
    const { root } = await tempHome();
    const path = join(root, 'locks', 'x.lock');
    const outcomes = await Promise.all([...'abcdefgh'].map((who) => files.createExclusive(path, who.repeat(1000))));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect(await text(path)).toMatch(/^(.)\1{999}$/);
    expect(await readdir(dirname(path))).toEqual(['x.lock']);
  });

  it('renames into a folder that does not exist yet, and says so when there is nothing to rename', async () => {
    const { root } = await tempHome();
    await writeFile(join(root, 'f'), 'x');
    await files.rename(join(root, 'f'), join(root, 'trash', 'g'));
    expect(await text(join(root, 'trash', 'g'))).toBe('x');
    await expect(files.rename(join(root, 'f'), join(root, 'elsewhere', 'g'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('removes what is there and does not mind what is not', async () => {
    const { root } = await tempHome();
    await files.append(join(root, 'a', 'b'), 'x');
    await files.remove(join(root, 'a'));
    await files.remove(join(root, 'a'));
    expect(await readdir(root)).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')(
    'fails on a disk that becomes full midway and keeps the old content',
    async () => {
      const { root } = await tempHome();
      const path = join(root, 'kept');
      await writeFile(path, 'old');
      const worker = join(root, 'worker.mjs');
      await build({
        entryPoints: [join(here, 'fullDisk.worker.ts')],
        bundle: true,
        platform: 'node',
        format: 'esm',
        outfile: worker,
      });
      // A limit on the size of files makes the kernel take the first part of a write only, as a full disk does.
      const { stdout } = await promisify(execFile)('bash', [
        '-c',
        `ulimit -f 8; "${process.execPath}" "${worker}" "${path}"`,
      ]);
      expect(JSON.parse(stdout)).toEqual({ atomic: 'EFBIG', exclusive: 'EFBIG', append: 'EFBIG' });
      expect(await text(path)).toBe('old');
      expect((await readdir(root)).sort()).toEqual(['kept', 'log', 'worker.mjs']);
    },
  );
});

describe('watching', () => {
  async function watching(path: string) {
    let seen = 0;
    const watch = files.watch(path, () => (seen += 1));
    return { seen: () => seen, watch };
  }

  it('tells of appends to files in a folder, many at once as few', async () => {
    const { root } = await tempHome();
    const { seen, watch } = await watching(root);
    for (let n = 0; n < 50; n += 1) await appendFile(join(root, 'f'), 'x\n');
    await until('a change', () => seen() > 0);
    expect(seen()).toBeLessThan(25);
    watch.dispose();
  });

  it('tells of a file that is replaced by a rename, every time', async () => {
    const { root } = await tempHome();
    const path = join(root, 'f');
    const { seen, watch } = await watching(path);
    for (const round of [1, 2, 3]) {
      const before = seen();
      await files.writeAtomic(path, `round ${round}`);
      await until('the replaced file', () => seen() > before);
    }
    watch.dispose();
  });

  it('waits for a folder that does not exist, and notices when it goes and comes back', async () => {
    const { root } = await tempHome();
    const path = join(root, 'a', 'b', 'sessions');
    const { seen, watch } = await watching(path);
    await mkdir(path, { recursive: true });
    await until('the folder', () => seen() > 0);
    let before = seen();
    await writeFile(join(path, 'f'), 'x');
    await until('a file in it', () => seen() > before);
    before = seen();
    await rm(join(root, 'a'), { recursive: true });
    await until('its removal', () => seen() > before);
    before = seen();
    await files.append(join(path, 'g'), 'x');
    await until('its return', () => seen() > before);
    watch.dispose();
  });

  it('is silent after it was disposed', async () => {
    const { root } = await tempHome();
    const one = await watching(root);
    const two = await watching(root);
    one.watch.dispose();
    await writeFile(join(root, 'f'), 'x');
    await until('the other watcher', () => two.seen() > 0);
    expect(one.seen()).toBe(0);
    two.watch.dispose();
  });
});
