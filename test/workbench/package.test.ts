import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { workerEntries } from '../../scripts/lib/bundles.mjs';
import { ensurePackaged, ensureUnpacked } from '../../scripts/lib/extension.mjs';
import { nodeWorkers } from '../../src/platform/nodeWorkers.js';

describe('the package', () => {
  let file: string;
  let folder: string;
  let names: string[];

  beforeAll(async () => {
    file = await ensurePackaged();
    folder = process.env['NANOBOT_TEST_EXTENSION'] ?? (await ensureUnpacked());
    names = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  });

  it('is at most 3 MB and 80 files', () => {
    expect(statSync(file).size).toBeLessThanOrEqual(3_000_000);
    // Two more stand beside the extension's folder: the manifest of the package and its list of content types.
    expect(names.length + 2).toBeLessThanOrEqual(80);
  });

  it('holds what runs, and no sources, packages, tests or maps', () => {
    const folders = new Set(names.map((name) => (name.includes('/') ? name.slice(0, name.indexOf('/')) : '')));
    expect(
      [...folders].filter((name) => !['', 'dist', 'media', 'skills', 'l10n', 'walkthrough'].includes(name)),
    ).toEqual([]);
    expect(names.filter((name) => /\.(map|ts|tsx)$|node_modules/.test(name))).toEqual([]);
    const { main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { main: string };
    expect(names).toContain(join(main));
  });

  it('holds the workers with what they load: one counts tokens where the package was unpacked', async () => {
    expect(names).toEqual(expect.arrayContaining(Object.keys(workerEntries).map((name) => join('dist', `${name}.js`))));
    const tokens = nodeWorkers(join(folder, 'dist')).start('tokens');
    expect(await tokens.call('count', ['Hello world', ''])).toEqual([2, 0]);
    await tokens.end();
  });
});
