import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../../src/memory/store.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { appLab, filesBelow } from '../../support/appLab.js';
import { fixtureHome } from '../../support/fixtureHome.js';
import { historyAt } from '../../support/history.js';

const text = (home: string, name: string) => readFile(join(home, name), 'utf8');

async function storeOf(home: string) {
  const { history, notices } = historyAt(home);
  return { history, notices, memory: new MemoryStore({ files: nodeFiles(), clock: nodeClock(), home, history }) };
}

describe("a home in nanobot's own format", () => {
  it('is read: long-term memory, history, and what Dream has not read', async () => {
    const { home } = await fixtureHome('nanobotHome');
    const { memory, history, notices } = await storeOf(home);
    await memory.createHome();
    expect(await memory.longTerm()).toContain('The staging server is called kettle.');
    expect((await memory.latest(2)).map(({ cursor }) => cursor)).toEqual([11, 12]);
    expect(await memory.recentHistory('/projects/tea-timer')).toEqual([
      { cursor: 11, timestamp: '2026-04-08 12:15', content: '- Green tea is now brewed at 75 °C in the presets.' },
      {
        cursor: 12,
        timestamp: '2026-04-09 17:30',
        content: '- Ann prefers tests before code.',
        session_key: 'telegram:4711',
      },
    ]);
    expect([await history.dreamCursor(), await history.undigested()]).toEqual([9, 2]);
    expect(notices).toEqual([]);
  });

  it('is written as nanobot writes it, and keeps every byte that was there', async () => {
    const { home } = await fixtureHome('nanobotHome');
    const before = await text(home, 'memory/history.jsonl');
    const { history } = await storeOf(home);
    await history.append([{ content: '- 茶', session_key: 'vscode:1', project: '/projects/tea-timer' }]);
    await history.setDreamCursor(11);
    const after = await text(home, 'memory/history.jsonl');
    expect(after.startsWith(before)).toBe(true);
    const added = JSON.parse(after.slice(before.length)) as Record<string, unknown>;
    expect(Object.keys(added)).toEqual(['cursor', 'timestamp', 'content', 'session_key', 'project']);
    expect(added).toMatchObject({ cursor: 13, content: '- 茶' });
    expect(added['timestamp']).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
    expect([await text(home, 'memory/.cursor'), await text(home, 'memory/.dream_cursor')]).toEqual(['13', '11']);
  });

  it('is used for a turn, and no line, field or file of its own is lost', async () => {
    const { root, home } = await fixtureHome('nanobotHome');
    const own = filesBelow(home);
    const before = new Map<string, string>();
    for (const path of own) before.set(path, await readFile(path, 'utf8'));
    const lab = await appLab({ root, session: 'cli:direct' });
    expect(await lab.say('hello again')).toMatchObject({ status: 'done' });
    await lab.close();
    for (const [path, content] of before) {
      const now = await readFile(path, 'utf8');
      if (!path.endsWith('cli_direct.jsonl')) expect(now, path).toBe(content);
      else expect(now.startsWith(content)).toBe(true);
    }
    const [first] = (await text(home, 'sessions/cli_direct.jsonl')).split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({ metadata: { theme: 'steep' }, last_consolidated: 2 });
  });

  it('of the time before history.jsonl is taken over with the first message', async () => {
    const { root, home } = await fixtureHome('nanobotLegacyHome');
    const legacy = await text(home, 'memory/HISTORY.md');
    const lab = await appLab({ root, session: 'cli:direct' });
    await lab.say('hello again');
    await lab.close();
    expect(await text(home, 'memory/HISTORY.md.bak')).toBe(legacy);
    expect((await readdir(join(home, 'memory'))).includes('HISTORY.md')).toBe(false);
    const { history } = await storeOf(home);
    expect(await history.after(0, 9)).toEqual([
      { cursor: 1, timestamp: '2025-12-29 09:00', content: 'Ann installed nanobot and said hello.' },
      {
        cursor: 2,
        timestamp: '2025-12-30 10:00',
        content: 'Talked about oolong.\n\nShe prefers it without milk.',
      },
      {
        cursor: 3,
        timestamp: '2025-12-31 23:10',
        content:
          '[RAW] 2 messages\n[2025-12-31T23:08] USER: happy new year\n[2025-12-31T23:09] ASSISTANT [tools: message]: Happy new year, Ann!',
      },
    ]);
    expect(await history.undigested()).toBe(0);
  });
});
