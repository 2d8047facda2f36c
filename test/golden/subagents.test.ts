import { describe, expect, it } from 'vitest';
import { expectGolden, subagentTranscriptOf } from '../support/golden.js';
import { served } from '../support/served.js';
import { cardsOf, cardWhen, latch, scripts, spawnCall } from '../support/subagents.js';

const spawned = { toolCalls: [spawnCall('List the teas in notes.md.', { label: 'tea reader' })] };
const read = { toolCalls: [{ name: 'read_file', args: { path: 'notes.md' } }] };
const files = { 'notes.md': 'Assam, Sencha and Oolong.\n' };

const idsOf = async (lab: Parameters<typeof cardsOf>[0]) => (await cardsOf(lab)).map(({ id }) => id);

describe('subagents', () => {
  it('bring a result back', async () => {
    const hold = latch();
    const { lab, server } = await served(
      scripts([spawned, { text: 'It reads.' }, { text: 'Three teas.' }], async (_, n) => {
        if (n === 0) return read;
        await hold.wait;
        return { text: 'Three: Assam, Sencha, Oolong.' };
      }),
      { files },
    );
    await lab.say('which teas are there?');
    const end = lab.event('turn_end');
    hold.open();
    await end;
    await lab.app.loop.idle(lab.session);
    expectGolden('subagent-result', subagentTranscriptOf(lab, server, await idsOf(lab)));
  });

  it('bring a failure back', async () => {
    const hold = latch();
    const { lab, server } = await served(
      scripts([spawned, { text: 'It reads.' }, { text: 'It could not be read.' }], async () => {
        await hold.wait;
        return { status: 401, body: { error: { message: 'invalid key' } } };
      }),
    );
    await lab.say('which teas are there?');
    const end = lab.event('turn_end');
    hold.open();
    await end;
    await lab.app.loop.idle(lab.session);
    expectGolden('subagent-failure', subagentTranscriptOf(lab, server, await idsOf(lab)));
  });

  it('are stopped, and nothing comes of them', async () => {
    const { lab, server } = await served(
      scripts([spawned, { text: 'It reads.' }], (_, n) => (n === 0 ? read : { text: 'Slowly', stall: 1 })),
      { files },
    );
    const begun = lab.event('subagent', ({ steps }) => steps === 2);
    await lab.say('which teas are there?');
    await begun;
    const stopped = cardWhen(lab, 'stopped');
    lab.publish('/stop');
    await stopped;
    await lab.app.subagents.settled(lab.session);
    expectGolden('subagent-cancel', subagentTranscriptOf(lab, server, await idsOf(lab)));
  });

  it('wait for their turn behind four others', async () => {
    const calls = Array.from({ length: 5 }, (_, n) => ({ toolCalls: [spawnCall(`task ${String(n)}`)] }));
    const { lab, server } = await served(
      scripts([...calls, { text: 'All five are at it.' }], () => ({ text: 'Slowly', stall: 1 })),
    );
    await lab.say('do five things');
    const ids = await idsOf(lab);
    const fifth = lab.event('subagent', ({ label, steps }) => label === 'task 4' && steps === 1);
    lab.app.subagents.stop(ids[0] ?? '');
    await fifth;
    expect((await cardsOf(lab)).map(({ status }) => status)).toEqual(['stopped', ...Array<string>(4).fill('running')]);
    expectGolden('subagent-queue', subagentTranscriptOf(lab, server, []));
  });

  it('are interrupted with their window, and go on with Resume', async () => {
    const first = await served(
      scripts([spawned, { text: 'It reads.' }], (_, n) => (n === 0 ? read : { text: 'Slowly', stall: 1 })),
      { files },
    );
    const second = first.lab.event('subagent', ({ steps }) => steps === 2);
    await first.lab.say('which teas are there?');
    await second;
    await first.lab.close();
    const { lab, server } = await served(
      scripts([{ text: 'Three teas.' }], () => ({ text: 'Three: Assam, Sencha, Oolong.' })),
      { root: first.lab.root },
    );
    const ids = await idsOf(lab);
    expect((await cardsOf(lab))[0]?.status).toBe('interrupted');
    const end = lab.event('turn_end');
    await lab.app.subagents.resume(ids[0] ?? '');
    await end;
    await lab.app.loop.idle(lab.session);
    expectGolden('subagent-reload', subagentTranscriptOf(lab, server, ids));
  });
});
