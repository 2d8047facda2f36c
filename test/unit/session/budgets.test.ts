import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import type { Files } from '../../../src/platform/ports.js';
import { SLICE_BYTES } from '../../../src/session/lines.js';
import { faultyFiles } from '../../support/faultyFiles.js';
import { tempHome } from '../../support/tempHome.js';
import { assistant, given, openStore, pythonMetadata, sessionPath, user } from './setup.js';

const TEXT = 'x'.repeat(2_000);

async function longSession(home: string, messages: number): Promise<void> {
  const line = (n: number) => `{"role":"user","content":"${TEXT}","timestamp":"2026-03-01T10:00:00","id":"m${n}"}\n`;
  await given(
    sessionPath(home, 'a_b'),
    `${pythonMetadata('a:b')}\n${Array.from({ length: messages }, (_, n) => line(n)).join('')}`,
  );
}

describe('what saving costs', () => {
  it('1,000 messages of 2 KB are at most 2.5 MB and one write each', async () => {
    const { home } = await tempHome();
    const files = faultyFiles(nodeFiles());
    const session = await openStore(home, { files }).store.open('a:b');
    for (let n = 0; n < 1_000; n += 1) await session.append([n % 2 === 0 ? user(TEXT) : assistant(TEXT)]);
    expect(files.written()).toBeLessThanOrEqual(2_500_000);
    const kinds = files.steps.map((step) => step.split(' ')[0]);
    expect(kinds).toEqual(['createExclusive', 'createExclusive', ...Array.from({ length: 999 }, () => 'append')]);
  });

  it('a turn of k messages is one write of k lines, as long at 10,000 messages as at none', async () => {
    const { home } = await tempHome();
    await longSession(home, 10_000);
    const files = faultyFiles(nodeFiles());
    const session = await openStore(home, { files }).store.open('a:b');
    await session.acquire();
    const before = { steps: files.steps.length, written: files.written() };
    await session.append([user('q'), assistant('a')]);
    expect(files.steps.length - before.steps).toBe(1);
    expect(files.written() - before.written).toBeLessThan(400);
  });
});

describe('what opening costs', () => {
  it('reads 10,000 messages in slices of 128 KB, each a turn of the event loop of its own', async () => {
    expect(SLICE_BYTES).toBe(128 * 1024);
    const { home } = await tempHome();
    await longSession(home, 10_000);
    const files = nodeFiles();
    let slices = 0;
    let largest = 0;
    let turns = 0;
    const counted: Files = {
      ...files,
      readRange: (path, offset, length) => {
        slices += 1;
        largest = Math.max(largest, length);
        return files.readRange(path, offset, length);
      },
    };
    let opening = true;
    const turn = () => {
      turns += 1;
      if (opening) setImmediate(turn);
    };
    setImmediate(turn);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const session = await openStore(home, { files: counted }).store.open('a:b');
    delay.disable();
    opening = false;
    expect(session.messages).toHaveLength(10_000);
    expect(largest).toBeLessThanOrEqual(SLICE_BYTES);
    expect(turns).toBeGreaterThanOrEqual(slices);
    // Times are noise on a shared machine: the middle is asserted generously, the slices are what is guaranteed.
    expect(delay.percentile(50) / 1e6).toBeLessThan(10);
  });
});
