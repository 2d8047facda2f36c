import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HistoryFile } from '../../../src/memory/history.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { faultyFiles, type Fault } from '../../support/faultyFiles.js';
import { historyAt, leasesAt } from '../../support/history.js';
import { tempHome } from '../../support/tempHome.js';

const DONE: Fault['done'][] = ['nothing', 'half', 'all'];
const line = (cursor: number) => `${JSON.stringify({ cursor, timestamp: '', content: `- old ${String(cursor)}` })}\n`;
const processes = (pid: number, dead: number[] = []) => ({
  pid,
  host: 'here',
  alive: (other: number) => !dead.includes(other),
});

/** Runs the work again and again, killed at each of its write steps in turn, and lets `check` look at what is left. */
async function killEverywhere(
  prepare: (home: string) => Promise<void>,
  work: (history: HistoryFile, acknowledged: string[]) => Promise<unknown>,
  check: (home: string, history: HistoryFile, acknowledged: string[], where: string) => Promise<void>,
): Promise<void> {
  let all = 1;
  for (let at = 0; at < all; at += 1) {
    for (const done of DONE) {
      const { home } = await tempHome();
      await prepare(home);
      const files = faultyFiles(nodeFiles(), { at, kind: 'kill', done });
      const leases = leasesAt(home, 'victim', { files, processes: processes(1) });
      const acknowledged: string[] = [];
      const { history } = historyAt(home, { files, leases });
      await work(history, acknowledged).catch(() => undefined);
      await leases.dispose().catch(() => undefined);
      // The first rounds find out how many steps there are: a life without a fault goes through all of them.
      if (at === 0 && done === 'nothing') all = await stepsOf(prepare, work);
      const where = `killed at ${files.steps.at(-1) ?? ''} (${String(at)} of ${String(all)}, ${done} of it done)`;
      const heir = historyAt(home, { leases: leasesAt(home, 'heir', { processes: processes(2, [1]) }) });
      await check(home, heir.history, acknowledged, where);
    }
  }
  expect(all).toBeGreaterThan(5);
}

async function stepsOf(
  prepare: (home: string) => Promise<void>,
  work: (history: HistoryFile, acknowledged: string[]) => Promise<unknown>,
): Promise<number> {
  const { home } = await tempHome();
  await prepare(home);
  const files = faultyFiles(nodeFiles());
  const leases = leasesAt(home, 'whole', { files });
  await work(historyAt(home, { files, leases }).history, []);
  await leases.dispose();
  return files.steps.length;
}

async function expectSound(history: HistoryFile, acknowledged: string[], where: string): Promise<void> {
  const [next] = await history.append([{ content: 'next' }]);
  const entries = await history.after(-1, 10_000);
  expect(entries.at(-1), where).toEqual(next);
  expect(
    entries.every(({ cursor }, at) => at === 0 || cursor > (entries[at - 1]?.cursor ?? 0)),
    where,
  ).toBe(true);
  const contents = entries.map(({ content }) => content);
  for (const content of acknowledged)
    expect(
      contents.filter((one) => one === content),
      where,
    ).toHaveLength(1);
  expect((await history.after(await history.dreamCursor(), 10_000)).at(-1), where).toEqual(next);
}

describe('killed at every write step', () => {
  it('of appending, nothing acknowledged is lost and no cursor comes twice', async () => {
    await killEverywhere(
      async (home) => {
        await mkdir(join(home, 'memory'), { recursive: true });
        await writeFile(join(home, 'memory', 'history.jsonl'), line(1) + line(2));
      },
      async (history, acknowledged) => {
        for (const content of ['a', 'b']) {
          await history.append([{ content }, { content: `${content}${content}` }]);
          acknowledged.push(content, `${content}${content}`);
        }
        await history.setDreamCursor(3);
      },
      async (_home, history, acknowledged, where) => {
        await expectSound(history, ['- old 1', '- old 2', ...acknowledged], where);
        expect([0, 3], where).toContain(await history.dreamCursor());
      },
    );
  }, 30_000);

  it('of taking over HISTORY.md, each of its entries is there once and counts as read', async () => {
    await killEverywhere(
      async (home) => {
        await mkdir(join(home, 'memory'), { recursive: true });
        await writeFile(join(home, 'memory', 'HISTORY.md'), '[2026-01-01 10:00] one\n\n[2026-01-02 10:00] two\n');
      },
      async (history) => {
        await history.migrate();
        await history.append([{ content: 'x' }]);
      },
      async (home, history, _acknowledged, where) => {
        await history.migrate();
        await expectSound(history, ['one', 'two'], where);
        expect(await history.dreamCursor(), where).toBe(2);
        const names = (await readdir(join(home, 'memory'))).filter((name) => name.startsWith('HISTORY'));
        expect(names, where).toEqual(['HISTORY.md.bak']);
      },
    );
  }, 30_000);

  it('of shortening the file, nothing that has to stay is gone', async () => {
    const broken = '{"cursor":77,"cont';
    await killEverywhere(
      async (home) => {
        await mkdir(join(home, 'memory'), { recursive: true });
        const lines = Array.from({ length: 1_250 }, (_, n) => line(n + 1));
        await writeFile(join(home, 'memory', 'history.jsonl'), `${broken}\n${lines.join('')}`);
        await writeFile(join(home, 'memory', '.dream_cursor'), '1240');
      },
      async (history, acknowledged) => {
        await history.append([{ content: 'a' }]);
        acknowledged.push('a');
      },
      async (home, history, acknowledged, where) => {
        await expectSound(history, ['- old 1241', '- old 1250', ...acknowledged], where);
        expect([1_000, 1_001], where).toContain((await history.newest(2_000)).length);
        const aside = await readFile(join(home, '.nanobot', 'quarantine', 'memory-history.jsonl'), 'utf8');
        expect(aside, where).toContain(JSON.stringify(broken));
      },
    );
  }, 30_000);
});
