import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { buildCronWorker, cronRound, twice } from '../support/cronKills.js';

it('three processes run each due time at most once, one of them killed: 200 rounds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nanobot-cron-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const worker = await buildCronWorker(folder);
  for (let round = 0; round < 200; round++) {
    const { ran } = await cronRound(worker, join(folder, String(round)), Math.random);
    expect(twice(ran), `round ${String(round)}`).toEqual([]);
  }
});
