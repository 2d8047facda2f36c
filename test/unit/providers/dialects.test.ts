import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { keyFromEnvironment, ENDPOINTS } from '../../../src/providers/endpoints.js';
import { factsOf } from '../../../src/providers/modelFacts.js';
import { OpenAIProvider } from '../../../src/providers/openai.js';
import { requestUrl } from '../../../src/providers/openaiAddress.js';
import { DIALECTS, dialectOf } from '../../../src/providers/openaiDialects.js';
import type { ModelAnswer, ModelRequest } from '../../../src/providers/provider.js';
import { startModelServer, type ModelServer, type SeenBody } from '../../support/modelServer.js';
import { assistant, calling, collect, image, READ, request, result, user } from './setup.js';

interface Row {
  name: string;
  /** The whole base address; undefined where every account has its own. */
  base: string | undefined;
  key: string;
  model: string;
  /** Fields of the body, and fields that may not stand in it. */
  has: object;
  not: string[];
  /** The assistant message with calls as it is replayed. */
  replayed: object;
  /** Deltas and last chunks as this API streams them. */
  chunks: object[];
  answer: Partial<ModelAnswer>;
  /** Roles after the results; default: the person. */
  afterResults?: string[];
}

const delta = (fields: object, finish?: string) => ({
  choices: [{ index: 0, delta: fields, ...(finish ? { finish_reason: finish } : {}) }],
});
const call = (fields: object) => delta({ tool_calls: [fields] });
const fn = (args: unknown = '{"path":"a"}') => ({ name: 'read_file', arguments: args });
const usage = (more: object = {}) => ({ choices: [], usage: { prompt_tokens: 90, completion_tokens: 4, ...more } });
const cached = { prompt_tokens_details: { cached_tokens: 64 } };

const USED = { inputTokens: 90, outputTokens: 4, cachedTokens: 64 };
const UNCACHED = { ...USED, cachedTokens: 0 };
const MAX = { max_tokens: 1000 };
const MAX_COMPLETION = { max_completion_tokens: 1000 };
const STREAM_USAGE = { stream_options: { include_usage: true } };
const NO_TOOLS = { tool_choice: 'none', tools: [{ type: 'function', function: READ }] };
const WITH_REASONING = { content: null, reasoning_content: 'I should read it.' };
const PLAIN = { content: null };

/** What nearly all stream: thoughts in a field of their own, then text. */
const said = (field: string) => [delta({ [field]: 'Hm.' }), delta({ content: 'Done' }, 'stop')];
const DONE = { text: 'Done', reasoning: 'Hm.', stopReason: 'stop' } as const;

const ROWS: Row[] = [
  {
    name: 'openai',
    base: 'https://api.openai.com/v1',
    key: 'OPENAI_API_KEY',
    model: 'gpt-4o',
    has: { ...MAX_COMPLETION, ...STREAM_USAGE, ...NO_TOOLS, temperature: 0.2, prompt_cache_key: 'vscode:1' },
    not: ['max_tokens', 'reasoning_effort'],
    replayed: PLAIN,
    chunks: [delta({ content: 'Done' }, 'stop'), usage(cached)],
    answer: { text: 'Done', usage: USED },
  },
  {
    name: 'openrouter',
    base: 'https://openrouter.ai/api/v1',
    key: 'OPENROUTER_API_KEY',
    model: 'qwen/qwen3',
    has: { ...MAX, ...NO_TOOLS },
    not: ['stream_options', 'prompt_cache_key'],
    replayed: { content: null, reasoning: 'I should read it.' },
    chunks: [...said('reasoning'), usage(cached)],
    answer: { ...DONE, usage: USED },
  },
  {
    name: 'deepseek',
    base: 'https://api.deepseek.com',
    key: 'DEEPSEEK_API_KEY',
    model: 'deepseek-flash',
    has: { ...MAX, ...STREAM_USAGE, ...NO_TOOLS },
    not: ['prompt_cache_key', 'max_completion_tokens'],
    replayed: WITH_REASONING,
    chunks: [...said('reasoning_content'), usage({ prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 26 })],
    answer: { ...DONE, usage: USED },
  },
  {
    name: 'gemini',
    base: 'https://generativelanguage.googleapis.com/v1beta/openai',
    key: 'GEMINI_API_KEY',
    model: 'gemini-3.5-flash',
    has: { ...MAX, ...STREAM_USAGE, ...NO_TOOLS },
    not: ['prompt_cache_key'],
    replayed: {
      content: null,
      tool_calls: [
        { id: 'c1', extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } },
        { id: 'c2' },
      ],
    },
    chunks: [call({ index: 0, id: 'g1', function: fn() }), call({ index: 0, id: 'g2', function: fn() }), usage()],
    answer: { stopReason: 'tool_calls', usage: UNCACHED },
  },
  {
    name: 'groq',
    base: 'https://api.groq.com/openai/v1',
    key: 'GROQ_API_KEY',
    model: 'openai/gpt-oss-120b',
    has: { ...MAX_COMPLETION, ...STREAM_USAGE, ...NO_TOOLS },
    not: ['max_tokens', 'prompt_cache_key'],
    replayed: PLAIN,
    chunks: [
      delta({ reasoning: 'Hm.' }),
      { ...delta({ content: 'Done' }, 'stop'), x_groq: { usage: { prompt_tokens: 90, completion_tokens: 4 } } },
    ],
    answer: { ...DONE, usage: UNCACHED },
  },
  {
    name: 'mistral',
    base: 'https://api.mistral.ai/v1',
    key: 'MISTRAL_API_KEY',
    model: 'magistral-medium-latest',
    has: { ...MAX, ...NO_TOOLS },
    not: ['stream_options', 'prompt_cache_key'],
    replayed: { content: null, tool_calls: [{ id: 'c00000000' }, { id: 'c00000001' }] },
    chunks: [
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
      { ...delta({ content: 'Done' }, 'stop'), usage: { prompt_tokens: 90, completion_tokens: 4 } },
    ],
    answer: { ...DONE, usage: UNCACHED },
    afterResults: ['assistant', 'user'],
  },
  {
    name: 'moonshot',
    base: 'https://api.moonshot.ai/v1',
    key: 'MOONSHOT_API_KEY',
    model: 'kimi-k2.6',
    has: { ...MAX, ...STREAM_USAGE, ...NO_TOOLS, prompt_cache_key: 'vscode:1' },
    not: ['temperature'],
    replayed: WITH_REASONING,
    chunks: [...said('reasoning_content'), usage({ cached_tokens: 64 })],
    answer: { ...DONE, usage: USED },
  },
  {
    name: 'zhipu',
    base: 'https://open.bigmodel.cn/api/paas/v4',
    key: 'ZHIPUAI_API_KEY',
    model: 'glm-5.2',
    has: { ...MAX, ...STREAM_USAGE },
    not: ['tool_choice', 'tools'],
    replayed: WITH_REASONING,
    chunks: [...said('reasoning_content'), usage(cached)],
    answer: { ...DONE, usage: USED },
  },
  {
    name: 'dashscope',
    base: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    key: 'DASHSCOPE_API_KEY',
    model: 'qwen-plus',
    has: { ...MAX, ...STREAM_USAGE, ...NO_TOOLS },
    not: ['prompt_cache_key'],
    replayed: PLAIN,
    chunks: [delta({ reasoning_content: 'Hm.', content: null }), delta({ content: 'Done' }, 'stop'), usage(cached)],
    answer: { ...DONE, usage: USED },
  },
  {
    name: 'minimax',
    base: 'https://api.minimax.io/v1',
    key: 'MINIMAX_API_KEY',
    model: 'MiniMax-M3',
    has: { ...MAX_COMPLETION, ...STREAM_USAGE, ...NO_TOOLS },
    not: ['max_tokens'],
    replayed: { content: '<think>\nI should read it.\n</think>\n\n' },
    chunks: [delta({ content: '<think>Hm.</think>' }), delta({ content: 'Done' }, 'stop'), usage(cached)],
    answer: { ...DONE, usage: USED },
  },
  {
    name: 'siliconflow',
    base: 'https://api.siliconflow.cn/v1',
    key: 'SILICONFLOW_API_KEY',
    model: 'deepseek-ai/DeepSeek-V3.2',
    has: { ...MAX, ...STREAM_USAGE, ...NO_TOOLS },
    not: ['prompt_cache_key'],
    replayed: WITH_REASONING,
    chunks: [...said('reasoning_content'), usage()],
    answer: { ...DONE, usage: UNCACHED },
  },
  {
    name: 'xai',
    base: 'https://api.x.ai/v1',
    key: 'XAI_API_KEY',
    model: 'grok-4',
    has: { ...MAX, ...STREAM_USAGE, ...NO_TOOLS },
    not: ['prompt_cache_key'],
    replayed: PLAIN,
    chunks: [...said('reasoning_content'), usage(cached)],
    answer: { ...DONE, usage: USED },
  },
  {
    name: 'nvidia',
    base: 'https://integrate.api.nvidia.com/v1',
    key: 'NVIDIA_API_KEY',
    model: 'openai/gpt-oss-120b',
    has: { ...MAX, ...STREAM_USAGE, ...NO_TOOLS },
    not: ['prompt_cache_key'],
    replayed: PLAIN,
    chunks: [...said('reasoning_content'), usage()],
    answer: { ...DONE, usage: UNCACHED },
  },
  {
    name: 'azure',
    base: undefined,
    key: 'AZURE_OPENAI_API_KEY',
    model: 'gpt-5.6-terra',
    has: { ...MAX_COMPLETION, ...STREAM_USAGE, ...NO_TOOLS, prompt_cache_key: 'vscode:1', reasoning_effort: 'none' },
    not: ['max_tokens', 'temperature'],
    replayed: PLAIN,
    // Its first chunk tells of the filter only.
    chunks: [
      { choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
      delta({ content: 'Done' }, 'stop'),
      usage(cached),
    ],
    answer: { text: 'Done', usage: USED },
  },
  {
    name: 'vllm',
    base: 'http://127.0.0.1:8000/v1',
    key: 'VLLM_API_KEY',
    model: 'zai-org/GLM-5.2',
    has: { ...MAX, ...STREAM_USAGE, ...NO_TOOLS },
    not: ['prompt_cache_key'],
    replayed: WITH_REASONING,
    chunks: [...said('reasoning'), usage()],
    answer: { ...DONE, usage: UNCACHED },
  },
  {
    name: 'ollama',
    base: 'http://127.0.0.1:11434/v1',
    key: 'OLLAMA_API_KEY',
    model: 'qwen3:8b',
    has: { ...MAX, ...STREAM_USAGE },
    not: ['tool_choice', 'tools'],
    replayed: PLAIN,
    chunks: [delta({ tool_calls: [{ function: fn({ path: 'a' }) }] }), delta({ content: '' }, 'stop'), usage()],
    answer: { stopReason: 'tool_calls', usage: UNCACHED },
  },
  {
    name: 'lm_studio',
    base: 'http://127.0.0.1:1234/v1',
    key: 'LM_STUDIO_API_KEY',
    model: 'qwen3-8b',
    has: { ...MAX, ...STREAM_USAGE, ...NO_TOOLS },
    not: ['prompt_cache_key'],
    replayed: PLAIN,
    chunks: [delta({ content: '<think>Hm.</think>Done' }, 'stop'), usage()],
    answer: { ...DONE, usage: UNCACHED },
  },
  {
    name: 'custom',
    base: undefined,
    key: 'CUSTOM_API_KEY',
    model: 'deepseek-r1',
    has: { ...MAX, ...STREAM_USAGE, ...NO_TOOLS },
    not: ['prompt_cache_key'],
    replayed: WITH_REASONING,
    chunks: [...said('reasoning_content'), usage()],
    answer: { ...DONE, usage: UNCACHED },
  },
];

let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

/** A transcript with everything the APIs differ in: images, thoughts, two calls at once, and a person who speaks right after the results. */
const transcript = [
  user([{ type: 'text', text: 'Look' }, image()]),
  assistant('Yes.', { reasoning_content: 'Old thoughts.' }),
  user('Read both'),
  assistant('', {
    ...calling(['c1', 'read_file', '{"path":"a"}'], ['c2', 'read_file']),
    reasoning_content: 'I should read it.',
  }),
  result('c1', [{ type: 'text', text: 'one' }, image()]),
  result('c2', ''),
  user('And?'),
];

async function ask(row: Row, asked: ModelRequest): Promise<{ body: SeenBody; answer: ModelAnswer }> {
  const path = row.base === undefined ? '/v1' : new URL(row.base).pathname.replace(/\/$/, '');
  const apiBase = `${server.url}${path}`;
  server.setScript([{ raw: [...row.chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'] }]);
  const provider = new OpenAIProvider({ name: row.name, clock: nodeClock(), apiKey: 'sk-test-0123456789', apiBase });
  const { answer } = await collect(provider.stream(row.model, asked, { signal: new AbortController().signal }));
  const [seen] = server.requests;
  expect(seen?.path).toBe(`${path}/chat/completions`);
  expect(seen?.headers.authorization).toBe('Bearer sk-test-0123456789');
  expect(seen?.headers['api-key']).toBe(row.name === 'azure' ? 'sk-test-0123456789' : undefined);
  return { body: seen?.body ?? { messages: [] }, answer };
}

describe('every provider of the table', () => {
  it('stands in these tests', () => {
    expect(ROWS.map(({ name }) => name).sort()).toEqual(DIALECTS.map(({ name }) => name).sort());
    expect(ENDPOINTS).toHaveLength(DIALECTS.length + 1);
  });

  it.each(ROWS)('$name: is found at its address with its key', ({ name, base, key }) => {
    expect(dialectOf(name)).toMatchObject({ name, ...(base === undefined ? {} : { apiBase: base }) });
    expect(keyFromEnvironment(name, { [key]: ' sk-1 ' })).toBe('sk-1');
  });

  it.each(ROWS.filter(({ name }) => dialectOf(name).defaultModel !== undefined))(
    '$name: takes first a model that the table knows',
    ({ name }) => {
      expect(factsOf(dialectOf(name).defaultModel ?? '').contextWindow).toBeGreaterThan(100_000);
    },
  );

  it.each(ROWS)('$name: gets a body in its dialect, and its answer is read', async (row) => {
    const asked = request(transcript, { tools: [READ], toolChoice: 'none', temperature: 0.2 });
    const { body, answer } = await ask(row, asked);
    expect(body).toMatchObject({ model: row.model, stream: true, ...row.has });
    for (const field of row.not) expect(body).not.toHaveProperty(field);
    const roles = body.messages.map((message) => message.role);
    const start = ['system', 'user', 'assistant', 'user', 'assistant', 'tool', 'tool'];
    expect(roles).toEqual([...start, ...(row.afterResults ?? ['user'])]);
    expect(body.messages[4]).toMatchObject(row.replayed);
    expect(JSON.stringify(body.messages).includes('Old thoughts.')).toBe(row.name === 'minimax');
    const calls = body.messages[4]?.['tool_calls'] as { id: string }[];
    expect(body.messages.slice(5, 7).map((message) => message['tool_call_id'])).toEqual(calls.map(({ id }) => id));
    expect(body.messages[6]?.content).toBe('(tool completed with no output)');
    expect(answer).toMatchObject(row.answer);
    if (row.answer.stopReason === 'tool_calls')
      expect(answer.toolCalls.map(({ function: { arguments: args } }) => args)).toContain('{"path":"a"}');
  });

  it.each(ROWS)('$name: is offered tools without a word about choosing them', async (row) => {
    const { body } = await ask(row, request([user('Hi')], { tools: [READ] }));
    expect(body.tools).toHaveLength(1);
    expect(body).not.toHaveProperty('tool_choice');
    expect(body).not.toHaveProperty('parallel_tool_calls');
  });
});

describe('the address of a request', () => {
  const chat = '/chat/completions';
  const host = 'https://tea.openai.azure.com';
  it.each([
    ['custom', 'http://h:1/v1/', chat, 'http://h:1/v1/chat/completions'],
    ['custom', ' http://h:1/v1/chat/completions ', chat, 'http://h:1/v1/chat/completions'],
    ['custom', 'http://h:1/v1/responses', '/models', 'http://h:1/v1/models'],
    ['custom', 'http://h:1/v1?tenant=a', chat, 'http://h:1/v1/chat/completions?tenant=a'],
    ['azure', host, chat, `${host}/openai/v1/chat/completions`],
    ['azure', `${host}/openai/`, '/responses', `${host}/openai/v1/responses`],
    ['azure', `${host}/openai/v1/`, chat, `${host}/openai/v1/chat/completions`],
    ['azure', `${host}/openai/v1?api-version=preview`, '/responses', `${host}/openai/v1/responses?api-version=preview`],
    [
      'azure',
      `${host}/?api-version=2025-01-01`,
      chat,
      `${host}/openai/deployments/my%20gpt${chat}?api-version=2025-01-01`,
    ],
    ['azure', `${host}/openai/deployments`, chat, `${host}/openai/deployments/my%20gpt${chat}?api-version=2024-10-21`],
    [
      'azure',
      `${host}/openai/deployments/d1/chat/completions?api-version=2025-01-01`,
      chat,
      `${host}/openai/deployments/d1${chat}?api-version=2025-01-01`,
    ],
    ['azure', `${host}/openai/deployments/d1`, '/responses', `${host}/openai/responses?api-version=2024-10-21`],
    ['azure', `${host}/openai/deployments/d1`, '/models', `${host}/openai/models?api-version=2024-10-21`],
    ['azure', 'https://gateway.example.org/llm', chat, 'https://gateway.example.org/llm/chat/completions'],
  ])('of %s with %s for %s', (name, address, path, url) => {
    expect(requestUrl({ name }, address, path, 'my gpt')).toBe(url);
  });

  it('reaches a deployment with its version and its key', async () => {
    server.setScript([{ text: 'Hi' }]);
    const apiBase = `${server.url}/?api-version=2025-01-01`;
    const provider = new OpenAIProvider({ name: 'azure', clock: nodeClock(), apiKey: 'k-123', apiBase });
    const { answer } = await collect(provider.stream('gpt-4o', request(), { signal: new AbortController().signal }));
    expect(answer.text).toBe('Hi');
    expect(server.requests[0]).toMatchObject({
      path: '/openai/deployments/gpt-4o/chat/completions',
      query: '?api-version=2025-01-01',
      headers: { 'api-key': 'k-123' },
    });
  });
});
