import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import type { Session } from '../../../src/session/session.js';
import { type Fault, faultyFiles } from '../../support/faultyFiles.js';
import { tempHome } from '../../support/tempHome.js';
import { assistant, ManualClock, openStore, processes, result, user } from './setup.js';

/** A turn with two calls, then so much metadata that the file is compacted, then one more message. */
const STEPS: ((session: Session) => Promise<unknown>)[] = [
  (session) => session.append([user('do it', { id: 'u1' })], { flush: true }),
  (session) => session.append([{ ...assistant('let me', ['a', 'b']), id: 'a1' }], { flush: true }),
  (session) => session.append([{ ...result('a'), id: 'r1' }], { flush: true }),
  (session) => session.append([{ ...result('b'), id: 'r2' }], { flush: true }),
  ...Array.from({ length: 15 }, (_, n) => (session: Session) => session.setMetadata({ n })),
  (session) => session.append([{ ...assistant('done'), id: 'a2' }], { flush: true }),
];
const IDS = [['u1'], ['a1'], ['r1'], ['r2'], ...Array.from({ length: 15 }, () => []), ['a2']];

interface Outcome {
  home: string;
  clock: ManualClock;
  steps: string[];
  acknowledged: string[];
  metadata: number;
  memory: (string | undefined)[];
}

/** Runs the steps with a fault; a step that throws is not acknowledged, and after a kill all throw. */
async function run(fault?: Fault): Promise<Outcome> {
  const { home } = await tempHome();
  const clock = new ManualClock();
  const files = faultyFiles(nodeFiles(), fault);
  const { store } = openStore(home, { files, clock, holder: 'killed', processes: processes(1) });
  const session = await store.open('cli:direct');
  const acknowledged: string[] = [];
  let metadata = -1;
  for (const [n, step] of STEPS.entries()) {
    try {
      await step(session);
      acknowledged.push(...(IDS[n] ?? []));
      if (n >= 4 && n < 19) metadata = n - 4;
    } catch {
      // Not acknowledged: the loop told the person that it was not saved.
    }
  }
  return { home, clock, steps: files.steps, acknowledged, metadata, memory: session.messages.map(({ id }) => id) };
}

/** Opens the home as the process after the crash does, takes the lease, and reads the file as any other program would. */
async function afterwards({ home, clock }: Outcome) {
  const { store, notices } = openStore(home, { clock, holder: 'next', processes: processes(2, [1]) });
  const session = await store.open('cli:direct');
  expect(await session.acquire()).toBe('held');
  const text = await readFile(session.path, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  for (const line of lines) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
  expect(session.messages).toHaveLength(lines.filter((line) => !line.includes('"_type"')).length);
  await session.append([user('after', { id: 'after' })]);
  return { session, notices, ids: session.messages.map(({ id }) => id) };
}

describe('a process killed at any write step', () => {
  it('has the steps that are expected, compaction among them', async () => {
    const { steps } = await run();
    const kinds = steps.map((step) => `${step.split(' ')[0] ?? ''} ${/\.(jsonl|lock)$/.exec(step)?.[0] ?? ''}`);
    expect(kinds.slice(0, 5)).toEqual([
      'createExclusive .lock',
      'createExclusive .jsonl',
      'append .jsonl',
      'append .jsonl',
      'append .jsonl',
    ]);
    expect(kinds.filter((kind) => kind === 'writeAtomic .jsonl')).toHaveLength(1);
  });

  it('loses nothing that was acknowledged, and leaves every line readable', async () => {
    const { steps } = await run();
    for (let at = 0; at < steps.length; at += 1) {
      for (const done of ['nothing', 'half', 'all'] as const) {
        const outcome = await run({ at, kind: 'kill', done });
        const { ids, session } = await afterwards(outcome);
        const where = `killed at step ${String(at)} (${steps[at] ?? ''}), ${done} done`;
        expect(ids.slice(0, outcome.acknowledged.length), where).toEqual(outcome.acknowledged);
        expect(ids.length - outcome.acknowledged.length, where).toBeLessThanOrEqual(2);
        if (outcome.metadata >= 0) {
          expect(session.metadata.metadata['n'], where).toBeGreaterThanOrEqual(outcome.metadata);
        }
      }
    }
  });

  it('repeats no finished call: what is missing after a kill is exactly what was not acknowledged', async () => {
    const outcome = await run({ at: 4, kind: 'kill', done: 'half' });
    const { store, notices } = openStore(outcome.home, {
      clock: outcome.clock,
      holder: 'next',
      processes: processes(2, [1]),
    });
    const session = await store.open('cli:direct');
    expect(outcome.acknowledged).toEqual(['u1', 'a1', 'r1']);
    expect(session.interruption()).toMatchObject({ kind: 'calls', missing: [{ id: 'b' }] });
    expect(notices).toEqual([expect.stringContaining('line 5 could not be read')]);
  });
});

describe('a disk that is full at any write step', () => {
  it('keeps what was acknowledged, keeps list and file equal, and goes on when there is room again', async () => {
    const { steps } = await run();
    for (let at = 0; at < steps.length; at += 1) {
      for (const done of ['nothing', 'half', 'all'] as const) {
        const outcome = await run({ at, kind: 'fail', done });
        const where = `failed at step ${String(at)} (${steps[at] ?? ''}), ${done} done`;
        expect(outcome.memory, where).toEqual(expect.arrayContaining(outcome.acknowledged));
        const { ids } = await afterwards(outcome);
        expect(ids.slice(0, -1), where).toEqual(outcome.memory);
      }
    }
  });
});
