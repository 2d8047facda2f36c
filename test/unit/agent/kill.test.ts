import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { nodeIdentity } from '../../../src/platform/nodeIdentity.js';
import { appLab } from '../../support/appLab.js';
import { faultyFiles, type Fault } from '../../support/faultyFiles.js';
import { killAtRandom } from '../../support/killProcess.js';
import { KILL_FILES, scripted, TWO_TURNS } from '../../support/killScript.js';
import { expectSurvived } from '../../support/kills.js';
import { modelSettings } from '../../support/modelSettings.js';
import { startModelServer } from '../../support/modelServer.js';

/** Two turns over files that die at one write step. */
async function turns(fault?: Fault) {
  const server = await startModelServer(scripted(TWO_TURNS));
  onTestFinished(() => server.close());
  const files = faultyFiles(nodeFiles(), fault);
  // No process has this number, so the next one finds the holder of the lease dead.
  const gone = { ...nodeIdentity(), pid: 2 ** 30 };
  const lab = await appLab({ files: KILL_FILES, ...modelSettings(server), ports: { files, processes: gone } });
  for (const word of Object.keys(TWO_TURNS)) {
    lab.publish(word);
    await lab.app.loop.idle(lab.session);
  }
  return { server, files, lab };
}

describe('a process that is killed', () => {
  it('at any write step loses nothing it has shown, and repeats no finished call', async () => {
    const { files, lab } = await turns();
    const { steps } = files;
    await lab.close();
    expect(steps.filter((step) => step.startsWith('append')).length).toBeGreaterThan(8);
    for (const [at, step] of steps.entries()) {
      for (const done of ['nothing', 'half', 'all'] as const) {
        const killed = await turns({ at, kind: 'kill', done });
        const where = `killed at step ${String(at)} (${step}), ${done} done`;
        const seen = [...killed.lab.events];
        await killed.lab.close().catch(() => undefined);
        await expectSurvived(killed.lab.root, seen, killed.server, where);
      }
    }
  }, 60_000);

  it('at 25 random moments loses nothing it has shown, and repeats no finished call', async () => {
    const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
    console.log(`random kills with KILL_SEED=${String(seed)}`);
    await killAtRandom(TWO_TURNS, 25, seed);
  }, 120_000);
});
