import { it } from 'vitest';
import { TEN_CALLS } from '../support/killScript.js';
import { killAtRandom } from '../support/killProcess.js';

it('200 random kills of a turn with ten calls lose nothing that was shown and repeat no finished call', async () => {
  const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
  console.log(`random kills with KILL_SEED=${String(seed)}`);
  await killAtRandom(TEN_CALLS, Number(process.env['KILLS'] ?? 200), seed);
});
