import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { nodeGitFs } from '../../../src/platform/nodeGitFs.js';
import { tempHome } from '../../support/tempHome.js';

describe("the git library's files", () => {
  it.each(['index', 'objects/ab/cdef'])('appear whole under their name: %s', async (name) => {
    const { root } = await tempHome();
    const path = join(root, name);
    const content = Buffer.alloc(16 * 1024 * 1024, 'x');
    const sizes = new Set<number>();
    let written = false;
    const writing = nodeGitFs()
      .promises.writeFile(path, content)
      .finally(() => (written = true));
    while (!written) {
      if (existsSync(path)) sizes.add(statSync(path).size);
      await turn();
    }
    await writing;
    expect([...sizes].filter((size) => size !== content.length)).toEqual([]);
    expect(readdirSync(join(path, '..')).filter((each) => each.includes('tmp'))).toEqual([]);
  });

  it('replace what was there, and leave it where they cannot be written', async () => {
    const { root } = await tempHome();
    const { promises } = nodeGitFs();
    const path = join(root, 'objects/ab/cdef');
    await promises.writeFile(path, 'old');
    await promises.writeFile(path, 'new');
    expect(Buffer.from((await promises.readFile(path)) as Uint8Array).toString()).toBe('new');
    mkdirSync(join(root, 'objects/ff/folder'), { recursive: true });
    writeFileSync(join(root, 'objects/ff/folder/inner'), '');
    await expect(promises.writeFile(join(root, 'objects/ff/folder'), 'x')).rejects.toThrow();
    expect(readdirSync(join(root, 'objects/ff'))).toEqual(['folder']);
  });
});
