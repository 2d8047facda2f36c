import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeClock } from '../../src/platform/nodeClock.js';
import type { NextStep } from '../../src/protocol/message.js';
import { LEFT_OUT } from '../../src/runner/govern.js';
import { appLab } from '../support/appLab.js';
import { isConsolidation } from '../support/consolidation.js';
import { startModelServer, type Reply } from '../support/modelServer.js';
import { expectBadDay, expectNextTurn, expectPaired, resultTexts, served, shownError } from '../support/served.js';
import { modelSettings } from '../support/modelSettings.js';

/** What a provider does, what the person reads, and which buttons there are, the most helpful first. */
const REFUSALS: [name: string, reply: Reply, says: RegExp, next: NextStep[]][] = [
  ['401', status(401, 'invalid key'), /OpenAI refused the API key.*Set API Key/, ['setKey', 'switchModel']],
  ['402', status(402, 'no credit left'), /asks for payment.*Add credit/, ['switchModel', 'setKey']],
  [
    '404',
    status(404, 'The model test-model does not exist'),
    /Check the name of the model/,
    ['switchModel', 'openSettings'],
  ],
  [
    '429 for an hour',
    { ...status(429, 'slow down'), headers: { 'retry-after': '3600' } },
    /limits how often/,
    ['retry', 'switchModel'],
  ],
  [
    'a web page',
    { status: 200, body: '<html><title>Log in</title></html>' },
    /web page.*Log in/,
    ['switchModel', 'openSettings'],
  ],
];

function status(code: number, message: string): Reply {
  return { status: code, body: { error: { message } } };
}

describe('a provider that refuses', () => {
  for (const [name, reply, says, next] of REFUSALS) {
    it(`says why after ${name}, offers the next step, and the next turn works`, async () => {
      const { lab, server } = await served([reply]);
      expect((await lab.say('hello')).status).toBe('error');
      expect(server.requests).toHaveLength(1);
      await expectBadDay(lab, server, { says, next });
    });
  }

  it('waits as 429 asks, shows until when and why, and answers then', async () => {
    const { lab, server } = await served([
      { ...status(429, 'slow down'), headers: { 'retry-after-ms': '200' } },
      { text: 'Here I am.' },
    ]);
    const begun = Date.now();
    const waiting = lab.event('retry_wait');
    const ended = lab.say('hello');
    const wait = await waiting;
    expect(wait).toMatchObject({ attempt: 1, reason: expect.stringContaining('slow down') as string });
    expect(wait.until - begun).toBeGreaterThanOrEqual(200);
    expect((await ended).status).toBe('done');
    expect(lab.events.filter((event) => event.type === 'retry_end')).toHaveLength(1);
    await expectNextTurn(lab, server);
  });

  it('gives up a wait when the person cancels it, and Retry asks again', async () => {
    const { lab, server } = await served([
      { ...status(429, 'slow down'), headers: { 'retry-after': '50' } },
      { text: 'Here I am.' },
    ]);
    const waiting = lab.event('retry_wait');
    const ended = lab.say('hello');
    await waiting;
    const conversation = await lab.app.loop.conversation(lab.session);
    expect(conversation.state.retry).not.toBeNull();
    conversation.running?.cancelWait();
    expect((await ended).status).toBe('error');
    expect(conversation.state.retry).toBeNull();
    expect(shownError(lab)).toMatchObject({ code: 'rate_limit', next: ['retry', 'switchModel'] });
    const failed = conversation.state.messages.at(-1)?.id ?? '';
    const again = lab.event('turn_end');
    await lab.app.loop.retry(lab.session, failed, { channel: 'vscode' });
    expect((await again).status).toBe('done');
    await lab.app.loop.idle(lab.session);
    expect(conversation.state.messages.map((message) => message.status)).toEqual(['done', 'done']);
    await expectNextTurn(lab, server);
  });

  it('ends a wait at once when the person stops the turn', async () => {
    const { lab, server } = await served([{ ...status(529, 'overloaded'), headers: { 'retry-after': '50' } }]);
    const waiting = lab.event('retry_wait');
    const ended = lab.say('hello');
    await waiting;
    lab.app.loop.stop(lab.session);
    expect((await ended).status).toBe('aborted');
    await expectNextTurn(lab, server);
  });

  for (const code of [500, 529]) {
    it(`tries ${String(code)} again, three times, then says so`, async () => {
      const fail = { ...status(code, 'an internal problem'), headers: { 'retry-after-ms': '1' } };
      const { lab, server } = await served([fail, fail, fail, fail], { wire: 'anthropic' });
      expect((await lab.say('hello')).status).toBe('error');
      expect(server.requests).toHaveLength(4);
      await expectBadDay(lab, server, { says: /an internal problem/, next: ['retry', 'switchModel'] });
    });
  }

  it('says where nobody answers, and works once somebody does', async () => {
    const gone = await startModelServer();
    await gone.close();
    const server = await startModelServer();
    onTestFinished(() => server.close());
    let { settings } = modelSettings(gone);
    const lab = await appLab({ ...modelSettings(gone), ports: { ...instantRetries(), settings: () => settings } });
    expect((await lab.say('hello')).status).toBe('error');
    settings = modelSettings(server).settings;
    await expectBadDay(lab, server, {
      says: new RegExp(`cannot be reached.*${gone.url}.*ECONNREFUSED`),
      next: ['retry', 'openSettings'],
    });
  });

  it('is not asked without a key: the person is, and the next turn works once there is one', async () => {
    const server = await startModelServer();
    onTestFinished(() => server.close());
    const env: Record<string, string> = {};
    const lab = await appLab({ settings: modelSettings(server).settings, ports: { env } });
    expect((await lab.say('hello')).status).toBe('error');
    expect(server.requests).toHaveLength(0);
    Object.assign(env, modelSettings(server).env);
    await expectBadDay(lab, server, { says: /key/, next: ['setKey', 'switchModel'] });
  });
});

describe('a stream that misbehaves', () => {
  it('begins anew when it breaks midway, and shows the second try only', async () => {
    const { lab, server } = await served(
      [{ text: 'The first half of what', breakAfter: 3 }, { text: 'The whole answer.' }],
      { ports: instantRetries() },
    );
    expect((await lab.say('hello')).status).toBe('done');
    expect(lab.events.some((event) => event.type === 'message_reset')).toBe(true);
    const { state } = await lab.app.loop.conversation(lab.session);
    expect(state.messages.at(-1)?.parts).toEqual([{ kind: 'text', text: 'The whole answer.' }]);
    await expectNextTurn(lab, server);
  });

  it('runs no call of a try that broke, and each call of the next once', async () => {
    const call = { name: 'exec', args: { command: 'echo once >> log' } };
    const { lab, server } = await served(
      [{ toolCalls: [call], breakAfter: 4 }, { toolCalls: [call] }, { text: 'Done.' }],
      { ports: instantRetries() },
    );
    expect((await lab.say('hello')).status).toBe('done');
    expect(lab.text('log')).toBe('once\n');
    const { state } = await lab.app.loop.conversation(lab.session);
    const parts = state.messages.flatMap((message) => message.parts).filter((part) => part.kind === 'tool');
    expect(parts.map((part) => part.status)).toEqual(['ok']);
    await expectNextTurn(lab, server);
  });

  it('that always breaks ends with what to do, and keeps nothing half as an answer', async () => {
    const { lab, server } = await served(() => ({ text: 'The first half of what', breakAfter: 3 }), {
      ports: instantRetries(),
    });
    expect((await lab.say('hello')).status).toBe('error');
    await expectBadDay(lab, server, { says: /broke off its answer/, next: ['retry', 'openLog'] });
  });

  it('that falls silent can be stopped, and what came stays', async () => {
    const { lab, server } = await served([{ text: 'The first half and the rest', stall: 2 }]);
    const first = lab.event('text');
    const ended = lab.say('hello');
    await first;
    lab.app.loop.stop(lab.session);
    expect((await ended).status).toBe('aborted');
    expect(lab.stored().at(-1)).toMatchObject({
      status: 'aborted',
      content: expect.stringContaining('The first') as string,
    });
    await expectNextTurn(lab, server);
  });

  it('may split characters and arguments anywhere, send comments and empty choices, and leave out ids and [DONE]', async () => {
    const chunk = (delta: object, finish: string | null = null) =>
      `data: ${JSON.stringify({ model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const call = { index: 0, type: 'function', function: { name: 'exec', arguments: '' } };
    const args = JSON.stringify({ command: 'echo 茶 >> log' });
    const odd = [
      ': a comment\n\n',
      `data: ${JSON.stringify({ model: 'm', choices: [] })}\n\n`,
      chunk({ role: 'assistant', reasoning_content: 'Hmm, 茶 …' }),
      chunk({ content: '我看看 🍵' }),
      chunk({ tool_calls: [call] }),
      ...[...args].map((letter) => chunk({ tool_calls: [{ index: 0, function: { arguments: letter } }] })),
      chunk({}, 'tool_calls'),
    ].join('');
    const { lab, server } = await served([{ raw: bytewise(odd, 7) }, { text: '好了。' }]);
    expect((await lab.say('hello')).status).toBe('done');
    expect(lab.text('log')).toBe('茶\n');
    const answer = lab.stored().find((message) => message.role === 'assistant');
    expect(answer).toMatchObject({ content: '我看看 🍵', reasoning_content: 'Hmm, 茶 …' });
    expect(answer?.tool_calls?.[0]?.id).toBeTruthy();
    await expectNextTurn(lab, server);
  });

  it('whose calls all have the same id in every answer keeps each result with its own call', async () => {
    const call = (word: string) => ({ name: 'exec', args: { command: `echo ${word}` }, id: 'call_0' });
    const { lab, server } = await served([
      { toolCalls: [call('one')] },
      { toolCalls: [call('two')] },
      { text: 'Done.' },
    ]);
    expect((await lab.say('hello')).status).toBe('done');
    const results = lab.stored().filter((message) => message.role === 'tool');
    expect(results.map((message) => message.content)).toEqual([
      expect.stringContaining('one'),
      expect.stringContaining('two'),
    ]);
    expectPaired(server);
    await expectNextTurn(lab, server);
  });
});

describe('a conversation that does not fit', () => {
  it('larger than the window still sends a legal request that begins with the person', async () => {
    let n = 0;
    const { lab, server } = await served(
      (request) => {
        if (isConsolidation(request)) return { text: 'no summary', usage: null };
        return n++ % 2 === 0
          ? { toolCalls: [{ name: 'read_file', args: { path: `big${String(n)}.txt`, force: true } }], usage: null }
          : { text: 'Read.', usage: null };
      },
      {
        files: Object.fromEntries(
          Array.from({ length: 20 }, (_, file) => [`big${String(file)}.txt`, 'some words\n'.repeat(1400)]),
        ),
        settings: { contextWindowTokens: 16_000, maxTokens: 1_000 },
      },
    );
    for (let turn = 0; turn < 6; turn++) expect((await lab.say(`read file ${String(turn)}`)).status).toBe('done');
    expectPaired(server);
    const last = server.requests.at(-1)?.body.messages.filter((message) => message.role !== 'system') ?? [];
    expect(last[0]?.role).toBe('user');
    expect(last.length).toBeLessThan(12);
    expect(JSON.stringify(last)).toContain('read file 5');
    await expectNextTurn(lab, server);
  });

  it('in one turn alone leaves out the oldest results, keeps the newest, and changes the beginning rarely', async () => {
    const { lab, server } = await served(
      (_, n) =>
        n < 12
          ? {
              toolCalls: [{ name: 'exec', args: { command: `echo step-${String(n)}; seq -f "line %g of many" 250` } }],
              usage: null,
            }
          : { text: 'Done.', usage: null },
      { settings: { contextWindowTokens: 16_000, maxTokens: 1_000 } },
    );
    expect((await lab.say('twelve steps')).status).toBe('done');
    expectPaired(server);
    const last = resultTexts(server.requests.at(-1)?.body ?? { messages: [] });
    expect(last).toHaveLength(12);
    expect(last[0]).toBe(LEFT_OUT);
    expect(last.at(-1)).toContain('step-11');
    const biggest = Math.max(...server.requests.map(({ bytes }) => bytes));
    expect(biggest).toBeLessThan(70_000);
    const beginnings = server.requests.map(({ body }) => resultTexts(body).findLastIndex((text) => text === LEFT_OUT));
    expect(new Set(beginnings).size).toBeLessThan(6);
    await expectNextTurn(lab, server);
  });

  it('lets the model read again what was left out', async () => {
    const read = { name: 'read_file', args: { path: 'big.txt' } };
    const { lab, server } = await served(
      (_, n) =>
        n < 12
          ? {
              toolCalls: [n % 6 === 0 ? read : { name: 'exec', args: { command: `echo ${String(n)}; seq 2500` } }],
              usage: null,
            }
          : { text: 'Done.', usage: null },
      {
        files: { 'big.txt': 'a line of the file\n'.repeat(100) },
        settings: { contextWindowTokens: 14_000, maxTokens: 1_000 },
      },
    );
    expect((await lab.say('read it twice')).status).toBe('done');
    const reads = lab.stored().filter((message) => message.name === 'read_file');
    expect(reads.map((message) => message.content)).toEqual([
      expect.stringContaining('100| a line'),
      expect.stringContaining('100| a line'),
    ]);
    await expectNextTurn(lab, server);
  });

  it('that the provider finds too long says so and offers a new chat', async () => {
    const { lab, server } = await served([
      {
        status: 400,
        body: { error: { message: 'maximum context length is 8192 tokens', code: 'context_length_exceeded' } },
      },
    ]);
    expect((await lab.say('hello')).status).toBe('error');
    await expectBadDay(lab, server, { says: /too long for this model/, next: ['newChat', 'switchModel'] });
  });
});

/** The bytes of a text in pieces of this many, so that characters of several bytes are split. */
function bytewise(text: string, size: number): Uint8Array[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
}

/** Real time, except that waits before a retry are over at once. */
function instantRetries() {
  return {
    clock: { ...nodeClock(), sleep: () => Promise.resolve() },
  };
}
