import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import type { ErrorInfo } from '../../../src/protocol/message.js';
import {
  keyFromEnvironment,
  keyVariables,
  ProviderRegistry,
  type ProviderFactory,
  type ProviderSettings,
  type RegistryOptions,
  type Resolution,
} from '../../../src/providers/registry.js';
import { startModelServer, type ModelServer } from '../../support/modelServer.js';
import { collect, request } from './setup.js';

const WATCHED = { watched: true };

function registry(
  options: { keys?: Record<string, string>; settings?: Partial<ProviderSettings> } & Partial<
    Pick<RegistryOptions, 'extra' | 'probeLocal'>
  > = {},
): ProviderRegistry {
  const { keys = {}, settings = {}, extra = {}, probeLocal = false } = options;
  return new ProviderRegistry({
    settings: () => ({ model: 'auto', fallbackModels: [], providers: {}, ...settings }),
    keys: (name) => Promise.resolve(keys[name]),
    clock: nodeClock(),
    extra,
    probeLocal,
    practicePieceMs: 0,
  });
}

function idOf(resolution: Resolution): string {
  return 'error' in resolution ? `error ${resolution.error.code}: ${resolution.error.message}` : resolution.info.id;
}

function errorOf(resolution: Resolution): ErrorInfo {
  if (!('error' in resolution)) throw new Error(`Expected an error and got ${resolution.info.id}.`);
  return resolution.error;
}

const editor = (model: string | undefined, refusal?: ErrorInfo): ProviderFactory => ({
  create: () => ({
    name: 'vscode',
    stream: () => {
      throw new Error('not asked here');
    },
  }),
  autoModel: () => Promise.resolve(model),
  refusal: () => Promise.resolve(refusal),
  models: () => Promise.resolve([{ name: 'copilot-x' }]),
  facts: () => ({ contextWindow: 111_000, images: false }),
});

describe('auto', () => {
  it('takes the first provider with a key, in a fixed order, with its default model', async () => {
    expect(idOf(await registry({ keys: { deepseek: 'k', openai: 'k' } }).resolve('auto', WATCHED))).toBe(
      'openai/gpt-5.6-terra',
    );
    expect(idOf(await registry({ keys: { deepseek: 'k', anthropic: 'k' } }).resolve('auto', WATCHED))).toBe(
      'anthropic/claude-sonnet-5-5',
    );
    expect(idOf(await registry({ keys: { deepseek: 'k' } }).resolve('', WATCHED))).toBe('deepseek/deepseek-flash');
  });

  it("takes an endpoint of one's own by its address and model", async () => {
    const providers = { 'my-box': { apiBase: 'http://127.0.0.1:1/v1', models: { 'big-one': {} } } };
    expect(idOf(await registry({ settings: { providers } }).resolve('auto', WATCHED))).toBe('my-box/big-one');
  });

  it("takes the editor's models after keys and only where they may be used", async () => {
    const extra = { vscode: editor('copilot-x') };
    expect(idOf(await registry({ extra, keys: { openai: 'k' } }).resolve('auto', WATCHED))).toBe(
      'openai/gpt-5.6-terra',
    );
    const resolved = await registry({ extra }).resolve('auto', WATCHED);
    expect(resolved).toMatchObject({ model: 'copilot-x', info: { id: 'vscode/copilot-x', window: 111_000 } });
    expect(idOf(await registry({ extra: { vscode: editor(undefined) } }).resolve('auto', WATCHED))).toBe(
      'practice/practice',
    );
  });

  it('comes to practice for a watched chat with nothing configured, and to an error for others', async () => {
    expect(await registry().resolve('auto', WATCHED)).toMatchObject({
      info: { id: 'practice/practice', practice: true },
    });
    expect(errorOf(await registry().resolve('auto', { watched: false }))).toMatchObject({
      code: 'no_model',
      next: ['setKey', 'switchModel'],
    });
  });

  describe('with local servers', () => {
    let server: ModelServer;
    beforeEach(async () => {
      server = await startModelServer();
    });
    afterEach(() => server.close());
    const nobody = 'http://127.0.0.1:1/v1';
    const local = () => ({ ollama: { apiBase: nobody }, lm_studio: { apiBase: `${server.url}/v1` } });

    it('takes the first chat model of one that answers, and asks once only', async () => {
      server.setModels(['nomic-embed-text', 'qwen3:8b']);
      const found = registry({ probeLocal: true, settings: { providers: local() } });
      expect(idOf(await found.resolve('auto', WATCHED))).toBe('lm_studio/qwen3:8b');
      expect(idOf(await found.resolve('auto', WATCHED))).toBe('lm_studio/qwen3:8b');
      expect(server.listRequests).toHaveLength(1);
    });

    it('does not ask them where something else is configured or where it is off', async () => {
      await registry({ probeLocal: true, keys: { openai: 'k' }, settings: { providers: local() } }).resolve(
        'auto',
        WATCHED,
      );
      expect(idOf(await registry({ settings: { providers: local() } }).resolve('auto', WATCHED))).toBe(
        'practice/practice',
      );
      expect(server.listRequests).toHaveLength(0);
    });

    it('waits 300 ms for them at most', async () => {
      const slow = await startModelServer();
      slow.setModels({ stall: 0 });
      const found = registry({
        probeLocal: true,
        settings: { providers: { ollama: { apiBase: `${slow.url}/v1` }, lm_studio: { apiBase: nobody } } },
      });
      const began = performance.now();
      expect(idOf(await found.resolve('auto', WATCHED))).toBe('practice/practice');
      expect(slow.listRequests).toHaveLength(1);
      expect(performance.now() - began).toBeGreaterThan(250);
      expect(performance.now() - began).toBeLessThan(2000);
      await slow.close();
    });
  });
});

describe('a chosen model', () => {
  it.each([
    ['openrouter/anthropic/claude-sonnet-5.5', 'openrouter/anthropic/claude-sonnet-5.5'],
    ['LM-Studio/qwen3', 'lm_studio/qwen3'],
    ['azure_openai/x', 'azure/x'],
    ['kimi/kimi-k2.6', 'moonshot/kimi-k2.6'],
    ['openai', 'openai/gpt-5.6-terra'],
    ['practice/practice', 'practice/practice'],
  ])('is found as %s', async (id, found) => {
    const keys = { openrouter: 'k', azure: 'k', moonshot: 'k', openai: 'k' };
    const providers = { azure: { apiBase: 'https://x.test/openai/v1' } };
    expect(idOf(await registry({ keys, settings: { providers } }).resolve(id, { watched: false }))).toBe(found);
  });

  it('without a key is an error with a next step, never practice', async () => {
    expect(errorOf(await registry().resolve('deepseek/deepseek-flash', WATCHED))).toEqual({
      code: 'auth',
      message: 'There is no API key for DeepSeek. Set one with "Nanobot: Set API Key", or choose another model.',
      next: ['setKey', 'switchModel'],
    });
  });

  it.each([
    ['antropic/claude-opus-5', /Did you mean anthropic/],
    ['gpt-5.6-luna', /openai\/gpt-5\.6-luna/],
    ['nobody/x', /nanobot\.providers/],
    ['azure/x', /address/],
    ['ollama', /ollama\/model/],
  ])('%s that cannot be had says what to write', async (id, words) => {
    const error = errorOf(await registry({ keys: { azure: 'k' } }).resolve(id, WATCHED));
    expect(error).toMatchObject({ code: 'no_model' });
    expect(error.message).toMatch(words);
    expect(error.next.length).toBeGreaterThan(0);
  });

  it('of the editor that may not be used gives the reason', async () => {
    const refusal: ErrorInfo = { code: 'no_model', message: 'Not without you.', next: [] };
    expect(
      errorOf(await registry({ extra: { vscode: editor('x', refusal) } }).resolve('vscode/x', { watched: false })),
    ).toBe(refusal);
  });

  it('keeps one provider per name, key and address', async () => {
    const keys = { openai: 'one' };
    const found = registry({ keys });
    const provider = async (id: string) => {
      const resolution = await found.resolve(id, WATCHED);
      if ('error' in resolution) throw new Error(resolution.error.message);
      return resolution.provider;
    };
    const first = await provider('openai/gpt-4o');
    expect(await provider('openai/gpt-5')).toBe(first);
    keys.openai = 'two';
    expect(await provider('openai/gpt-4o')).not.toBe(first);
  });

  it("has the window the person set, else the table's", async () => {
    const settings = { providers: { openai: { models: { 'gpt-4o': { contextWindow: 9000 } } } } };
    const found = registry({ keys: { openai: 'k' }, settings });
    expect(await found.resolve('openai/gpt-4o', WATCHED)).toMatchObject({ info: { window: 9000, label: 'gpt-4o' } });
    expect(await found.resolve('openai/gpt-4.1', WATCHED)).toMatchObject({ info: { window: 1_047_576 } });
  });
});

describe('the registry over HTTP', () => {
  let server: ModelServer;
  beforeEach(async () => {
    server = await startModelServer([{ text: 'Hello' }, { text: 'Hello' }]);
  });
  afterEach(() => server.close());
  const at = (name: string, path = '/v1') => ({ providers: { [name]: { apiBase: `${server.url}${path}` } } });

  it.each([
    ['openai', '/v1'],
    ['anthropic', ''],
    ['my-box', '/v1'],
  ])('streams from %s at the address that was set', async (name, path) => {
    const resolution = await registry({ keys: { [name]: 'key-123456' }, settings: at(name, path) }).resolve(
      `${name}/m`,
      WATCHED,
    );
    if ('error' in resolution) throw new Error(resolution.error.message);
    const { answer } = await collect(
      resolution.provider.stream(resolution.model, request(), { signal: new AbortController().signal }),
    );
    expect(answer.text).toBe('Hello');
  });

  it('lists live models with the windows they tell of, and remembers these', async () => {
    server.setModels({
      body: { data: [{ id: 'a', context_length: 12_345 }, { id: 'text-embedding-3' }, { id: 'gpt-4o' }] },
    });
    const found = registry({ keys: { openai: 'k' }, settings: at('openai') });
    expect(await found.listModels('openai')).toEqual([
      { id: 'openai/a', label: 'a', window: 12_345 },
      { id: 'openai/gpt-4o', label: 'gpt-4o', window: 128_000 },
    ]);
    expect(await found.resolve('openai/a', WATCHED)).toMatchObject({ info: { window: 12_345 } });
  });

  it('lists what a person wrote down first, and nothing that answers no chat', async () => {
    server.setModels({
      body: {
        data: [
          { id: 'gpt-4o' },
          { id: 'gpt-realtime' },
          { id: 'sora-2' },
          { id: 'ada', capabilities: { chat_completion: false } },
          { id: 'phi', capabilities: { chat_completion: true } },
          { id: 'nomic', type: 'embeddings' },
        ],
      },
    });
    const models = { 'my-deployment': { contextWindow: 99_000 }, 'gpt-4o': { contextWindow: 32_000 } };
    const azure = { apiBase: `${server.url}/v1`, models };
    const found = registry({ keys: { azure: 'k' }, settings: { providers: { azure } } });
    expect((await found.listModels('azure')).map(({ id, window }) => [id, window])).toEqual([
      ['azure/my-deployment', 99_000],
      ['azure/gpt-4o', 32_000],
      ['azure/phi', 65_536],
    ]);
    expect(server.listRequests[0]?.headers['api-key']).toBe('k');
  });

  it('asks over the API that was set, with the price that was set', async () => {
    const price = { input: 1, output: 2 };
    const custom = { apiBase: `${server.url}/v1`, api: 'responses' as const, models: { m: { price } } };
    const resolution = await registry({ settings: { providers: { custom } } }).resolve('custom/m', WATCHED);
    if ('error' in resolution) throw new Error(resolution.error.message);
    expect(resolution.facts.price).toEqual(price);
    await collect(resolution.provider.stream('m', request(), { signal: new AbortController().signal }));
    expect(server.requests[0]?.path).toBe('/v1/responses');
  });

  it('lists the table where the endpoint gives no list, and nothing without a key', async () => {
    server.setModels({ status: 500, body: {} });
    const models = await registry({ keys: { openai: 'k' }, settings: at('openai') }).listModels();
    expect(models.map((model) => model.id)).toContain('openai/gpt-5.6-terra');
    expect(models.every((model) => model.id.startsWith('openai/'))).toBe(true);
    expect(await registry({ settings: at('openai') }).listModels()).toEqual([]);
  });

  it("lists the editor's models beside", async () => {
    expect(await registry({ extra: { vscode: editor('x') } }).listModels()).toEqual([
      { id: 'vscode/copilot-x', label: 'copilot-x', window: 111_000 },
    ]);
  });

  it('tries a key with one request', async () => {
    const found = registry({ settings: at('openai') });
    expect(await found.checkKey('openai', 'sk-good-123456')).toEqual({ ok: true });
    expect(server.listRequests).toMatchObject([
      { path: '/v1/models', headers: { authorization: 'Bearer sk-good-123456' } },
    ]);
    server.setModels({ status: 401, body: { error: { message: 'Incorrect API key provided: sk-bad-123456' } } });
    const checked = await found.checkKey('openai', 'sk-bad-123456');
    expect(checked).toMatchObject({ ok: false, error: { code: 'auth', next: ['setKey'] } });
    expect(JSON.stringify(checked)).not.toContain('sk-bad-123456');
  });

  it('tries a key of Anthropic and OpenRouter where it matters', async () => {
    await registry({ settings: at('anthropic', '/v1') }).checkKey('anthropic', 'sk-ant-1234567');
    await registry({ settings: at('openrouter') }).checkKey('openrouter', 'sk-or-1234567');
    expect(server.listRequests).toMatchObject([
      { path: '/v1/models', headers: { 'x-api-key': 'sk-ant-1234567' } },
      { path: '/v1/key' },
    ]);
  });

  it('tries a key with the shortest answer where there is no list of models', async () => {
    server.setModels({ status: 404, body: '404 page not found' });
    expect(await registry({ settings: at('minimax') }).checkKey('minimax', 'key-123456')).toEqual({ ok: true });
    expect(server.requests[0]?.body).toMatchObject({ model: 'MiniMax-M3', max_tokens: 1 });
  });

  it('says that nobody answers', async () => {
    const gone = registry({ settings: { providers: { openai: { apiBase: 'http://127.0.0.1:1/v1' } } } });
    expect(await gone.checkKey('openai', 'sk-123456789')).toMatchObject({
      ok: false,
      error: { code: 'network', next: ['retry', 'openSettings'] },
    });
  });

  it('names the providers with a key', async () => {
    expect(await registry({ keys: { openai: 'k', groq: 'k' } }).configured()).toEqual(['openai', 'groq']);
    expect(registry({ settings: at('my-box') }).keyProviders()).toEqual(
      expect.arrayContaining(['anthropic', 'openai', 'my-box']),
    );
  });
});

describe('keys from the environment', () => {
  it('are found under each name of the provider', () => {
    expect(keyFromEnvironment('gemini', { GOOGLE_API_KEY: 'g' })).toBe('g');
    expect(keyFromEnvironment('google', { GEMINI_API_KEY: 'first', GOOGLE_API_KEY: 'g' })).toBe('first');
    expect(keyFromEnvironment('my-box', { MY_BOX_API_KEY: ' b ' })).toBe('b');
    expect(keyFromEnvironment('openai', { OPENAI_API_KEY: ' ' })).toBeUndefined();
  });

  it('are all known, so that none reaches a child process', () => {
    expect(keyVariables()).toEqual(
      expect.arrayContaining(['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'NVIDIA_NIM_API_KEY']),
    );
  });
});
