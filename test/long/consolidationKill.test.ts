import { it } from 'vitest';
import { killConsolidationAtRandom } from '../support/consolidationKills.js';

it('200 random kills of a consolidation lose no fact and note none twice', async () => {
  const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
  console.log(`random kills with KILL_SEED=${String(seed)}`);
  await killConsolidationAtRandom(Number(process.env['KILLS'] ?? 200), seed);
});
