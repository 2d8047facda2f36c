import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SessionRow } from '../../../src/protocol/wire.js';
import { appLab } from '../../support/appLab.js';

function given(home: string, key: string, metadata: Record<string, unknown>, said = 'Hello'): void {
  mkdirSync(join(home, 'sessions'), { recursive: true });
  const time = '2026-11-01T10:00:00.000Z';
  const lines = [
    { _type: 'metadata', key, created_at: time, updated_at: time, metadata, last_consolidated: 0 },
    { role: 'user', content: said, timestamp: time, id: 'a' },
    { role: 'assistant', content: 'Yes.', timestamp: time, id: 'b' },
  ];
  const name = key.replace(':', '_');
  writeFileSync(join(home, 'sessions', `${name}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

it('a chat that begins here knows its folder, and others are told from it', async () => {
  const lab = await appLab();
  given(lab.home, 'vscode:other', { title: 'Other', workspace: '/work/other-app' });
  given(lab.home, 'vscode:old', { title: 'Old' });
  await lab.say('What can you do?');
  const rows = await lab.app.listSessions('');
  expect(rows.find(({ key }) => key === lab.session)).toMatchObject({ here: true, title: 'What can you do?' });
  const other = rows.find(({ key }) => key === 'vscode:other');
  expect(other?.project).toBe('other-app');
  expect(other?.here).toBeUndefined();
  expect(rows.find(({ key }) => key === 'vscode:old')).not.toHaveProperty('project');
});

it('finds titles by some of their letters and texts by their words, the titles first', async () => {
  const lab = await appLab();
  given(lab.home, 'vscode:a', { title: 'Refactor the payment module' });
  given(lab.home, 'vscode:b', { title: 'Deploy' }, 'The refpay of  yesterday');
  given(lab.home, 'vscode:c', { title: 'Really every far-off thing in a row, paid and yet' });
  const early: SessionRow[][] = [];
  const rows = await lab.app.listSessions('refpay', { byTitle: (found) => early.push(found) });
  expect(early.map((found) => found.map(({ key }) => key))).toEqual([['vscode:a']]);
  expect(rows.map(({ key }) => key)).toEqual(['vscode:a', 'vscode:b']);
  expect(rows[0]?.titleMarks).toEqual([
    [0, 3],
    [13, 16],
  ]);
  expect(rows[1]).toMatchObject({ match: 'The refpay of yesterday', matchMarks: [[4, 10]] });
});

it('a search that is no longer wanted ends', async () => {
  const lab = await appLab();
  given(lab.home, 'vscode:a', { title: 'A' });
  await expect(lab.app.listSessions('x', { signal: AbortSignal.abort(new Error('typed on')) })).rejects.toThrow(
    'typed on',
  );
});

it('a pin is kept in the session, and its lease is left as it was', async () => {
  const lab = await appLab();
  given(lab.home, 'vscode:a', { title: 'A', theirs: 1 });
  await lab.app.pinSession('vscode:a', true);
  expect((await lab.app.listSessions(''))[0]).toMatchObject({ key: 'vscode:a', pinned: true, busy: false });
  expect(lab.app.sessions.leases.holds('vscode_a')).toBe(false);
  expect((await lab.app.sessions.open('vscode:a')).metadata.metadata).toMatchObject({ theirs: 1, pinned: true });
  await lab.app.pinSession('vscode:a', false);
  expect((await lab.app.listSessions(''))[0]).not.toHaveProperty('pinned');
});

it('lists and searches a thousand chats quickly', async () => {
  const lab = await appLab();
  for (let n = 0; n < 1000; n++) given(lab.home, `vscode:${String(n)}`, { title: `Chat number ${String(n)}` });
  await lab.app.listSessions('');
  const before = performance.now();
  expect(await lab.app.listSessions('')).toHaveLength(1000);
  const early = await new Promise<number>((resolve) => {
    void lab.app.listSessions('numb 77', { byTitle: (rows) => resolve(rows.length) });
  });
  expect(early).toBeGreaterThan(5);
  // Far above what it takes, and far below what a second reading of every file would.
  expect(performance.now() - before).toBeLessThan(3_000);
});
