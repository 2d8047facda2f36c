import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { nodeIdentity } from '../../../src/platform/nodeIdentity.js';
import { textOf } from '../../../src/protocol/message.js';
import type { AppLab } from '../../support/appLab.js';
import { faultyFiles, type Fault } from '../../support/faultyFiles.js';
import type { ModelRequestSeen, Reply } from '../../support/modelServer.js';
import { expectPaired, served } from '../../support/served.js';
import { cardsOf, isSubagents, spawnCall, transcriptMessages } from '../../support/subagents.js';

/** What the model says goes by what it has before it, so that it says the same whenever it is asked again. */
function script(request: ModelRequestSeen): Reply {
  const said = JSON.stringify(request.body.messages.slice(isSubagents(request) ? 1 : 0));
  const hasRead = said.includes('"role":"tool"');
  if (isSubagents(request))
    return hasRead ? { text: 'It says alpha.' } : { toolCalls: [{ name: 'read_file', args: { path: 'a.txt' } }] };
  if (said.includes('It says alpha.')) return { text: 'Alpha, then.' };
  return hasRead ? { text: 'Somebody looks.' } : { toolCalls: [spawnCall('Read a.txt.', { label: 'reader' })] };
}

/** A conversation with a subagent over files that die, or become full, at one write step. */
async function lifeOf(fault?: Fault) {
  const files = faultyFiles(nodeFiles(), fault);
  // No process has this number, so the next one finds the holder of the lease dead.
  const gone = { ...nodeIdentity(), pid: 2 ** 30 };
  const { lab } = await served(script, { files: { 'a.txt': 'alpha' }, ports: { files, processes: gone } });
  lab.publish('What does a.txt say?');
  await quiet(lab);
  return { files, lab };
}

async function quiet(lab: AppLab): Promise<void> {
  await lab.app.loop.idle(lab.session);
  await lab.app.subagents.settled(lab.session);
  await lab.app.loop.idle(lab.session);
}

/** What the next window finds and a person can do there: go on with the turn, and with the subagent. */
async function expectRecovered(root: string, shown: boolean, where: string): Promise<void> {
  const { lab, server } = await served(script, { root });
  const cards = await cardsOf(lab);
  expect(cards.length, where).toBeGreaterThanOrEqual(shown ? 1 : 0);
  expect(
    cards.filter(({ status }) => status !== 'interrupted' && status !== 'done'),
    where,
  ).toEqual([]);
  for (const { id } of cards.filter(({ status }) => status === 'interrupted')) await lab.app.subagents.resume(id);
  await quiet(lab);
  await lab.app.loop.resume(lab.session, { channel: 'vscode' });
  await quiet(lab);
  for (const { id, status } of await cardsOf(lab)) {
    expect(status, where).toBe('done');
    const told = lab.stored().filter(({ sender }) => sender?.kind === 'subagent' && sender.id === id);
    expect(told.length, where).toBe(1);
    const reads = transcriptMessages(lab, id).filter((message) => textOf(message.content).includes('1| alpha'));
    expect(reads.length, where).toBeLessThanOrEqual(1);
  }
  expectPaired(server);
  await lab.close();
}

describe('a process with a subagent that is killed, or whose disk becomes full', () => {
  it('at any write step leaves a subagent that can be gone on with, and its result arrives once', async () => {
    const { files, lab } = await lifeOf();
    const { steps } = files;
    await lab.close();
    expect(steps.filter((step) => step.startsWith('append')).length).toBeGreaterThan(10);
    for (const [at, step] of steps.entries()) {
      for (const kind of ['kill', 'full'] as const) {
        for (const done of ['nothing', 'all'] as const) {
          if (kind === 'full' && done === 'all') continue;
          const where = `${kind} at step ${String(at)} (${step}), ${done} done`;
          const cut = await lifeOf({ at, kind, done });
          const shown = cut.lab.events.some((event) => event.type === 'subagent');
          await cut.lab.close().catch(() => undefined);
          await expectRecovered(cut.lab.root, shown, where);
        }
      }
    }
  }, 120_000);
});
