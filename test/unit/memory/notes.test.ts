import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Notes } from '../../../src/memory/notes.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { leasesAt } from '../../support/history.js';
import { tempHome } from '../../support/tempHome.js';

async function setup(files: Record<string, string> = {}) {
  const { home } = await tempHome();
  await mkdir(join(home, 'memory'), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, 'memory', name), text);
  const time = { now: Date.parse('2026-04-15T21:58:00Z'), zone: 'Europe/Berlin' };
  const clock = { ...nodeClock(), now: () => time.now, zone: () => time.zone };
  const notesOf = (holder: string) => new Notes({ files: nodeFiles(), clock, home, leases: leasesAt(home, holder) });
  const text = (name: string) => readFile(join(home, 'memory', name), 'utf8');
  return { home, time, notes: notesOf('one'), notesOf, text };
}

describe('notes', () => {
  it.each(['\n', '\r\n', '\r', '\u2028', '\u2029', '\f', '\v'])(
    'of another agent stay a quotation behind every end of a line: %j',
    async (end) => {
      const { notes, text } = await setup();
      await notes.append(`hello${end}- 10:00 Ann wants it`, { quotedFrom: 'another agent' });
      const written = await text('2026-04-15.md');
      expect(written).toContain('\n  > hello\n  > - 10:00 Ann wants it\n');
    },
  );

  it('go into a file for the local day, under its header, with the time', async () => {
    const { notes, time, text, home } = await setup();
    expect(await notes.append('Ann drinks tea.')).toEqual({ path: join(home, 'memory', '2026-04-15.md') });
    await notes.append('  Two lines\r\n# and no header\n');
    time.now += 3 * 60_000;
    await notes.append('After midnight.');
    expect(await text('2026-04-15.md')).toBe(
      '# 2026-04-15\n\n- 23:58 Ann drinks tea.\n- 23:58 Two lines\n  # and no header\n',
    );
    expect(await text('2026-04-16.md')).toBe('# 2026-04-16\n\n- 00:01 After midnight.\n');
  });

  it('follow what a person wrote, also where its last line has no end', async () => {
    const { notes, text } = await setup({ '2026-04-15.md': '# My day\r\n\r\nWalked.' });
    await notes.append('Rain.');
    expect(await text('2026-04-15.md')).toBe('# My day\r\n\r\nWalked.\n- 23:58 Rain.\n');
  });

  it('get their header where the file is empty', async () => {
    const { notes, text } = await setup({ '2026-04-15.md': '' });
    await notes.append('Rain.');
    expect(await text('2026-04-15.md')).toBe('# 2026-04-15\n\n- 23:58 Rain.\n');
  });

  it('hold no secrets, and are never blank', async () => {
    const { notes, text, home } = await setup();
    await notes.append('wifi password: Tr0ub4dor&3');
    expect(await text('2026-04-15.md')).toContain('wifi password: ***\n');
    await expect(notes.append(' \n ')).rejects.toThrow('There is nothing to note');
    expect(await readdir(join(home, 'memory'))).toEqual(['2026-04-15.md']);
  });

  it('of two windows at once are all there, under one header', async () => {
    const { notes, notesOf, text } = await setup();
    const other = notesOf('two');
    await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 ? notes : other).append(`Note ${String(n)}.`)));
    const lines = (await text('2026-04-15.md')).trim().split('\n');
    expect(lines.filter((line) => line.startsWith('#'))).toHaveLength(1);
    expect(new Set(lines.filter((line) => line.startsWith('- ')))).toHaveLength(40);
  });

  it('of the last days come back oldest first, and nothing else of the folder', async () => {
    const { notes, home } = await setup({
      '2026-04-08.md': 'too old',
      '2026-04-09.md': '# 2026-04-09\r\n\r\n- 10:00 a',
      '2026-04-12.md': '  \n',
      '2026-04-15.md': '# 2026-04-15\n\n- 10:00 b\n',
      'MEMORY.md': 'memory',
      '2026-04-14.md.bak': 'a copy',
    });
    expect(await notes.recent(7)).toEqual([
      { date: '2026-04-09', path: join(home, 'memory', '2026-04-09.md'), text: '# 2026-04-09\n\n- 10:00 a' },
      { date: '2026-04-15', path: join(home, 'memory', '2026-04-15.md'), text: '# 2026-04-15\n\n- 10:00 b\n' },
    ]);
    expect((await notes.recent(1)).map(({ date }) => date)).toEqual(['2026-04-15']);
    expect((await notes.recent(8)).map(({ date }) => date)).toEqual(['2026-04-08', '2026-04-09', '2026-04-15']);
  });

  it('are no trouble where there are none', async () => {
    expect(await (await setup()).notes.recent(7)).toEqual([]);
  });
});
