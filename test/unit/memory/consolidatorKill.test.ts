import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { nodeIdentity } from '../../../src/platform/nodeIdentity.js';
import { consolidationLab } from '../../support/consolidation.js';
import { expectWhole, homeWithLongChat, killConsolidationAtRandom } from '../../support/consolidationKills.js';
import { answers, fit, LIVES, type Life } from '../../support/consolidationLives.js';
import { faultyFiles, type Fault } from '../../support/faultyFiles.js';

/** No process has this number, so the next one finds the holder of the lease dead. */
const GONE = { ...nodeIdentity(), pid: 2 ** 30 };

/** Lives one life over files that die at one write step; the steps of the life, and how many there were before it. */
async function live(home: string, life: Life, fault?: Fault): Promise<{ steps: string[]; before: number }> {
  const files = faultyFiles(nodeFiles(), fault);
  const lab = await consolidationLab(home, { answers, files, processes: GONE });
  const before = files.steps.length;
  const ended = life(lab);
  if (fault) await ended.catch(() => undefined);
  else await ended;
  const steps = files.steps.slice(before);
  await lab.close().catch(() => undefined);
  return { steps, before };
}

describe('a process that is killed while it consolidates', () => {
  it.each(Object.keys(LIVES))(
    'at any write step of %s loses nothing and notes nothing twice',
    async (name) => {
      const life = LIVES[name] ?? fit;
      const whole = await homeWithLongChat();
      const { steps, before } = await live(whole, life);
      await expectWhole(whole, `${name}, not killed`);
      expect(steps.filter((step) => step.includes('history.jsonl')).length).toBeGreaterThan(0);
      for (const [at, step] of steps.entries()) {
        // Half of a step that is atomic is nothing.
        const halves = step.startsWith('append') ? (['half'] as const) : [];
        for (const done of ['nothing', ...halves, 'all'] as const) {
          const home = await homeWithLongChat();
          await live(home, life, { at: before + at, kind: 'kill', done });
          await expectWhole(home, `${name}, killed at step ${String(at)} (${step}), ${done} done`);
        }
      }
    },
    60_000,
  );

  it('or whose disk is full at any write step goes on when there is room', async () => {
    const whole = await homeWithLongChat();
    const { steps, before } = await live(whole, fit);
    for (const [at, step] of steps.entries()) {
      const home = await homeWithLongChat();
      await live(home, fit, { at: before + at, kind: 'full', done: 'half' });
      await expectWhole(home, `full at step ${String(at)} (${step})`);
    }
  }, 60_000);

  it('at 6 random moments loses nothing and notes nothing twice', async () => {
    const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
    console.log(`random kills with KILL_SEED=${String(seed)}`);
    await killConsolidationAtRandom(6, seed);
  }, 120_000);
});
