import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { InboundMessage } from '../../../src/bus/bus.js';
import { appLab, type AppLab } from '../../support/appLab.js';
import { startModelServer, type Reply } from '../../support/modelServer.js';
import { expectNextTurn, expectPaired, expectSameOnDisk, served } from '../../support/served.js';
import { until } from '../../support/until.js';

/** A promise with its key. */
function held(): { promise: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
}

/** A reply that stays open until the test lets it go on. */
function heldReply(text: string, gate: Promise<unknown>): Reply {
  return { text, chunkSize: text.length, gate: (n) => (n === 2 ? gate : undefined) };
}

const userTexts = (lab: AppLab) =>
  lab
    .stored()
    .filter((message) => message.role === 'user')
    .map((message) => message.content);
const state = async (lab: AppLab) => (await lab.app.loop.conversation(lab.session)).state;
const from = { channel: 'vscode' };

describe('messages while a turn runs', () => {
  it('wait on disk, reach the model at its next step, and leave the queue', async () => {
    const { promise, open } = held();
    const { lab, server } = await served([
      { toolCalls: [{ name: 'exec', args: { command: 'echo one' } }], gate: (n) => (n === 1 ? promise : undefined) },
      { text: 'Both.' },
    ]);
    const ended = lab.say('first');
    await server.received(1);
    const queued = lab.event('queue');
    lab.publish('second', 'q1');
    expect((await queued).queue).toMatchObject([{ id: 'q1', armed: true }]);
    expect(JSON.stringify(lab.lines())).toContain('q1');
    open();
    expect((await ended).status).toBe('done');
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests[1]?.body.messages.at(-1))).toContain('second');
    expect(userTexts(lab)).toEqual(['first', 'second']);
    expect((await state(lab)).queue).toEqual([]);
    expectPaired(server);
    await expectSameOnDisk(lab);
  });

  it('that come as the answer ends begin a step of their own in the same turn', async () => {
    const { promise, open } = held();
    const { lab, server } = await served([heldReply('One.', promise), { text: 'Two.' }]);
    const ended = lab.say('first');
    await server.received(1);
    const queued = lab.event('queue');
    lab.publish('second');
    await queued;
    open();
    expect((await ended).status).toBe('done');
    expect(lab.stored().map((message) => message.content)).toEqual(['first', 'One.', 'second', 'Two.']);
  });

  it('are at most twenty: the next comes back with its words', async () => {
    const { promise, open } = held();
    const { lab, server } = await served([heldReply('One.', promise), { text: 'All.' }]);
    const ended = lab.say('first');
    await server.received(1);
    const rejected = lab.event('rejected');
    for (let n = 0; n < 21; n++) lab.publish(`more ${String(n)}`, `more-${String(n)}`);
    expect(await rejected).toMatchObject({
      id: 'more-20',
      text: 'more 20',
      reason: expect.stringMatching(/Twenty/) as string,
    });
    open();
    await ended;
    await lab.app.loop.idle(lab.session);
    expect(userTexts(lab)).toHaveLength(21);
    await expectNextTurn(lab, server);
  });

  it('are handed on in the order the person gives them, which a restart keeps', async () => {
    const { promise } = held();
    const { lab, server } = await served([heldReply('One.', promise)]);
    lab.publish('first');
    await server.received(1);
    const all = lab.event('queue', ({ queue }) => queue.length === 3);
    for (const id of ['a', 'b', 'c']) lab.publish(id, id);
    await all;
    const conversation = await lab.app.loop.conversation(lab.session);
    const order = () => conversation.state.queue.map(({ id }) => id).join('');
    await conversation.moveQueued('c', -1);
    expect(order()).toBe('acb');
    await conversation.moveQueued('a', 1);
    expect(order()).toBe('cab');
    await conversation.moveQueued('c', -1);
    await conversation.moveQueued('b', 1);
    await conversation.moveQueued('gone', 1);
    expect(order()).toBe('cab');
    await lab.close();
    const again = await appLab({ root: lab.root });
    expect((await state(again)).queue.map(({ id }) => id)).toEqual(['c', 'a', 'b']);
  });

  it('survive a restart as queued, and run only when the person says so', async () => {
    const { promise } = held();
    const { lab, server } = await served([heldReply('One.', promise)]);
    lab.publish('first');
    await server.received(1);
    const queued = lab.event('queue');
    lab.publish('second', 'q1');
    await queued;
    await lab.close();
    const again = await appLab({ root: lab.root });
    expect((await state(again)).queue).toMatchObject([{ id: 'q1', text: 'second', armed: false }]);
    expect(userTexts(again)).toEqual(['first']);
    const end = again.event('turn_end');
    await again.app.loop.sendQueued(again.session, from);
    expect((await end).status).toBe('done');
    await again.app.loop.idle(again.session);
    expect(userTexts(again)).toEqual(['first', 'second']);
    expect((await state(again)).queue).toEqual([]);
  });
});

describe('Stop', () => {
  it('keeps what was queued, unarmed, and runs nothing until the person sends', async () => {
    const { promise } = held();
    const { lab, server } = await served([heldReply('One.', promise), { text: 'Two.' }]);
    const ended = lab.say('first');
    await server.received(1);
    const queued = lab.event('queue');
    lab.publish('second', 'q1');
    await queued;
    lab.app.loop.stop(lab.session);
    expect((await ended).status).toBe('aborted');
    await lab.app.loop.idle(lab.session);
    expect((await state(lab)).queue).toMatchObject([{ id: 'q1', armed: false }]);
    expect(server.requests).toHaveLength(1);
    const end = lab.event('turn_end');
    await lab.app.loop.sendQueued(lab.session, from);
    expect((await end).status).toBe('done');
    expect(userTexts(lab)).toEqual(['first', 'second']);
  });

  it('a message sent right after it runs, although the stopped turn has not quite ended', async () => {
    const { promise } = held();
    const { lab, server } = await served([heldReply('One.', promise), { text: 'Two.' }]);
    lab.publish('first');
    await server.received(1);
    const answered = lab.event('message_end', (event) => event.status === 'done');
    lab.app.loop.stop(lab.session);
    lab.publish('second');
    await answered;
    await lab.app.loop.idle(lab.session);
    expect(lab.stored().at(-1)?.content).toBe('Two.');
  });

  it('right after sending stops that turn too', async () => {
    const { lab } = await served([{ text: 'One.' }]);
    const end = lab.event('turn_end');
    lab.publish('first');
    lab.app.loop.stop(lab.session);
    expect((await end).status).toBe('aborted');
  });

  it('by command answers while a turn runs, and so does /status', async () => {
    const { promise } = held();
    const { lab, server } = await served([heldReply('One.', promise)]);
    const ended = lab.say('first');
    await server.received(1);
    const notice = lab.event('notice');
    lab.publish('/status');
    expect((await notice).notice.text).toMatch(/Running: step 1/);
    lab.publish('/stop');
    expect((await ended).status).toBe('aborted');
  });

  it('during an approval denies it and runs nothing', async () => {
    const { lab, server } = await served([{ toolCalls: [{ name: 'exec', args: { command: 'echo x > made' } }] }], {
      approve: () => undefined,
    });
    const asked = lab.event('approval_start');
    const ended = lab.say('make it');
    await asked;
    lab.app.loop.stop(lab.session);
    expect((await ended).status).toBe('aborted');
    expect(() => lab.text('made')).toThrow();
    expect((await state(lab)).approvals).toEqual([]);
    await expectNextTurn(lab, server);
  });
});

describe('answering again', () => {
  it('Retry of a finished answer takes it out and makes it anew; the file keeps both', async () => {
    const { lab, server } = await served([{ text: 'Worse.' }, { text: 'Better.' }]);
    await lab.say('hello');
    const end = lab.event('turn_end');
    await lab.app.loop.retry(lab.session, (await state(lab)).messages.at(-1)?.id ?? '', from);
    await end;
    await lab.app.loop.idle(lab.session);
    expect((await state(lab)).messages.flatMap((message) => message.parts)).toEqual([
      { kind: 'text', text: 'hello' },
      { kind: 'text', text: 'Better.' },
    ]);
    expect(lab.stored().map((message) => message.content)).toEqual(['hello', 'Worse.', 'Better.']);
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain('Worse.');
    await expectNextTurn(lab, server);
  });

  it('Retry after a failure in the middle repeats no finished call', async () => {
    const { lab, server } = await served([
      { toolCalls: [{ name: 'exec', args: { command: 'echo once >> log' } }] },
      { status: 401, body: { error: { message: 'no' } } },
      { text: 'Done.' },
    ]);
    expect((await lab.say('do it')).status).toBe('error');
    const end = lab.event('turn_end');
    await lab.app.loop.retry(lab.session, (await state(lab)).messages.at(-1)?.id ?? '', from);
    expect((await end).status).toBe('done');
    await lab.app.loop.idle(lab.session);
    expect(lab.text('log')).toBe('once\n');
    await expectNextTurn(lab, server);
  });

  it('Edit and resend puts the new words in the place of the old and of what followed', async () => {
    const { lab, server } = await served([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
    await lab.say('apples', 'm1');
    await lab.say('pears', 'm2');
    const end = lab.event('turn_end');
    await lab.app.loop.resend(lab.session, 'm1', inbound(lab, 'other words', 'm3'));
    await end;
    await lab.app.loop.idle(lab.session);
    expect((await state(lab)).messages.map((message) => message.id).at(0)).toBe('m3');
    expect((await state(lab)).messages).toHaveLength(2);
    expect(JSON.stringify(server.requests[2]?.body)).not.toMatch(/apples|One\.|pears|Two\./);
    await expectNextTurn(lab, server);
  });

  it('Undo puts back what the newest turn with changes changed', async () => {
    const { lab } = await served([
      { toolCalls: [{ name: 'write_file', args: { path: 'new/a.txt', content: 'made\n' } }] },
      { text: 'Made.' },
      { text: 'Hi.' },
    ]);
    const { turnId, changes } = await lab.say('make it');
    expect(changes).toMatchObject([{ label: 'new/a.txt', kind: 'created', added: 1 }]);
    await lab.say('hello');
    await lab.app.changes.undo(lab.session);
    expect(() => lab.text('new/a.txt')).toThrow();
    expect(lab.events.at(-1)).toEqual({ type: 'changes_settled', turnId, outcome: 'undone' });
    const notice = lab.event('notice');
    await lab.app.changes.undo(lab.session);
    expect((await notice).notice.text).toMatch(/no turn with file changes/);
  });
});

describe('what a person did to the changes of a turn', () => {
  it('is told once, with their next message', async () => {
    const { lab, server } = await served([
      { toolCalls: [{ name: 'write_file', args: { path: 'a.txt', content: 'one\ntwo\n' } }] },
      { text: 'Made.' },
      { text: 'I see.' },
      { text: 'Hi.' },
    ]);
    await lab.say('make it');
    writeFileSync(join(lab.project, 'a.txt'), 'one\nmine\n');
    await lab.say('go on');
    const told = JSON.stringify(server.requests.at(-1)?.body.messages.at(-1));
    expect(told).toContain('Changed since your last turn');
    expect(told).toContain('-two\\n+mine');
    await lab.say('and on');
    expect(JSON.stringify(server.requests.at(-1)?.body.messages.at(-1))).not.toContain('Changed since');
  });
});

describe('a file of keys that the agent edited', () => {
  it('is named and not shown when the person changed it since', async () => {
    const { lab, server } = await served(
      [
        { toolCalls: [{ name: 'write_file', args: { path: '.env', content: 'MODE=dev\n' } }] },
        { text: 'Made.' },
        { text: 'I see.' },
      ],
      { approve: () => ({ kind: 'allow' }) },
    );
    await lab.say('make it');
    writeFileSync(join(lab.project, '.env'), 'MODE=dev\nTOKEN=of-mine\n');
    await lab.say('go on');
    const told = JSON.stringify(server.requests.at(-1)?.body.messages);
    expect(told).toContain('.env: changed (read it again)');
    expect(told).not.toContain('of-mine');
  });
});

describe('several sessions', () => {
  it('run three turns at once; the fourth says that it waits, can be stopped, and the rest go on', async () => {
    const { promise, open } = held();
    const { lab, server } = await served((_, n) =>
      n < 3 ? heldReply(`Answer ${String(n)}`, promise) : { text: 'Late.' },
    );
    const ends = new Set<string>();
    lab.app.bus.subscribe(({ sessionKey, event }) => {
      if (event.type === 'turn_end') ends.add(`${sessionKey} ${event.status}`);
    });
    const send = (key: string) => lab.app.bus.publish({ ...inbound(lab, 'go', `m-${key}`), sessionKey: key });
    for (const n of [1, 2, 3]) send(`vscode:${String(n)}`);
    await server.received(3);
    send('vscode:4');
    send('vscode:5');
    const fourth = await lab.app.loop.conversation('vscode:4');
    await until('the notice', () => fourth.state.notices.some((notice) => notice.id === 'waiting'));
    expect(server.requests).toHaveLength(3);
    lab.app.loop.stop('vscode:4');
    await until('the end of the fourth', () => ends.has('vscode:4 aborted'));
    expect(fourth.state.notices).toEqual([]);
    expect(server.requests).toHaveLength(3);
    open();
    await until('the ends', () => ends.size === 5);
    expect([...ends].filter((end) => end.endsWith('done'))).toHaveLength(4);
  });

  it('closing the app stops every turn, and what was shown is on disk', async () => {
    const { promise } = held();
    const { lab, server } = await served(() => ({
      text: 'The beginning and the end',
      chunkSize: 13,
      gate: (n) => (n === 2 ? promise : undefined),
    }));
    const first = lab.event('text');
    lab.publish('go');
    await first;
    await server.received(1);
    await lab.close();
    expect(lab.stored().at(-1)).toMatchObject({ status: 'aborted', content: 'The beginning' });
  });
});

function inbound(lab: AppLab, text: string, id: string): InboundMessage {
  return { id, channel: 'vscode', sessionKey: lab.session, text, attachments: [], watched: true };
}

describe('the end of the process in the middle of an answer', () => {
  it('leaves an interrupted turn, which Resume answers anew', async () => {
    const server = await startModelServer([{ text: 'Half of an answer', stall: 2 }, { text: 'The whole answer.' }]);
    const options = {
      settings: { model: 'openai/test-model', providers: { openai: { apiBase: `${server.url}/v1` } } },
      env: { OPENAI_API_KEY: 'test-key' },
    };
    const first = await appLab(options);
    const begun = first.event('text');
    first.publish('tell me');
    await begun;
    await first.close();
    expect(first.stored().at(-1)).toMatchObject({ role: 'assistant', status: 'aborted', interrupted: true });

    const second = await appLab({ ...options, root: first.root });
    const conversation = await second.app.loop.conversation(second.session);
    expect(conversation.state.session.interrupted).toBe(true);
    const end = second.event('turn_end');
    await second.app.loop.resume(second.session, { channel: 'vscode' });
    expect((await end).status).toBe('done');
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).not.toContain('Half of');
    expect(conversation.state.messages.map((message) => message.parts[0])).toMatchObject([
      { text: 'tell me' },
      { text: 'The whole answer.' },
    ]);
    await server.close();
  });
});
