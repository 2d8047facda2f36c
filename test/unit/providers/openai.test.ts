import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { OpenAIProvider } from '../../../src/providers/openai.js';
import type { EndpointOptions } from '../../../src/providers/sdkProvider.js';
import type { ModelRequest } from '../../../src/providers/provider.js';
import { startModelServer, type ModelServer, type Reply } from '../../support/modelServer.js';
import { calling, collect, image, joined, READ, request, result, user, assistant } from './setup.js';

let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

function provider(name = 'openai', more: Partial<EndpointOptions> = {}): OpenAIProvider {
  return new OpenAIProvider({
    name,
    clock: nodeClock(),
    apiKey: 'sk-test-0123456789',
    apiBase: `${server.url}/v1`,
    ...more,
  });
}

async function ask(
  reply: Reply,
  options: { name?: string; request?: ModelRequest; signal?: AbortSignal; model?: string } = {},
) {
  server.setScript([reply]);
  const { signal = new AbortController().signal } = options;
  return collect(
    provider(options.name).stream(options.model ?? 'test-model', options.request ?? request(), { signal }),
  );
}

const sse = (...chunks: unknown[]) =>
  chunks.map((chunk) => (typeof chunk === 'string' ? chunk : `data: ${JSON.stringify(chunk)}\n\n`));
const delta = (fields: object, finish?: string) => ({
  choices: [{ index: 0, delta: fields, ...(finish ? { finish_reason: finish } : {}) }],
});
const DONE = 'data: [DONE]\n\n';

describe('an answer over chat completions', () => {
  it('streams text and thinking and ends with usage, cached tokens included', async () => {
    const { events, answer } = await ask({
      thinking: 'Let me see.',
      text: 'Hello, world of tea!',
      usage: { input: 100, output: 7, cached: 64 },
    });
    expect(joined(events, 'text')).toBe('Hello, world of tea!');
    expect(joined(events, 'thinking')).toBe('Let me see.');
    expect(answer).toEqual({
      text: 'Hello, world of tea!',
      reasoning: 'Let me see.',
      toolCalls: [],
      stopReason: 'stop',
      usage: { inputTokens: 100, outputTokens: 7, cachedTokens: 64 },
      model: 'test-model',
    });
  });

  it('announces a call before its arguments are complete', async () => {
    const { events, answer } = await ask({
      toolCalls: [
        { name: 'read_file', args: { path: 'a.txt' }, id: 'c1' },
        { name: 'read_file', args: { path: 'b.txt' }, id: 'c2' },
      ],
      chunkSize: 3,
    });
    expect(events.filter((event) => event.type === 'tool_start')).toEqual([
      { type: 'tool_start', id: 'c1', name: 'read_file' },
      { type: 'tool_start', id: 'c2', name: 'read_file' },
    ]);
    expect(answer.stopReason).toBe('tool_calls');
    expect(answer.toolCalls.map((call) => call.function.arguments)).toEqual(['{"path":"a.txt"}', '{"path":"b.txt"}']);
  });

  it('sends the key, the headers a person set, and no retry of its own', async () => {
    server.setScript([{ status: 500, body: { error: { message: 'no' } } }]);
    const asked = provider('openai', { extraHeaders: { 'X-Team': 'tea' } });
    await collect(asked.stream('m', request(), { signal: new AbortController().signal }));
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-test-0123456789', 'x-team': 'tea' },
    });
  });

  it('sends nothing that the environment holds for another program', async () => {
    vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'x-gateway-key: secret\nAuthorization: Bearer other');
    vi.stubEnv('OPENAI_ORG_ID', 'org-1');
    onTestFinished(() => void vi.unstubAllEnvs());
    await ask({ text: 'Hi' }, { name: 'deepseek' });
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer sk-test-0123456789' });
    for (const name of ['x-gateway-key', 'openai-organization'])
      expect(server.requests[0]?.headers).not.toHaveProperty(name);
  });

  it('sends no key where there is none', async () => {
    server.setScript([{ text: 'Hi' }]);
    const { answer } = await collect(
      provider('ollama', { apiKey: undefined }).stream('m', request(), { signal: new AbortController().signal }),
    );
    expect(answer.text).toBe('Hi');
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  it('takes think tags out of the text', async () => {
    const { answer, events } = await ask({ text: '<think>\nfirst\n</think>\n\nThe answer.', chunkSize: 2 });
    expect(answer).toMatchObject({ text: 'The answer.', reasoning: '\nfirst\n' });
    expect(joined(events, 'text')).toBe('The answer.');
  });

  it('marks an answer that was cut off by its limit', async () => {
    expect((await ask({ text: 'half', stopReason: 'length' })).answer.stopReason).toBe('length');
  });

  it('reports a filtered answer as declined, with what came before', async () => {
    const { answer } = await ask({ text: 'So far', stopReason: 'content_filter' });
    expect(answer).toMatchObject({ text: 'So far', stopReason: 'error', error: { code: 'refused', retryable: false } });
  });
});

describe('odd streams of chat completions', () => {
  it('reads the same answer wherever the bytes are cut', async () => {
    const whole = new TextEncoder().encode(
      sse(
        ': ping\n\n',
        delta({ content: '茶 and 😀' }),
        { choices: [] },
        delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"a":"é"}' } }] }, 'tool_calls'),
        DONE,
      ).join(''),
    );
    for (let cut = 1; cut < whole.length; cut += 7) {
      const { answer } = await ask({ raw: [whole.slice(0, cut), whole.slice(cut, cut + 2), whole.slice(cut + 2)] });
      expect(answer).toMatchObject({
        text: '茶 and 😀',
        toolCalls: [{ id: 'c', function: { name: 'f', arguments: '{"a":"é"}' } }],
      });
    }
  });

  it('takes a stream that stops without [DONE] once the reason was given', async () => {
    expect((await ask({ raw: sse(delta({ content: 'Hi' }, 'stop')) })).answer).toMatchObject({
      text: 'Hi',
      stopReason: 'stop',
    });
  });

  it('takes a stream without a reason that ends with [DONE]', async () => {
    expect((await ask({ raw: sse(delta({ content: 'Hi' }), DONE) })).answer).toMatchObject({
      text: 'Hi',
      stopReason: 'stop',
    });
  });

  it('takes a stream without a reason and [DONE] that ends with its usage', async () => {
    const usage = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 1 } };
    expect((await ask({ raw: sse(delta({ content: 'Hi' }), usage) })).answer).toMatchObject({
      stopReason: 'stop',
      usage: { inputTokens: 3 },
    });
  });

  it('counts a stream that just ends as broken, and keeps what came', async () => {
    const { answer } = await ask({ text: 'Only so f', stopReason: null });
    expect(answer).toMatchObject({
      text: 'Only so f',
      stopReason: 'error',
      error: { code: 'stream_broken', retryable: true },
    });
  });

  it('counts a connection that is destroyed midway as broken', async () => {
    const { answer } = await ask({ text: 'A long answer that never ends', chunkSize: 4, breakAfter: 3 });
    expect(answer).toMatchObject({ stopReason: 'error', error: { code: 'stream_broken', retryable: true } });
    expect('A long answer'.startsWith(answer.text)).toBe(true);
  });

  it('counts a stream that falls silent as broken', async () => {
    server.setScript([{ text: 'Hello there', stall: 2 }]);
    const { answer } = await collect(
      provider('openai', { silenceMs: 300 }).stream('m', request(), { signal: new AbortController().signal }),
    );
    expect(answer).toMatchObject({
      text: 'Hello there'.slice(0, 16),
      stopReason: 'error',
      error: { code: 'stream_broken' },
    });
    expect(answer.error?.message).toMatch(/sent nothing for/);
  });

  it('is kept alive by comments', async () => {
    let held = 0;
    const gate = () => (held++ < 8 ? new Promise((resolve) => setTimeout(resolve, 150)) : undefined);
    server.setScript([
      {
        raw: [...Array.from({ length: 8 }, () => ': working\n\n'), ...sse(delta({ content: 'Hi' }, 'stop'), DONE)],
        gate,
      },
    ]);
    const { answer } = await collect(
      provider('openai', { silenceMs: 1000 }).stream('m', request(), { signal: new AbortController().signal }),
    );
    expect(answer.text).toBe('Hi');
  });

  it('reports an error object inside the stream with its words', async () => {
    const { answer } = await ask({
      raw: sse(delta({ content: 'So far' }), { error: { code: 502, message: 'Upstream died' } }),
    });
    expect(answer).toMatchObject({ text: 'So far', stopReason: 'error', error: { code: 'server', retryable: true } });
    expect(answer.error?.message).toContain('Upstream died');
  });

  it('reports a web page in place of an answer', async () => {
    const { answer } = await ask({ status: 200, body: '<html><head><title>Sign in to Wi-Fi</title></head></html>' });
    expect(answer).toMatchObject({ stopReason: 'error', error: { code: 'not_found' } });
    expect(answer.error?.message).toContain('Sign in to Wi-Fi');
  });

  it('takes an answer that was not streamed', async () => {
    const body = {
      model: 'm2',
      choices: [
        {
          message: {
            role: 'assistant',
            content: 'Whole',
            tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    };
    expect((await ask({ status: 200, body })).answer).toMatchObject({
      text: 'Whole',
      model: 'm2',
      stopReason: 'tool_calls',
      toolCalls: [{ id: 'x' }],
    });
  });

  it('reports an error that came with status 200', async () => {
    const { answer } = await ask({
      status: 200,
      body: { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
    });
    expect(answer).toMatchObject({ stopReason: 'error' });
    expect(answer.error?.message).toContain('insufficient balance');
  });

  it('counts garbage in the stream as broken', async () => {
    const { answer } = await ask({ raw: ['data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n', 'data: {"choi\n\n'] });
    expect(answer).toMatchObject({ text: 'Hi', error: { code: 'stream_broken' } });
  });

  it('takes thoughts in parts of the content', async () => {
    const { answer } = await ask({
      raw: sse(
        delta(
          {
            content: [
              { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
              { type: 'text', text: 'Bonjour' },
            ],
          },
          'stop',
        ),
        DONE,
      ),
    });
    expect(answer).toMatchObject({ text: 'Bonjour', reasoning: 'hm' });
  });
});

describe('odd tool calls of chat completions', () => {
  const call = (fields: object) => delta({ tool_calls: [fields] });
  const both = [
    [
      'without index and id',
      [call({ function: { name: 'a', arguments: '{"x":1}' } }), call({ function: { name: 'b', arguments: '{}' } })],
    ],
    [
      'all under index 0',
      [
        call({ index: 0, id: '1', function: { name: 'a', arguments: '{"x":1}' } }),
        call({ index: 0, id: '2', function: { name: 'b', arguments: '{}' } }),
      ],
    ],
    [
      'with the name in a later chunk',
      [
        call({ index: 0, id: '1', function: { arguments: '{"x"' } }),
        call({ index: 0, function: { name: 'a', arguments: ':1}' } }),
        call({ index: 1, id: '2', function: { name: 'b' } }),
      ],
    ],
    [
      'with the name in every chunk',
      [
        call({ index: 0, id: '1', function: { name: 'a', arguments: '{"x"' } }),
        call({ index: 0, id: '1', function: { name: 'a', arguments: ':1}' } }),
        call({ index: 1, function: { name: 'b', arguments: '' } }),
      ],
    ],
    [
      'interleaved',
      [
        call({ index: 0, id: '1', function: { name: 'a' } }),
        call({ index: 1, id: '2', function: { name: 'b' } }),
        call({ index: 0, function: { arguments: '{"x":1}' } }),
      ],
    ],
    [
      'with arguments as an object',
      [
        call({ index: 0, function: { name: 'a', arguments: { x: 1 } } }),
        call({ index: 1, function: { name: 'b', arguments: {} } }),
      ],
    ],
    [
      'with the id after the name',
      [
        call({ index: 0, function: { name: 'a', arguments: '{"x"' } }),
        call({ index: 0, id: '1', function: { arguments: ':1}' } }),
        call({ index: 1, id: '2', function: { name: 'b' } }),
      ],
    ],
    [
      'with a nameless one between',
      [
        call({ index: 0, id: '1', function: { name: 'a', arguments: '{"x":1}' } }),
        call({ index: 7, id: '9', function: { arguments: '{}' } }),
        call({ index: 1, function: { name: 'b' } }),
      ],
    ],
  ] as const;

  it.each(both)('are put together %s', async (_, chunks) => {
    const { answer, events } = await ask({ raw: sse(...chunks, delta({}, 'stop'), DONE) });
    expect(answer.stopReason).toBe('tool_calls');
    expect(answer.toolCalls.map(({ function: fn }) => [fn.name, fn.arguments])).toEqual([
      ['a', '{"x":1}'],
      ['b', '{}'],
    ]);
    const ids = answer.toolCalls.map((made) => made.id);
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => id !== '')).toBe(true);
    expect(events.flatMap((event) => (event.type === 'tool_start' ? [event.id] : []))).toEqual(ids);
  });
});

describe('a stopped answer', () => {
  it('ends as aborted at once with what came, and ends the request', async () => {
    const stop = new AbortController();
    server.setScript([{ text: 'Hello there, this goes on', chunkSize: 5, stall: 3 }]);
    const seen: string[] = [];
    for await (const event of provider().stream('m', request(), { signal: stop.signal })) {
      if (event.type === 'text') {
        seen.push(event.text);
        stop.abort();
      }
      if (event.type === 'end') expect(event.answer).toMatchObject({ text: 'Hello', stopReason: 'aborted' });
    }
    expect(seen).toEqual(['Hello']);
    await expect.poll(() => server.aborted()).toBe(1);
  });

  it('sends nothing where it was stopped before it began', async () => {
    const { answer } = await ask({ text: 'x' }, { signal: AbortSignal.abort() });
    expect(answer.stopReason).toBe('aborted');
    expect(server.requests).toHaveLength(0);
  });

  it('ends the request when nobody listens any more', async () => {
    server.setScript([{ text: 'Hello there', stall: 2 }]);
    for await (const event of provider().stream('m', request(), { signal: new AbortController().signal })) {
      if (event.type === 'text') break;
    }
    await expect.poll(() => server.aborted()).toBe(1);
  });
});

describe('failures of chat completions', () => {
  it('maps an error status with Retry-After and never shows the key', async () => {
    const { answer } = await ask({
      status: 429,
      headers: { 'retry-after': '2' },
      body: { error: { message: 'Slow down, sk-test-0123456789' } },
    });
    expect(answer.error).toMatchObject({ code: 'rate_limit', status: 429, retryAfterMs: 2000, retryable: true });
    expect(answer.error?.message).toBe('OpenAI limits how often it may be asked (HTTP 429): "Slow down, ***".');
  });

  it('says where nobody listens', async () => {
    const gone = await startModelServer();
    await gone.close();
    const { answer } = await collect(
      provider('ollama', { apiBase: `${gone.url}/v1` }).stream('m', request(), {
        signal: new AbortController().signal,
      }),
    );
    expect(answer).toMatchObject({ stopReason: 'error', error: { code: 'network', retryable: true } });
    expect(answer.error?.message).toMatch(/Ollama cannot be reached.*127\.0\.0\.1.*ECONNREFUSED/);
  });

  it('knows a refused image by the request that held one', async () => {
    const withImage = request([user([{ type: 'text', text: 'See' }, image()])]);
    const { answer } = await ask(
      { status: 400, body: { error: { message: 'unknown variant image_url' } } },
      { request: withImage },
    );
    expect(answer.error?.code).toBe('image_rejected');
  });
});

describe('dialects', () => {
  const turn = [
    user('Read a'),
    assistant('', { ...calling(['c1', 'read_file', '{"path":"a"}']), reasoning_content: 'I should read it.' }),
    result('c1', 'text of a'),
  ];

  it('deepseek: reads cache hits and gives reasoning back in turns with calls, not in others', async () => {
    const earlier = [user('Hi'), assistant('Hello', { reasoning_content: 'old thoughts' })];
    const usage = {
      prompt_tokens: 90,
      completion_tokens: 4,
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 26,
    };
    const { answer } = await ask(
      {
        raw: sse(delta({ reasoning_content: 'Hm.' }), delta({ content: 'Done' }, 'stop'), { choices: [], usage }, DONE),
      },
      { name: 'deepseek', request: request([...earlier, ...turn], { tools: [READ] }) },
    );
    expect(answer).toMatchObject({
      text: 'Done',
      reasoning: 'Hm.',
      usage: { inputTokens: 90, outputTokens: 4, cachedTokens: 64 },
    });
    const sent = server.requests[0]?.body.messages ?? [];
    expect(sent[2]).not.toHaveProperty('reasoning_content');
    expect(sent[4]).toMatchObject({ role: 'assistant', content: null, reasoning_content: 'I should read it.' });
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 1000, stream_options: { include_usage: true } });
  });

  it('deepseek: fills in reasoning for calls that another model made', async () => {
    await ask(
      { text: 'Done' },
      {
        name: 'deepseek',
        request: request([user('Go'), assistant(null, calling(['c1', 'read_file'])), result('c1', 'x')]),
      },
    );
    expect(server.requests[0]?.body.messages[2]).toMatchObject({ reasoning_content: ' ' });
  });

  it('openrouter: keeps reasoning details with the call and gives them back unchanged', async () => {
    const piece = (text: string, signature?: string) => ({
      type: 'reasoning.text',
      index: 0,
      text,
      ...(signature ? { signature } : {}),
    });
    const raw = sse(
      ': OPENROUTER PROCESSING\n\n',
      delta({ reasoning: 'Let ', reasoning_details: [piece('Let ')] }),
      delta({ reasoning: 'me.', reasoning_details: [piece('me.', 'sig')] }),
      delta(
        { tool_calls: [{ index: 0, id: 'c1', function: { name: 'read_file', arguments: '{"path":"a"}' } }] },
        'tool_calls',
      ),
      { choices: [], usage: { prompt_tokens: 50, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 40 } } },
      DONE,
    );
    const { answer } = await ask(
      { raw },
      { name: 'openrouter', request: request([user('Read a')], { tools: [READ] }) },
    );
    expect(answer).toMatchObject({ reasoning: 'Let me.', usage: { cachedTokens: 40 } });
    const details = [{ type: 'reasoning.text', index: 0, text: 'Let me.', signature: 'sig' }];
    expect(answer.toolCalls[0]?.extra_content).toEqual({ reasoning_details: details });
    const next = request([
      user('Read a'),
      assistant('', { tool_calls: answer.toolCalls, reasoning_content: 'Let me.' }),
      result('c1', 'x'),
    ]);
    await ask({ text: 'Done' }, { name: 'openrouter', request: next });
    expect(server.requests[1]?.body.messages[2]).toMatchObject({ reasoning_details: details });
    expect(server.requests[1]?.body).not.toHaveProperty('stream_options');
  });

  it('openrouter: marks the cache for Claude only', async () => {
    await ask({ text: 'x' }, { name: 'openrouter', model: 'anthropic/claude-sonnet-5.5', request: request(turn) });
    await ask({ text: 'x' }, { name: 'openrouter', model: 'qwen/qwen3', request: request(turn) });
    const marks = server.requests.map(({ body }) => JSON.stringify(body).split('"cache_control"').length - 1);
    expect(marks).toEqual([3, 0]);
  });

  it('openrouter: reports an error that ends the stream', async () => {
    const { answer } = await ask({ raw: sse(delta({ content: 'So' }, 'error')) }, { name: 'openrouter' });
    expect(answer).toMatchObject({ text: 'So', stopReason: 'error', error: { code: 'server', retryable: true } });
  });

  it('ollama: calls without index or streaming, and no words about a key', async () => {
    const raw = sse(
      delta({
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call_x', function: { name: 'read_file', arguments: '{"path":"a"}' } }],
      }),
      delta({ content: '' }, 'stop'),
      DONE,
    );
    const { answer } = await ask({ raw }, { name: 'ollama', request: request([user('Read a')], { tools: [READ] }) });
    expect(answer).toMatchObject({
      stopReason: 'tool_calls',
      toolCalls: [{ id: 'call_x', function: { name: 'read_file' } }],
    });
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 1000 });
  });

  it('gemini: keeps the thought signature of a call and gives it back', async () => {
    const extra = { google: { thought_signature: 'abc' } };
    const raw = sse(
      delta(
        { tool_calls: [{ index: 0, id: 'c1', extra_content: extra, function: { name: 'f', arguments: '{}' } }] },
        'tool_calls',
      ),
      DONE,
    );
    const { answer } = await ask({ raw }, { name: 'gemini', model: 'gemini-3.5-flash' });
    expect(answer.toolCalls[0]?.extra_content).toEqual(extra);
  });
});
