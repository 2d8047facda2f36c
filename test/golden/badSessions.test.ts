import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeIdentity } from '../../src/platform/nodeIdentity.js';
import { appLab, filesBelow } from '../support/appLab.js';
import { modelSettings } from '../support/modelSettings.js';
import {
  expectNextTurn,
  expectPaired,
  expectSameOnDisk,
  served,
  shownError,
  UNKNOWN_EFFECT,
} from '../support/served.js';
import { tempHome } from '../support/tempHome.js';

function putSession(home: string, lines: (object | string)[], name = 'vscode_test'): string {
  const path = join(home, 'sessions', `${name}.jsonl`);
  mkdirSync(join(home, 'sessions'), { recursive: true });
  writeFileSync(path, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  return path;
}

const metadata = (more: object = {}) => ({
  _type: 'metadata',
  key: 'vscode:test',
  created_at: '2026-04-01T10:00:00.000000',
  updated_at: '2026-04-01T10:00:00.000000',
  metadata: {},
  last_consolidated: 0,
  ...more,
});
const said = (role: string, content: string, more: object = {}) => ({
  role,
  content,
  timestamp: '2026-04-01T10:00:00.000000',
  ...more,
});

describe('a session file with torn lines', () => {
  it('is shown without them, says where they are, and goes on', async () => {
    const { root, home } = await tempHome();
    putSession(home, [
      metadata(),
      said('user', 'hello'),
      '{"role":"assistant","content":"half',
      said('assistant', 'whole'),
      '\u0000\u0000',
      '[1]',
    ]);
    const told: string[] = [];
    const ui = { notify: async (_: string, text: string) => void told.push(text), mirror: () => undefined } as never;
    const { lab, server } = await served([], { root, ports: { ui } });
    await expectNextTurn(lab, server);
    expect(told.join()).toMatch(/lines? .*could not be read.*quarantine/);
    expect(filesBelow(join(home, '.nanobot', 'quarantine'))).toHaveLength(1);
    expect(
      lab
        .stored()
        .map((message) => message.content)
        .slice(0, 2),
    ).toEqual(['hello', 'whole']);
  });
});

describe("nanobot's own session", () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'exec', arguments: '{"command": "ls"}' } });
  const python = (home: string) =>
    putSession(home, [
      metadata({
        metadata: {
          runtime_checkpoint: {
            phase: 'tools_running',
            iteration: 1,
            model: 'claude',
            assistant_message: { role: 'assistant', content: 'I look.', tool_calls: [call('a'), call('b')] },
            completed_tool_results: [{ role: 'tool', tool_call_id: 'a', name: 'exec', content: 'one.txt' }],
            pending_tool_calls: [call('b')],
          },
          pending_user_turn: true,
          mood: 'kept',
        },
      }),
      said('user', 'old words', { media: ['/tmp/cat.png'] }),
      said('assistant', 'old answer', { latency_ms: 12 }),
      said('user', 'what is here?'),
    ]);

  it('cut off in a turn is shown as interrupted; Resume keeps the finished result and closes the other', async () => {
    const { root, home } = await tempHome();
    python(home);
    const { lab, server } = await served([{ text: 'There is one file.' }], { root });
    const conversation = await lab.app.loop.conversation(lab.session);
    expect(conversation.state.session.interrupted).toBe(true);
    const end = lab.event('turn_end');
    await lab.app.loop.resume(lab.session, { channel: 'vscode' });
    expect((await end).status).toBe('done');
    await lab.app.loop.idle(lab.session);
    const results = lab.stored().filter((message) => message.role === 'tool');
    expect(results.map((message) => message.content)).toEqual(['one.txt', UNKNOWN_EFFECT]);
    expectPaired(server);
    await expectSameOnDisk(lab);
    await expectNextTurn(lab, server);
  });

  it("stays nanobot's: every line as it was, ours in its form, unknown fields kept", async () => {
    const { root, home } = await tempHome();
    const path = python(home);
    const before = readFileSync(path, 'utf8').split('\n').slice(1, 4);
    const { lab, server } = await served([{ text: 'There is one file.' }], { root });
    await lab.say('never mind');
    await expectNextTurn(lab, server);
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines).toEqual(expect.arrayContaining(before));
    for (const line of lab.lines()) {
      if (line['_type'] === 'metadata')
        expect(line).toMatchObject({ key: 'vscode:test', last_consolidated: expect.any(Number) as number });
      else
        expect(line).toMatchObject({
          role: expect.stringMatching(/^(user|assistant|tool)$/) as string,
          timestamp: expect.any(String) as string,
        });
    }
    const last = lab.lines().findLast((line) => line['_type'] === 'metadata')?.['metadata'];
    expect(last).toMatchObject({ mood: 'kept' });
    expect(last).not.toHaveProperty('runtime_checkpoint');
    expectPaired(server);
  });
});

describe('two windows on one chat', () => {
  it('the second is refused with its words and "Continue here"; then it goes on there, and the first is told', async () => {
    const { lab: one, server } = await served([{ text: 'One.' }]);
    await one.say('first');
    const two = await appLab({ root: one.root, ...modelSettings(server), ports: { processes: nodeIdentity() } });
    expect((await two.app.loop.conversation(two.session)).state.session.readOnly).toBe(true);
    const rejected = two.event('rejected');
    two.publish('second', 'm2');
    expect(await rejected).toMatchObject({
      id: 'm2',
      text: 'second',
      reason: expect.stringMatching(/Another window/) as string,
    });
    await two.app.loop.idle(two.session);
    expect(shownError(two)?.next).toEqual(['continueHere']);
    expect(one.stored()).toHaveLength(2);
    await two.app.loop.continueHere(two.session);
    const state = (await two.app.loop.conversation(two.session)).state;
    expect(state.notices).toEqual([]);
    expect(state.session.readOnly).toBe(false);
    expect((await one.app.loop.conversation(one.session)).state.session.readOnly).toBe(true);
    await expectNextTurn(two, server);
    await expect(one.say('third')).rejects.toThrow(/Another window/);
    expect(shownError(one)?.next).toEqual(['continueHere']);
    await one.app.loop.continueHere(one.session);
    await expectNextTurn(one, server);
    await expectSameOnDisk(one);
  });

  it('a wish to continue waits for the running turn', async () => {
    let open = (): void => undefined;
    const held = new Promise<void>((resolve) => (open = resolve));
    const { lab: one, server } = await served([{ text: 'One.', gate: (n) => (n === 1 ? held : undefined) }]);
    const ended = one.say('first');
    await server.received(1);
    const two = await appLab({ root: one.root, ...modelSettings(server) });
    const notice = two.event('notice');
    const continued = two.app.loop.continueHere(two.session);
    expect((await notice).notice.text).toMatch(/when its turn has ended/);
    open();
    expect((await ended).status).toBe('done');
    await continued;
    await expectNextTurn(two, server);
    expect(two.stored().map((message) => message.content)).toEqual(['first', 'One.', 'and now?', 'All is well again.']);
  });
});

describe('a long session', () => {
  it('of 5,000 messages: opens, sends a legal request that fits, and does so quickly', async () => {
    const { root, home } = await tempHome();
    const lines: object[] = [metadata()];
    for (let n = 0; n < 1250; n++) {
      const call = { id: `c${String(n)}`, type: 'function', function: { name: 'exec', arguments: '{"command":"ls"}' } };
      lines.push(
        said('user', `question ${String(n)} ${'word '.repeat(60)}`),
        said('assistant', 'I look.', { tool_calls: [call] }),
        said('tool', 'file '.repeat(100), { tool_call_id: call.id, name: 'exec' }),
        said('assistant', `answer ${String(n)} ${'word '.repeat(60)}`),
      );
    }
    putSession(home, lines);
    const { lab, server } = await served([{ text: 'Warm.' }, { text: 'Quick.' }], { root });
    await lab.say('one more');
    const begun = performance.now();
    await lab.say('and another');
    const seen = server.requests[1];
    expect((seen?.at ?? Infinity) - begun).toBeLessThan(250);
    expect(seen?.bytes).toBeLessThan(600_000);
    expect((await lab.app.loop.conversation(lab.session)).state.messages.length).toBeLessThanOrEqual(80);
    expectPaired(server);
    await expectNextTurn(lab, server);
  });
});

describe('deleting and clearing', () => {
  it('a chat that is deleted while its turn runs ends the turn, and the same key begins anew', async () => {
    const { lab, server } = await served([{ text: 'One and more', stall: 2 }, { text: 'Anew.' }]);
    const first = lab.event('text');
    lab.publish('first');
    await first;
    await lab.app.deleteSession(lab.session);
    expect(existsSync(join(lab.home, 'sessions', 'vscode_test.jsonl'))).toBe(false);
    expect((await lab.say('second')).status).toBe('done');
    expect(lab.stored().map((message) => message.content)).toEqual(['second', 'Anew.']);
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain('"first"');
  });
});
