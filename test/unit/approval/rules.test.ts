import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeKit, newParser, type Kit } from './kit.js';

const parser = newParser();
let kit: Kit;
let file: string;

beforeEach(async () => {
  kit = await makeKit(parser);
  file = join(kit.home, '.nanobot', 'approvals.json');
});
afterEach(() => kit.dispose());

const stored = async () =>
  JSON.parse(await readFile(file, 'utf8')) as { version: number; rules: Record<string, unknown[]> };

describe('approvals.json', () => {
  it('is written by workspace path or for everywhere, and not at all for a session', async () => {
    await kit.rules.add({ tool: 'exec', exact: 'a' }, 'session', 's', kit.project);
    await expect(stored()).rejects.toThrow('ENOENT');
    await kit.rules.add({ tool: 'exec', prefix: ['npm', 'test'] }, 'workspace', 's', kit.project);
    await kit.rules.add({ tool: 'web_fetch' }, 'everywhere', 's', kit.project);
    await kit.rules.add({ tool: 'web_fetch' }, 'everywhere', 's', kit.project);
    expect(await stored()).toEqual({
      version: 1,
      rules: { [kit.project]: [{ tool: 'exec', prefix: ['npm', 'test'] }], '*': [{ tool: 'web_fetch' }] },
    });
  });

  it('counts for its workspace only', async () => {
    await kit.rules.add({ tool: 'a' }, 'workspace', 's', kit.project);
    await kit.rules.add({ tool: 'b' }, 'everywhere', 's', kit.project);
    await kit.rules.add({ tool: 'c' }, 'session', 's', kit.project);
    const tools = async (session: string, folder?: string) =>
      (await kit.rules.list(session, folder)).map((rule) => rule.tool);
    expect(await tools('s', kit.project)).toEqual(['c', 'a', 'b']);
    expect(await tools('s', `${kit.project}/`)).toEqual(['c', 'a', 'b']);
    expect(await tools('t', kit.project)).toEqual(['a', 'b']);
    expect(await tools('t', kit.outside)).toEqual(['b']);
    expect(await tools('t')).toEqual(['b']);
    kit.rules.endSession('s');
    expect(await tools('s', kit.project)).toEqual(['a', 'b']);
  });

  it('keeps what it does not know', async () => {
    const strange = { version: 1, note: 'mine', rules: { '*': [{ tool: 'x', later: true }, { odd: 1 }, 7] } };
    await writeFile(file, JSON.stringify(strange));
    await kit.rules.add({ tool: 'y' }, 'everywhere', 's', undefined);
    expect(await stored()).toEqual({ ...strange, rules: { '*': [...strange.rules['*'], { tool: 'y' }] } });
    expect((await kit.rules.list('s', undefined)).map((rule) => rule.tool)).toEqual(['x', 'y']);
  });

  it.each(['{"version":1,"rules":', '[]', '{"version":1,"rules":{"*":5}}', ''])(
    'that reads %j is set aside with a notice, and never overwritten',
    async (content) => {
      await writeFile(file, content);
      expect(await kit.rules.list('s', kit.project)).toEqual([]);
      const names = await readdir(join(kit.home, '.nanobot'));
      const aside = names.find((name) => /^approvals\.json\.corrupt-\d{8}T\d{6}Z$/.test(name)) ?? '';
      expect(await readFile(join(kit.home, '.nanobot', aside), 'utf8')).toBe(content);
      expect(kit.notices).toEqual([expect.stringContaining(aside)]);
      await kit.rules.add({ tool: 'y' }, 'everywhere', 's', undefined);
      expect(await readFile(join(kit.home, '.nanobot', aside), 'utf8')).toBe(content);
      expect((await stored()).rules).toEqual({ '*': [{ tool: 'y' }] });
    },
  );

  it('is set aside also when the first to find it broken is a write', async () => {
    await writeFile(file, 'broken');
    await kit.rules.add({ tool: 'y' }, 'everywhere', 's', undefined);
    expect(kit.notices).toHaveLength(1);
    expect((await stored()).rules).toEqual({ '*': [{ tool: 'y' }] });
  });

  it('loses no rule when two windows write at once', async () => {
    const other = kit.otherRules('another window');
    const tools = Array.from({ length: 20 }, (_, index) => `tool${index}`);
    await Promise.all(
      tools.map((tool, index) => (index % 2 ? kit.rules : other).add({ tool }, 'everywhere', 's', undefined)),
    );
    const kept = (await stored()).rules['*'] as { tool: string }[];
    expect(kept.map((rule) => rule.tool).sort()).toEqual([...tools].sort());
  });

  it('keeps what another window wrote after it was read here', async () => {
    const other = kit.otherRules('another window');
    await other.add({ tool: 'a' }, 'everywhere', 's', undefined);
    await kit.rules.list('s', undefined);
    await other.add({ tool: 'b' }, 'everywhere', 's', undefined);
    await kit.rules.add({ tool: 'c' }, 'everywhere', 's', undefined);
    expect((await stored()).rules).toEqual({ '*': [{ tool: 'a' }, { tool: 'b' }, { tool: 'c' }] });
  });

  it("counts another window's rules at once", async () => {
    const other = kit.otherRules('another window');
    expect(await kit.rules.list('s', kit.project)).toEqual([]);
    await other.add({ tool: 'exec', exact: 'npm test' }, 'workspace', 's', kit.project);
    expect((await kit.exec('npm test')).kind).toBe('allow');
  });

  it('says so when another window holds the file for too long, and keeps nothing', async () => {
    const { home, kit: busy } = { home: kit.home, kit };
    const held = busy.otherRules('holder');
    const leases = (held as unknown as { deps: { leases: { acquire(name: string): Promise<unknown> } } }).deps.leases;
    await leases.acquire('approvals');
    await expect(kit.rules.add({ tool: 'y' }, 'everywhere', 's', undefined)).rejects.toThrow(
      `another window is writing ${join(home, '.nanobot', 'approvals.json')}`,
    );
    await expect(stored()).rejects.toThrow('ENOENT');
  });
});
