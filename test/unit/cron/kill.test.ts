import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { buildCronWorker, cronRound, twice } from '../../support/cronKills.js';

it('three processes on one home, one of them killed at a random moment, run each due time at most once and go on: 20 rounds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nanobot-cron-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const worker = await buildCronWorker(folder);
  for (let round = 0; round < 20; round++) {
    const { ran, jobs } = await cronRound(worker, join(folder, String(round)), Math.random);
    expect(twice(ran), `round ${String(round)}`).toEqual([]);
    expect((jobs as { jobs: unknown[] }).jobs).toHaveLength(3);
  }
}, 240_000);
