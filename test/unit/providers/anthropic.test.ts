import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { AnthropicProvider } from '../../../src/providers/anthropic.js';
import { messagesBody } from '../../../src/providers/anthropicRequest.js';
import type { EndpointOptions } from '../../../src/providers/sdkProvider.js';
import type { ModelRequest } from '../../../src/providers/provider.js';
import { startModelServer, type ModelServer, type Reply } from '../../support/modelServer.js';
import { assistant, calling, collect, image, joined, READ, request, result, user } from './setup.js';

interface Block {
  type: string;
  [field: string]: unknown;
}
type Sent = { role: string; content: Block[] }[];

const sentFor = (asked: ModelRequest): Sent => messagesBody(asked, 'claude-sonnet-5-5')['messages'] as Sent;

describe('a Messages request', () => {
  it('puts results and what the person says after them into one message, results first', () => {
    const sent = sentFor(
      request([
        user('Go'),
        assistant('On it. ', calling(['c1', 'a', '{"x":1}'], ['c2', 'b'])),
        result('c1', 'one'),
        result('c2', ''),
        user('Wait', { runtime_context: 'now' }),
      ]),
    );
    expect(sent).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: 'Go' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'On it.' },
          { type: 'tool_use', id: 'c1', name: 'a', input: { x: 1 } },
          { type: 'tool_use', id: 'c2', name: 'b', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: 'one' },
          { type: 'tool_result', tool_use_id: 'c2', content: '(tool completed with no output)' },
          { type: 'text', text: 'Wait' },
          { type: 'text', text: 'now' },
        ],
      },
    ]);
  });

  it('makes ids legal and marks failed results', () => {
    const sent = sentFor(
      request([
        user('Go'),
        assistant('', calling(['call.1|x', 'a'], ['', 'b'])),
        result('call.1|x', 'no', { tool: { status: 'denied', summary: '', ms: 0 } }),
        result('', 'yes'),
      ]),
    );
    const calls = sent[1]?.content.map((block) => String(block['id'])) ?? [];
    expect(calls.every((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true);
    expect(sent[2]?.content).toMatchObject([
      { tool_use_id: calls[0], is_error: true },
      { tool_use_id: calls[1], content: 'yes' },
    ]);
    expect(sent[2]?.content[1]).not.toHaveProperty('is_error');
  });

  it('keeps images inside the result they belong to, and refused types as words', () => {
    const sent = sentFor(
      request([
        user('Go'),
        assistant('', calling(['c1', 'a'])),
        result('c1', [{ type: 'text', text: 'pic' }, image(), image('data:image/bmp;base64,Qk0=')]),
      ]),
    );
    expect(sent[2]?.content[0]?.['content']).toEqual([
      { type: 'text', text: 'pic' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      { type: 'text', text: '(an image of type image/bmp, which cannot be shown)' },
    ]);
  });

  it('replays thoughts byte for byte before everything else, unsigned ones not', () => {
    const thought = { type: 'thinking' as const, thinking: 'Hm.\n ', signature: 'sig==' };
    const hidden = { type: 'redacted_thinking' as const, data: 'xyz' };
    const cut = { type: 'thinking' as const, thinking: 'half', signature: '' };
    const sent = sentFor(
      request([
        user('Go'),
        assistant('', { ...calling(['c1', 'a']), thinking_blocks: [thought, hidden, cut] }),
        result('c1', 'x'),
      ]),
    );
    expect(sent[1]?.content).toEqual([thought, hidden, { type: 'tool_use', id: 'c1', name: 'a', input: {} }]);
  });

  it('keeps the text of arguments that are not JSON', () => {
    const sent = sentFor(request([user('Go'), assistant('', calling(['c1', 'a', '{"x":'])), result('c1', 'Error')]));
    expect(sent[1]?.content).toMatchObject([{ input: { arguments: '{"x":' } }]);
  });

  it('marks tools, system and the last two messages of the person for the cache: four marks', () => {
    const body = messagesBody(
      request([user('1'), assistant('a'), user('2'), assistant('', calling(['c1', 'a'])), result('c1', 'x')], {
        tools: [READ, { ...READ, name: 'other' }],
      }),
      'claude-sonnet-5-5',
    );
    const mark = { cache_control: { type: 'ephemeral' } };
    expect(JSON.stringify(body).split('"cache_control"').length - 1).toBe(4);
    expect(body).toMatchObject({ system: [mark], tools: [{ name: 'read_file' }, { name: 'other', ...mark }] });
    const messages = body['messages'] as Sent;
    expect([messages[2]?.content[0], messages[4]?.content[0]]).toMatchObject([mark, mark]);
  });

  it('begins the next request with exactly the same messages, marks aside', () => {
    const first = [user('1', { runtime_context: 'then' }), assistant('', calling(['c1', 'a'])), result('c1', 'x')];
    const plain = (asked: ModelRequest) =>
      sentFor(asked).map((message) => JSON.stringify(message).replaceAll(',"cache_control":{"type":"ephemeral"}', ''));
    const before = plain(request(first));
    const after = plain(request([...first, assistant('Done'), user('2')]));
    expect(after.slice(0, before.length)).toEqual(before);
  });

  it('sends no temperature, which the API refuses', () => {
    expect(messagesBody(request([user('Hi')], { temperature: 0.3 }), 'claude-opus-4-5')).not.toHaveProperty(
      'temperature',
    );
  });

  it('keeps the tools where the model must answer in words', () => {
    const body = messagesBody(request([user('Hi')], { tools: [READ], toolChoice: 'none' }), 'claude-sonnet-5-5');
    expect(body).toMatchObject({ tools: [{ name: 'read_file' }], tool_choice: { type: 'none' } });
  });
});

describe('an answer over Messages', () => {
  let server: ModelServer;
  beforeEach(async () => {
    server = await startModelServer();
  });
  afterEach(() => server.close());

  async function ask(
    reply: Reply,
    more: Partial<EndpointOptions> & { request?: ModelRequest; signal?: AbortSignal } = {},
  ) {
    server.setScript([reply]);
    const { request: asked = request(), signal = new AbortController().signal, ...options } = more;
    const provider = new AnthropicProvider({
      name: 'anthropic',
      clock: nodeClock(),
      apiKey: 'sk-ant-test-0123456789',
      apiBase: server.url,
      ...options,
    });
    return collect(provider.stream('claude-sonnet-5-5', asked, { signal }));
  }
  const frame = (type: string, fields: object = {}) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

  it('streams thinking, text and calls, and ends with usage in which input includes what was cached', async () => {
    const { events, answer } = await ask({
      thinking: 'Let me see, then.',
      text: 'I will read it.',
      toolCalls: [{ name: 'read_file', args: { path: 'a.txt' }, id: 'toolu_1' }],
      chunkSize: 4,
      usage: { input: 100, output: 9, cached: 80 },
    });
    expect(joined(events, 'thinking')).toBe('Let me see, then.');
    expect(joined(events, 'text')).toBe('I will read it.');
    expect(events).toContainEqual({ type: 'tool_start', id: 'toolu_1', name: 'read_file' });
    expect(answer).toEqual({
      text: 'I will read it.',
      reasoning: 'Let me see, then.',
      thinkingBlocks: [{ type: 'thinking', thinking: 'Let me see, then.', signature: 'signed' }],
      toolCalls: [{ id: 'toolu_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.txt"}' } }],
      stopReason: 'tool_calls',
      usage: { inputTokens: 100, outputTokens: 9, cachedTokens: 80 },
      model: 'test-model',
    });
  });

  it('counts newly cached tokens as input', async () => {
    const usage = { input_tokens: 5, cache_creation_input_tokens: 90, cache_read_input_tokens: 10, output_tokens: 1 };
    const raw = [
      frame('message_start', { message: { model: 'm', usage } }),
      frame('message_delta', {
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 3, cache_read_input_tokens: null },
      }),
      frame('message_stop'),
    ];
    expect((await ask({ raw })).answer.usage).toEqual({ inputTokens: 105, outputTokens: 3, cachedTokens: 10 });
  });

  it('speaks the older version to an address of its own, with the key in both headers', async () => {
    await ask({ text: 'Hi' }, { apiBase: `${server.url}/v1/`, extraHeaders: { 'x-team': 'tea' } });
    expect(server.requests[0]).toMatchObject({
      path: '/v1/messages',
      headers: {
        authorization: 'Bearer sk-ant-test-0123456789',
        'x-api-key': 'sk-ant-test-0123456789',
        'anthropic-version': '2023-06-01',
        'x-team': 'tea',
      },
    });
  });

  it.each([
    ['max_tokens', { stopReason: 'length' }],
    ['refusal', { stopReason: 'error', error: { code: 'refused' } }],
    ['model_context_window_exceeded', { stopReason: 'error', error: { code: 'context_length' } }],
    ['stop_sequence', { stopReason: 'stop' }],
  ])('reads the stop reason %s', async (stopReason, expected) => {
    expect((await ask({ text: 'So far', stopReason })).answer).toMatchObject({ text: 'So far', ...expected });
  });

  it('counts a stream without an end as broken and keeps only finished thoughts', async () => {
    const { answer } = await ask({ thinking: 'A thought that is long', chunkSize: 4, breakAfter: 4 });
    expect(answer).toMatchObject({ stopReason: 'error', error: { code: 'stream_broken', retryable: true } });
    expect(answer.reasoning).toMatch(/^A th/);
    expect(answer).not.toHaveProperty('thinkingBlocks');
    expect((await ask({ text: 'x', stopReason: null })).answer.error?.code).toBe('stream_broken');
  });

  it('counts a silent stream as broken', async () => {
    const { answer } = await ask({ text: 'Hello', stall: 2 }, { silenceMs: 300 });
    expect(answer).toMatchObject({ stopReason: 'error', error: { code: 'stream_broken' } });
  });

  it('takes an error event by its type', async () => {
    const raw = [
      frame('message_start', { message: {} }),
      frame('ping'),
      frame('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
    ];
    const { answer } = await ask({ raw });
    expect(answer.error).toMatchObject({
      code: 'overloaded',
      retryable: true,
      message: 'Anthropic is overloaded: "Overloaded".',
    });
  });

  it("maps an error status with the API's own words", async () => {
    const body = { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } };
    const { answer } = await ask({ status: 401, body });
    expect(answer.error).toMatchObject({ code: 'auth', status: 401, retryable: false });
    expect(answer.error?.message).toContain('invalid x-api-key');
    expect(server.requests).toHaveLength(1);
  });

  it('takes an input that came whole', async () => {
    const raw = [
      frame('content_block_start', { index: 0, content_block: { type: 'tool_use', name: 'f', input: { a: 1 } } }),
      frame('content_block_stop', { index: 0 }),
      frame('message_delta', { delta: { stop_reason: 'tool_use' } }),
      frame('message_stop'),
    ];
    const { answer } = await ask({ raw });
    expect(answer.toolCalls[0]).toMatchObject({ function: { name: 'f', arguments: '{"a":1}' } });
    expect(answer.toolCalls[0]?.id).toMatch(/^toolu_\w+/);
  });

  it('ends as aborted with what came', async () => {
    const stop = new AbortController();
    server.setScript([{ text: 'Hello there', chunkSize: 5, stall: 3 }]);
    const provider = new AnthropicProvider({ name: 'anthropic', clock: nodeClock(), apiKey: 'k', apiBase: server.url });
    for await (const event of provider.stream('m', request(), { signal: stop.signal })) {
      if (event.type === 'text') stop.abort();
      if (event.type === 'end') expect(event.answer).toMatchObject({ text: 'Hello', stopReason: 'aborted' });
    }
    await expect.poll(() => server.aborted()).toBe(1);
  });
});
