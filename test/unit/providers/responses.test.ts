import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import type { StoredMessage } from '../../../src/protocol/message.js';
import { OpenAIProvider, type OpenAIOptions } from '../../../src/providers/openai.js';
import { HttpFailure } from '../../../src/providers/errors.js';
import { firstApi, Lessons } from '../../../src/providers/openaiLessons.js';
import type { ModelAnswer, ModelRequest } from '../../../src/providers/provider.js';
import { streamWithRetry } from '../../../src/providers/retry.js';
import { startModelServer, type ModelServer, type Reply } from '../../support/modelServer.js';
import { assistant, AT, calling, collect, image, joined, PNG, READ, request, result, user } from './setup.js';

let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

const MODEL = 'gpt-5.6-terra';
const never = () => new AbortController().signal;

function provider(more: Partial<OpenAIOptions> = {}): OpenAIProvider {
  const options = { name: 'openai', clock: nodeClock(), apiKey: 'sk-test-0123456789', apiBase: `${server.url}/v1` };
  return new OpenAIProvider({ ...options, api: 'responses', ...more });
}

async function ask(reply: Reply, asked: ModelRequest = request(), model = MODEL) {
  server.setScript([reply]);
  return collect(provider().stream(model, asked, { signal: never() }));
}

/** The answer as it is stored, and comes back with the next request. */
function stored({ text, toolCalls, reasoning, extra }: ModelAnswer, more: Partial<StoredMessage> = {}): StoredMessage {
  return assistant(text, {
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(extra ? { extra_content: extra } : {}),
    ...more,
  });
}

const sse = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
const last = (fields: object = {}) => ({
  type: 'response.completed',
  response: { object: 'response', model: MODEL, status: 'completed', output: [], ...fields },
});
const inputOf = (n: number) => server.requests[n]?.body['input'] as Record<string, unknown>[];

describe('an answer over the Responses API', () => {
  it('streams text and thoughts and ends with usage, cached tokens included', async () => {
    const { events, answer } = await ask({
      thinking: 'Let me see.',
      text: 'Hello, world of tea!',
      model: 'gpt-5.6-terra-2026-07-01',
      usage: { input: 100, output: 30, cached: 64 },
    });
    expect(joined(events, 'text')).toBe('Hello, world of tea!');
    expect(joined(events, 'thinking')).toBe('Let me see.');
    expect(answer).toMatchObject({
      text: 'Hello, world of tea!',
      reasoning: 'Let me see.',
      toolCalls: [],
      stopReason: 'stop',
      usage: { inputTokens: 100, outputTokens: 30, cachedTokens: 64 },
      model: 'gpt-5.6-terra-2026-07-01',
    });
    expect(server.requests[0]?.path).toBe('/v1/responses');
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

  it('says what a cut, a filtered and a declined answer are', async () => {
    expect((await ask({ text: 'half', stopReason: 'length' })).answer).toMatchObject({
      text: 'half',
      stopReason: 'length',
    });
    expect((await ask({ text: 'So far', stopReason: 'content_filter' })).answer).toMatchObject({
      text: 'So far',
      stopReason: 'error',
      error: { code: 'refused', retryable: false },
    });
    const raw = sse({ type: 'response.refusal.delta', output_index: 0, delta: 'I cannot help with that.' }, last());
    expect((await ask({ raw })).answer).toMatchObject({ text: 'I cannot help with that.', stopReason: 'stop' });
  });

  it('reads the same answer wherever the bytes are cut, and one that was not streamed', async () => {
    const item = { type: 'message', id: 'm', content: [{ type: 'output_text', text: '茶 and 😀' }] };
    const whole = new TextEncoder().encode(
      sse({ type: 'response.output_text.delta', output_index: 0, delta: '茶 and 😀' }, last({ output: [item] })).join(
        '',
      ),
    );
    for (let cut = 1; cut < whole.length; cut += 11) {
      const { answer } = await ask({ raw: [whole.slice(0, cut), whole.slice(cut, cut + 2), whole.slice(cut + 2)] });
      expect(answer).toMatchObject({ text: '茶 and 😀', stopReason: 'stop' });
    }
    const call = { type: 'function_call', call_id: 'c9', name: 'f', arguments: '{"a":1}' };
    const { answer, events } = await ask({ status: 200, body: last({ output: [item, call] }).response });
    expect(answer).toMatchObject({ text: '茶 and 😀', toolCalls: [{ id: 'c9', function: { arguments: '{"a":1}' } }] });
    expect(joined(events, 'text')).toBe('茶 and 😀');
  });

  it('keeps two messages of one answer apart', async () => {
    const delta = (output_index: number, text: string) => ({
      type: 'response.output_text.delta',
      output_index,
      delta: text,
    });
    const { answer, events } = await ask({
      raw: sse(delta(0, 'Let me '), delta(0, 'look.'), delta(2, 'Done.'), last()),
    });
    expect(answer.text).toBe('Let me look.\n\nDone.');
    expect(joined(events, 'text')).toBe(answer.text);
  });
});

describe('a Responses request', () => {
  const asked = request(
    [
      user([{ type: 'text', text: 'Look' }, image()], { runtime_context: '[Runtime Context]' }),
      assistant('I will.', calling(['c1', 'read_file', '{"path":"a"}'])),
      result('c1', [{ type: 'text', text: 'one' }, image()]),
    ],
    { tools: [READ], temperature: 0.2, maxTokens: 500_000 },
  );

  it('holds the whole transcript in the form of the API and stores nothing there', async () => {
    await ask({ text: 'Done' }, asked);
    const body = server.requests[0]?.body;
    expect(body).toEqual({
      model: MODEL,
      instructions: 'You are a test.',
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look' },
            { type: 'input_image', image_url: PNG, detail: 'auto' },
            { type: 'input_text', text: '[Runtime Context]' },
          ],
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I will.' }] },
        { type: 'function_call', call_id: 'c1', name: 'read_file', arguments: '{"path":"a"}' },
        {
          type: 'function_call_output',
          call_id: 'c1',
          output: [
            { type: 'input_text', text: 'one' },
            { type: 'input_image', image_url: PNG, detail: 'auto' },
          ],
        },
      ],
      tools: [
        {
          type: 'function',
          name: 'read_file',
          description: 'Read a file.',
          parameters: READ.parameters,
          strict: false,
        },
      ],
      stream: true,
      store: false,
      max_output_tokens: 128_000,
      include: ['reasoning.encrypted_content'],
      reasoning: { summary: 'auto' },
      prompt_cache_key: 'vscode:1',
    });
  });

  it('asks models that do not think for no thoughts, and leaves the tools out of nothing', async () => {
    await ask({ text: 'x' }, { ...asked, toolChoice: 'none' }, 'gpt-4o');
    expect(server.requests[0]?.body).toMatchObject({
      temperature: 0.2,
      tool_choice: 'none',
      tools: [{ name: 'read_file' }],
    });
    for (const field of ['include', 'reasoning']) expect(server.requests[0]?.body).not.toHaveProperty(field);
  });

  it('offers no tools where none is to be called and the endpoint knows no other way to say so', async () => {
    const ask = async (more: Partial<ModelRequest>) => {
      server.setScript([{ text: 'x' }]);
      await collect(provider({ name: 'ollama' }).stream('own', { ...asked, ...more }, { signal: never() }));
      return server.requests.at(-1)?.body;
    };
    const body = await ask({ toolChoice: 'none' });
    for (const field of ['tools', 'tool_choice']) expect(body).not.toHaveProperty(field);
    expect(await ask({})).toMatchObject({ tools: [{ name: 'read_file' }] });
  });

  it('moves images behind the results where the endpoint is not known to take them there', async () => {
    server.setScript([{ text: 'x' }]);
    await collect(provider({ name: 'custom' }).stream('own', asked, { signal: never() }));
    expect(inputOf(0).slice(3)).toEqual([
      { type: 'function_call_output', call_id: 'c1', output: 'one' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: '(image from the result of read_file)' },
          { type: 'input_image', image_url: PNG, detail: 'auto' },
        ],
      },
    ]);
  });
});

describe('reasoning over the Responses API', () => {
  const sealed = {
    type: 'reasoning',
    id: 'rs_8',
    summary: [{ type: 'summary_text', text: 'Read it.' }],
    encrypted_content: 'sealed(Read it.)',
  };
  const thought = { thinking: 'Read it.', text: 'I will.', toolCalls: [{ name: 'read_file', args: {}, id: 'c1' }] };

  async function next(
    answer: ModelAnswer,
    how: { model?: string; more?: Partial<StoredMessage>; replies?: Reply[] } = {},
  ) {
    server.setScript(how.replies ?? [{ text: 'Done' }]);
    const before = server.requests.length;
    const asked = request([user('Go'), stored(answer, how.more), result('c1', 'x')], { tools: [READ] });
    const { answer: second } = await collect(provider().stream(how.model ?? MODEL, asked, { signal: never() }));
    return { second, items: inputOf(before) };
  }

  it('goes back in its place, with what it led to', async () => {
    const { answer } = await ask(thought);
    const { items } = await next(JSON.parse(JSON.stringify(answer)) as ModelAnswer);
    expect(items.slice(1)).toEqual([
      sealed,
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I will.' }] },
      { type: 'function_call', call_id: 'c1', name: 'read_file', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'x' },
    ]);
  });

  it('keeps the order and the phases of an answer with several messages', async () => {
    const message = (text: string, phase: string) => ({
      type: 'message',
      phase,
      content: [{ type: 'output_text', text }],
    });
    const call = { type: 'function_call', call_id: 'c1', name: 'read_file', arguments: '{}' };
    const { answer } = await ask({
      raw: sse(last({ output: [message('One.', 'commentary'), sealed, call, message('Two.', 'final_answer')] })),
    });
    const { items } = await next(answer);
    expect(items.slice(1, 5)).toMatchObject([
      { content: [{ text: 'One.' }], phase: 'commentary' },
      sealed,
      { type: 'function_call' },
      { content: [{ text: 'Two.' }], phase: 'final_answer' },
    ]);
  });

  it('stays away from other models, from changed messages, and where it led to nothing', async () => {
    const { answer } = await ask(thought);
    const other = await next(answer, { model: 'gpt-6-sol' });
    const changed = await next(answer, { more: { content: 'Something else.' } });
    const words = { type: 'message', content: [{ type: 'output_text', text: 'a' }] };
    const { answer: leadsNowhere } = await ask({ raw: sse(last({ output: [sealed, words, sealed] })) });
    expect(leadsNowhere.extra).toBeDefined();
    const { items } = await next(leadsNowhere);
    expect(items.map((item) => item['type'])).toEqual(['message', 'reasoning', 'message', 'message']);
    for (const { items } of [other, changed]) {
      expect(items.map((item) => item['type'])).not.toContain('reasoning');
      expect(items.at(-1)).toMatchObject({ type: 'function_call_output', call_id: 'c1' });
    }
  });

  it('is left out once it was refused, so that a session with it goes on', async () => {
    const { answer } = await ask(thought);
    const refused = {
      status: 400,
      body: {
        error: {
          code: 'invalid_encrypted_content',
          message: 'The encrypted content for item rs_8 could not be verified.',
        },
      },
    };
    const asked = request([user('Go'), stored(answer), result('c1', 'x')], { tools: [READ] });
    const same = provider();
    server.setScript([refused, { text: 'Done' }, { text: 'Again' }]);
    const { answer: second } = await collect(same.stream(MODEL, asked, { signal: never() }));
    expect(second).toMatchObject({ text: 'Done', stopReason: 'stop' });
    await collect(same.stream(MODEL, asked, { signal: never() }));
    expect([1, 2, 3].map((n) => inputOf(n).some((item) => item['type'] === 'reasoning'))).toEqual([true, false, false]);
  });

  it('is left out of the next attempt where it was refused in the middle of an answer', async () => {
    const { answer } = await ask(thought);
    const failed = {
      type: 'response.failed',
      response: {
        error: {
          code: 'invalid_encrypted_content',
          message: 'The encrypted content gAAA...c90= could not be verified.',
        },
      },
    };
    const asked = request([user('Go'), stored(answer), result('c1', 'x')], { tools: [READ] });
    const same = provider();
    server.setScript([
      { raw: sse({ type: 'response.output_text.delta', output_index: 0, delta: 'So' }, failed) },
      { text: 'Done' },
    ]);
    const { answer: second } = await collect(same.stream(MODEL, asked, { signal: never() }));
    expect(second).toMatchObject({ text: 'So', error: { retryable: true } });
    await collect(same.stream(MODEL, asked, { signal: never() }));
    expect([1, 2].map((n) => inputOf(n).some((item) => item['type'] === 'reasoning'))).toEqual([true, false]);
  });

  it.each([
    ['include', 'Encrypted content is not supported with this model.'],
    ['reasoning', 'Your organization must be verified to generate reasoning summaries.'],
  ])('is not asked for in %s where the endpoint refuses that', async (field, message) => {
    const same = provider();
    server.setScript([{ status: 400, body: { error: { message } } }, { text: 'One' }, { text: 'Two' }]);
    const { events, answer } = await collect(same.stream(MODEL, request(), { signal: never() }));
    expect(answer.text).toBe('One');
    expect(events.filter((event) => event.type === 'end')).toHaveLength(1);
    await collect(same.stream(MODEL, request(), { signal: never() }));
    expect(server.requests.map(({ body }) => field in body)).toEqual([true, false, false]);
  });
});

describe('failures over the Responses API', () => {
  it.each([
    ['an error event', { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down' }, 'rate_limit', true],
    [
      'an error inside an error event',
      { type: 'error', error: { type: 'server_error', message: 'Oh' } },
      'server',
      true,
    ],
    [
      'a failed response',
      { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'Oh' } } },
      'server',
      true,
    ],
    [
      'a refused prompt',
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'invalid_prompt', message: 'flagged by policy' } },
      },
      'refused',
      false,
    ],
    [
      'a full window',
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'context_length_exceeded', message: 'Too much' } },
      },
      'context_length',
      false,
    ],
    [
      'a used up quota',
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'insufficient_quota', message: 'No more' } },
      },
      'quota',
      false,
    ],
  ])('sorts %s by what to do about it', async (_, event, code, retryable) => {
    const { answer } = await ask({
      raw: sse({ type: 'response.output_text.delta', output_index: 0, delta: 'So far' }, event),
    });
    expect(answer).toMatchObject({ text: 'So far', stopReason: 'error', error: { code, retryable } });
  });

  it('ends with an error where a stored message cannot be made a request', async () => {
    const broken = request([user('Go'), assistant('x', { tool_calls: 'none' as never })]);
    const { answer } = await ask({ text: 'x' }, broken);
    expect(answer).toMatchObject({ stopReason: 'error' });
    expect(server.requests).toHaveLength(0);
  });

  it('knows a refused image', async () => {
    const raw = sse({
      type: 'response.failed',
      response: { error: { code: 'image_parse_error', message: 'The image is broken' } },
    });
    const { answer } = await ask({ raw }, request([user([{ type: 'text', text: 'See' }, image()])]));
    expect(answer.error).toMatchObject({ code: 'image_rejected', retryable: false });
  });

  it('counts a stream that ends, is destroyed or falls silent as broken, and keeps what came', async () => {
    const broken = { stopReason: 'error', error: { code: 'stream_broken', retryable: true } };
    expect((await ask({ text: 'Only so f', stopReason: null })).answer).toMatchObject({ text: 'Only so f', ...broken });
    expect((await ask({ text: 'A long answer that goes on', chunkSize: 4, breakAfter: 4 })).answer).toMatchObject(
      broken,
    );
    server.setScript([{ text: 'Hello there, you', stall: true }]);
    const { answer } = await collect(provider({ silenceMs: 300 }).stream(MODEL, request(), { signal: never() }));
    expect(answer).toMatchObject({ text: 'Hello there, you', ...broken });
    expect(answer.error?.message).toMatch(/sent nothing for/);
  });

  it('tries a broken stream again, from the beginning of the answer', async () => {
    let sawText = () => {};
    const shown = new Promise<void>((resolve) => (sawText = resolve));
    server.setScript([
      // The connection ends only once something of the answer was read.
      { text: 'A long answer that goes on', chunkSize: 4, breakAfter: 4, gate: (n) => (n === 3 ? shown : undefined) },
      { text: 'Whole', thinking: 'Hm' },
    ]);
    const clock = { ...nodeClock(), sleep: () => Promise.resolve() };
    const attempts = streamWithRetry([{ provider: provider(), model: MODEL }], request(), {
      signal: never(),
      clock,
      random: () => 0,
    });
    const types: string[] = [];
    let text = '';
    for await (const event of attempts) {
      types.push(event.type);
      if (event.type === 'text') sawText();
      if (event.type === 'end') text = event.answer.text;
    }
    expect(text).toBe('Whole');
    expect(types.filter((type) => ['wait', 'wait_end', 'reset', 'end'].includes(type))).toEqual([
      'wait',
      'wait_end',
      'reset',
      'end',
    ]);
  });

  it('ends at once when it is stopped', async () => {
    const stop = new AbortController();
    server.setScript([{ text: 'Hello there, this goes on', chunkSize: 5, stall: 4 }]);
    for await (const event of provider().stream(MODEL, request(), { signal: stop.signal })) {
      if (event.type === 'text') stop.abort();
      if (event.type === 'end') expect(event.answer).toMatchObject({ text: 'Hello', stopReason: 'aborted' });
    }
    await expect.poll(() => server.aborted()).toBe(1);
  });
});

describe('the choice of the API', () => {
  it('goes back to chat completions where a model of OpenAI is not to be had over Responses', () => {
    const lessons = new Lessons({ provider: 'openai', address: 'https://api.openai.com/v1' });
    const refusal = (status: number, message: string) =>
      new HttpFailure(status, new Headers(), JSON.stringify({ error: { message } }));
    const ways = lessons.of('o9');
    expect(ways.api).toBe('responses');
    expect(lessons.learn('o9', ways, refusal(500, 'Not supported with the Responses API'), [])).toBe(false);
    expect(lessons.learn('o9', ways, refusal(400, "The model 'o9' is not supported with the Responses API."), [])).toBe(
      true,
    );
    expect([lessons.of('o9').api, lessons.of('o8').api]).toEqual(['chat', 'responses']);
  });

  it.each([
    ['openai', 'https://api.openai.com/v1', 'gpt-5.6-terra', 'responses'],
    ['openai', 'https://eu.api.openai.com/v1', 'o4-mini', 'responses'],
    ['openai', 'https://api.openai.com/v1', 'gpt-4o', 'chat'],
    ['openai', 'https://api.openai.com/v1', 'gpt-5-chat-latest', 'chat'],
    ['openai', 'https://api.openai.com.example.org/v1', 'gpt-5', 'chat'],
    ['openai', 'http://127.0.0.1:4000/v1', 'gpt-5', 'chat'],
    ['azure', 'https://x.openai.azure.com/openai/v1', 'gpt-5', 'chat'],
  ] as const)('is made for %s at %s and %s', (name, address, model, api) => {
    expect(firstApi({ provider: name, address }, model)).toBe(api);
    expect(firstApi({ provider: name, address, setting: 'responses' }, model)).toBe('responses');
  });

  const only = (api: string) => ({
    status: 404,
    body: { error: { message: `This model is only supported in v1/${api}.` } },
  });
  const tools = {
    status: 400,
    body: {
      error: {
        message:
          'Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. Please use /v1/responses instead.',
      },
    },
  };

  it.each([
    ['only there', only('responses and not in v1/chat/completions')],
    ['with tools', tools],
  ])(
    'changes where chat completions say that the model is to be asked over Responses (%s), and stays',
    async (_, refusal) => {
      const same = provider({ api: undefined });
      server.setScript((seen) => (seen.path.endsWith('/chat/completions') ? refusal : { text: 'Yes' }));
      const { events, answer } = await collect(same.stream(MODEL, request(), { signal: never() }));
      expect(answer).toMatchObject({ text: 'Yes', stopReason: 'stop' });
      expect(events.map((event) => event.type)).not.toContain('error');
      await collect(same.stream(MODEL, request(), { signal: never() }));
      expect(server.requests.map(({ path }) => path)).toEqual([
        '/v1/chat/completions',
        '/v1/responses',
        '/v1/responses',
      ]);
    },
  );

  it('changes for two turns that were refused at once', async () => {
    const same = provider({ api: undefined });
    let waiting = 0;
    let both: () => void = () => undefined;
    const together = new Promise<void>((resolve) => (both = resolve));
    server.setScript(async (seen) => {
      if (!seen.path.endsWith('/chat/completions')) return { text: 'Yes' };
      if (++waiting === 2) both();
      await together;
      return tools;
    });
    const answers = await Promise.all([0, 1].map(() => collect(same.stream(MODEL, request(), { signal: never() }))));
    expect(answers.map(({ answer }) => answer.text)).toEqual(['Yes', 'Yes']);
  });

  it('goes back to chat completions where there is no such address, once', async () => {
    const lessons = provider({ api: undefined });
    server.setScript((seen) =>
      seen.path.endsWith('/responses') ? { status: 404, body: '<html>Not Found</html>' } : tools,
    );
    const { answer } = await collect(lessons.stream(MODEL, request(), { signal: never() }));
    expect(answer.error).toMatchObject({ code: 'not_found' });
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/responses']);
  });

  it('keeps to what the person set', async () => {
    server.setScript([tools, only('chat/completions')]);
    const chat = await collect(provider({ api: 'chat' }).stream(MODEL, request(), { signal: never() }));
    const responses = await collect(provider({ api: 'responses' }).stream(MODEL, request(), { signal: never() }));
    expect([chat.answer.error?.code, responses.answer.error?.code]).toEqual(['bad_request', 'not_found']);
    expect(server.requests).toHaveLength(2);
  });

  it('asks no second time where the model is unknown', async () => {
    server.setScript([
      { status: 404, body: { error: { code: 'model_not_found', message: 'The model `x` does not exist.' } } },
    ]);
    const { answer } = await collect(
      provider().stream('x', request([user('Hi', { timestamp: AT })]), { signal: never() }),
    );
    expect(answer.error).toMatchObject({ code: 'not_found' });
    expect(server.requests).toHaveLength(1);
  });
});
