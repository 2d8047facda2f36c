import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { HistoryEntry } from '../../../src/memory/historyEntry.js';
import { historyAt } from '../../support/history.js';
import { seeded } from '../../support/killProcess.js';
import { tempHome } from '../../support/tempHome.js';
import { until } from '../../support/until.js';
import { REQUIRE_BANNER } from '../../support/requireBanner.js';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nanobot-worker-'));
  await build({
    entryPoints: [join(import.meta.dirname, 'history.worker.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: REQUIRE_BANNER },
    outfile: join(folder, 'history.mjs'),
    logLevel: 'error',
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Writer {
  child: ChildProcess;
  /** Lines it printed whole, without "ready" and "over". */
  acknowledged(): string[];
  said(word: string): boolean;
  ended: Promise<unknown>;
}

function writer(home: string, holder: string, plan: string, ...more: string[]): Writer {
  const child = spawn(process.execPath, [join(folder, 'history.mjs'), home, holder, plan, ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout?.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')));
  const lines = () =>
    text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean);
  return {
    child,
    acknowledged: () => lines().filter((line) => line !== 'ready' && line !== 'over'),
    said: (word) => lines().includes(word),
    ended: once(child, 'close'),
  };
}

async function stored(home: string): Promise<HistoryEntry[]> {
  const text = await readFile(join(home, 'memory', 'history.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as HistoryEntry);
}

const ascending = (list: HistoryEntry[]) =>
  list.every(({ cursor }, at) => at === 0 || cursor > (list[at - 1]?.cursor ?? 0));

describe('two processes', () => {
  it('append 10,000 entries each at once: unique, ascending, none lost', async () => {
    const { home } = await tempHome();
    const plan = '100x90x90';
    const writers = [writer(home, 'one', plan), writer(home, 'two', plan)];
    await Promise.all(writers.map(({ ended }) => ended));
    expect(writers.map(({ said }) => said('over'))).toEqual([true, true]);
    const entries = await stored(home);
    expect(entries).toHaveLength(20_000);
    expect(ascending(entries)).toBe(true);
    expect(entries.at(-1)?.cursor).toBe(20_000);
    const lines = new Set(entries.map(({ cursor, content }) => `${String(cursor)} ${content}`));
    const acknowledged = writers.flatMap((one) => one.acknowledged());
    expect(acknowledged).toHaveLength(20_000);
    expect(acknowledged.filter((line) => !lines.has(line))).toEqual([]);
    // They really took turns, and neither waited for the other's end.
    const changes = entries.filter(({ content }, at) => at > 0 && content[0] !== entries[at - 1]?.content[0]);
    expect(changes.length).toBeGreaterThan(5);
  }, 60_000);
});

describe('a process that is killed', () => {
  it('leaves every entry that it acknowledged, and the others go on at once', async () => {
    const seed = Date.now() % 100_000;
    const random = seeded(seed);
    const { home } = await tempHome();
    const acknowledged: string[] = [];
    const second = writer(home, 'steady', '4000x0x0');
    await until('the second process', () => second.acknowledged().length > 0);
    for (let round = 0; round < 6; round += 1) {
      const victim = writer(home, `victim${String(round)}`, '300x300x0', 'dream');
      await until('the victim', () => victim.acknowledged().length > 0);
      await sleep(random() * 60);
      victim.child.kill('SIGKILL');
      await victim.ended;
      acknowledged.push(...victim.acknowledged());
      const before = second.acknowledged().length;
      await until(
        'the second process to go on',
        () => second.said('over') || second.acknowledged().length > before,
        10_000,
      );
    }
    second.child.kill('SIGKILL');
    await second.ended;
    acknowledged.push(...second.acknowledged());
    const { history, notices } = historyAt(home, { holder: 'heir' });
    const [last] = await history.append([{ content: 'after all' }]);
    const entries = await history.after(-1, 100_000);
    const where = `seed ${String(seed)}`;
    expect(ascending(entries), where).toBe(true);
    expect(entries.at(-1), where).toEqual(last);
    const digested = await history.dreamCursor();
    const kept = new Set(entries.map(({ cursor, content }) => `${String(cursor)} ${content}`));
    // What Dream has read may have been dropped, beyond the newest 1,000.
    const due = acknowledged.filter((line) => Number.parseInt(line, 10) > digested);
    expect(
      due.filter((line) => !kept.has(line)),
      where,
    ).toEqual([]);
    expect(new Set(acknowledged.map((line) => Number.parseInt(line, 10))).size, where).toBe(acknowledged.length);
    expect(entries.length, where).toBeGreaterThanOrEqual(Math.min(1_000, acknowledged.length));
    expect(notices, where).toEqual([]);
  }, 60_000);
});
