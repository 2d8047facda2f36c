import { it } from 'vitest';
import { killDreamAtRandom } from '../support/dreamKills.js';

it('200 random kills of a Dream lose no entry and learn none twice', async () => {
  const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
  console.log(`random kills of a Dream with KILL_SEED=${String(seed)}`);
  await killDreamAtRandom(Number(process.env['KILLS'] ?? 200), seed);
});
