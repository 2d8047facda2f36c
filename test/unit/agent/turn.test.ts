import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import type { ApprovalRequest } from '../../../src/protocol/event.js';
import type { Files } from '../../../src/platform/ports.js';
import type { ScriptedCall } from '../../support/modelServer.js';
import { expectNextTurn, resultTexts, served, shownError, toolEnds } from '../../support/served.js';

const run = (command: string): ScriptedCall => ({ name: 'exec', args: { command } });

describe('approvals', () => {
  it('"Allow always" in this session is not asked again, for exactly that command', async () => {
    const asked: ApprovalRequest[] = [];
    const { lab, server } = await served(
      [
        { toolCalls: [run('echo one')] },
        { toolCalls: [run('echo one')] },
        { toolCalls: [run('echo two')] },
        { text: 'Done.' },
      ],
      {
        approve: (approval) => {
          asked.push(approval);
          const rule = approval.rules[0];
          return rule && asked.length === 1 ? { kind: 'always', ruleId: rule.id, scope: 'session' } : { kind: 'deny' };
        },
      },
    );
    await lab.say('go');
    expect(asked.map((approval) => approval.detail)).toEqual([
      expect.stringContaining('echo one'),
      expect.stringContaining('echo two'),
    ]);
    expect(toolEnds(lab).map((end) => end.status)).toEqual(['ok', 'ok', 'denied']);
    await expectNextTurn(lab, server);
  });

  it('a rule that cannot be kept is said, and the call runs all the same', async () => {
    const files: Files = {
      ...nodeFiles(),
      writeAtomic: (path, data, options) =>
        path.endsWith('approvals.json')
          ? Promise.reject(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }))
          : nodeFiles().writeAtomic(path, data, options),
    };
    const { lab, server } = await served([{ toolCalls: [run('echo one')] }, { text: 'Done.' }], {
      ports: { files },
      approve: ({ rules }) => ({ kind: 'always', ruleId: rules[0]?.id ?? '', scope: 'everywhere' }),
    });
    await lab.say('go');
    expect(toolEnds(lab)).toMatchObject([{ status: 'ok' }]);
    expect(shownError(lab)?.message).toMatch(/rule could not be kept/);
    await expectNextTurn(lab, server);
  });

  it("tell the model the person's words when they deny", async () => {
    const { lab, server } = await served([{ toolCalls: [run('echo one')] }, { text: 'Then not.' }], {
      approve: () => ({ kind: 'deny', reason: 'use make' }),
    });
    await lab.say('go');
    expect(resultTexts(server.requests[1]?.body ?? { messages: [] })).toEqual([
      expect.stringContaining('They said: use make'),
    ]);
  });

  it('nobody watching means denied, with the reason told, and no card that waits', async () => {
    const { lab, server } = await served([
      { toolCalls: [run('echo one'), { name: 'ask_user', args: { question: 'Which?', options: ['a'] } }] },
      { text: 'Then not.' },
    ]);
    const end = lab.event('turn_end');
    lab.app.bus.publish({
      id: 'm',
      channel: 'cli',
      sessionKey: lab.session,
      text: 'go',
      attachments: [],
      watched: false,
    });
    expect((await end).status).toBe('done');
    expect(toolEnds(lab).map((seen) => seen.status)).toEqual(['denied', 'error']);
    expect(lab.events.some((event) => event.type === 'approval_start' || event.type === 'question_start')).toBe(false);
    await expectNextTurn(lab, server);
  });
});

describe('a turn', () => {
  it('asks its person and goes on with the answer', async () => {
    const { lab, server } = await served(
      [
        { toolCalls: [{ name: 'ask_user', args: { question: 'Which tea?', options: ['green', 'black'] } }] },
        { text: 'Green.' },
      ],
      { answer: () => 'green, please' },
    );
    expect((await lab.say('choose')).status).toBe('done');
    expect(resultTexts(server.requests[1]?.body ?? { messages: [] })).toEqual([
      expect.stringContaining('green, please'),
    ]);
    expect((await lab.app.loop.conversation(lab.session)).state.questions).toEqual([]);
  });

  it('in circles ends with what to do, at its step limit with words, over its token budget with the setting', async () => {
    const circle = await served(() => ({ toolCalls: [{ name: 'list_dir', args: { path: '.' } }] }));
    expect((await circle.lab.say('go')).status).toBe('error');
    expect(shownError(circle.lab)).toMatchObject({ code: 'loop', next: ['retry', 'switchModel'] });
    await expectNextTurn(circle.lab, circle.server);

    const steps = await served(
      ({ body }, n) =>
        body['tool_choice'] === 'none' ? { text: 'Two are done.' } : { toolCalls: [run(`echo ${String(n)}`)] },
      { settings: { maxToolIterations: 2 } },
    );
    expect((await steps.lab.say('go')).status).toBe('done');
    expect(steps.lab.stored().at(-1)?.content).toBe('Two are done.');
    await expectNextTurn(steps.lab, steps.server);

    const budget = await served(
      (_, n) => ({ toolCalls: [run(`echo ${String(n)}`)], usage: { input: 900, output: 200 } }),
      { settings: { maxTurnTokens: 2_000 } },
    );
    expect((await budget.lab.say('go')).status).toBe('error');
    expect(shownError(budget.lab)).toMatchObject({ code: 'turn_budget', next: ['continue', 'openSettings'] });
    expect(budget.server.requests).toHaveLength(2);
    await expectNextTurn(budget.lab, budget.server);
  });

  it('tells how full the window is, as the provider counted it', async () => {
    const { lab } = await served([{ text: 'Hi.', usage: { input: 3_000, output: 10, cached: 1_000 } }]);
    const { usage } = await lab.say('hello');
    expect(usage).toEqual({ inputTokens: 3_000, outputTokens: 10, cachedTokens: 1_000 });
    const { context } = (await lab.app.loop.conversation(lab.session)).state;
    expect(context?.used).toBe(3_010);
    const parts =
      (context?.system ?? 0) +
      (context?.memory ?? 0) +
      (context?.skills ?? 0) +
      (context?.history ?? 0) +
      (context?.tools ?? 0);
    expect(Math.abs(parts - 3_000)).toBeLessThan(5);
  });

  it('sends the same beginning from turn to turn, so that a cache hits', async () => {
    const { lab, server } = await served([{ text: 'One.' }, { toolCalls: [run('echo x')] }, { text: 'Two.' }], {
      files: { 'AGENTS.md': 'Rules.' },
    });
    await lab.say('first');
    await lab.say('second');
    const bodies = server.requests.map(({ body }) => body.messages.map((message) => JSON.stringify(message)));
    for (const [n, messages] of bodies.entries()) {
      const next = bodies[n + 1];
      if (next) expect(next.slice(0, messages.length)).toEqual(messages);
    }
    expect(new Set(server.requests.map(({ body }) => JSON.stringify(body.tools))).size).toBe(1);
  });
});

describe('the stored transcript', () => {
  it('is found by words and shown from anywhere, as it was live', async () => {
    const { lab } = await served((_, n) => ({ text: `Answer ${String(n)} about oolong.` }));
    for (let n = 0; n < 4; n++) await lab.say(`question ${String(n)}`);
    const conversation = await lab.app.loop.conversation(lab.session);
    const hits = conversation.transcript().find('OOLONG', 3);
    expect(hits.map((hit) => hit.index)).toEqual([1, 3, 5]);
    expect(conversation.transcript().find('', 3)).toEqual([]);
    const shown = await conversation.window(hits[1]?.index ?? 0, 2);
    expect(shown).toMatchObject({ first: 3, total: 8 });
    expect(shown.messages).toEqual(
      conversation.state.messages.slice(3, 5).map((message) => ({ ...message, ...timed(message, shown.messages) })),
    );
    expect(conversation.transcript().indexOf(hits[2]?.messageId ?? '')).toBe(5);
  });
});

/** Durations and times are measured twice, live and from the file: close, not equal. */
function timed(message: { id: string }, shown: { id: string; at: number; turn?: object }[]): object {
  const other = shown.find(({ id }) => id === message.id);
  return other ? { at: other.at, ...(other.turn ? { turn: other.turn } : {}) } : {};
}
