import { expect, it } from 'vitest';
import { bundleGitWorker, cutOffFiles, killGitAtRandom } from '../unit/memory/gitKillKit.js';

const seed = () => {
  const chosen = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
  console.log(`damage to the memory's history with KILL_SEED=${String(chosen)}`);
  return chosen;
};

it('200 kills of a process that commits and restores lose nothing it told of', async () => {
  const worker = await bundleGitWorker();
  try {
    await killGitAtRandom(worker.path, Number(process.env['KILLS'] ?? 200), seed());
  } finally {
    await worker.remove();
  }
});

it('200 files of the history that were cut off never keep memory from going on', async () => {
  await cutOffFiles(Number(process.env['KILLS'] ?? 200), seed());
  expect.hasAssertions();
});
