import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { AnthropicProvider } from '../../../src/providers/anthropic.js';
import { knownEndpoint } from '../../../src/providers/endpoints.js';
import { fetchModels, keyProblem } from '../../../src/providers/modelList.js';
import { OpenAIProvider } from '../../../src/providers/openai.js';
import { startModelServer, type ModelServer } from '../../support/modelServer.js';
import { collect, request } from './setup.js';

const KEY = 'sk-test-0123456789';

let server: ModelServer;
let other: ModelServer;

beforeEach(async () => {
  server = await startModelServer();
  other = await startModelServer(() => ({ text: 'caught' }));
});
afterEach(() => Promise.all([server.close(), other.close()]));

const away = (status: number, path: string) => ({
  status,
  headers: { location: `${other.url}${path}?key=hidden` },
  body: 'Moved',
});
const never = () => new AbortController().signal;

function azure() {
  const extraHeaders = { 'x-team': 'secret' };
  const apiBase = `${server.url}/v1`;
  return new OpenAIProvider({ name: 'azure', clock: nodeClock(), apiKey: KEY, apiBase, extraHeaders, api: 'chat' });
}

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    'with status %i is not followed, and the error says where it leads',
    async (status) => {
      server.setScript([away(status, '/v1/chat/completions')]);
      const { answer } = await collect(azure().stream('m', request(), { signal: never() }));
      expect(other.requests).toEqual([]);
      expect(server.requests).toHaveLength(1);
      expect(answer).toMatchObject({ stopReason: 'error', error: { code: 'not_found', status, retryable: false } });
      const message = answer.error?.message ?? '';
      expect(message).toContain(`redirects to ${other.url}/v1/chat/completions`);
      expect(message).toContain('nanobot.providers');
      expect(message).toContain('apiBase');
      expect(message).not.toContain('hidden');
    },
  );

  it('takes no key to another address over the Messages API either', async () => {
    server.setScript([away(307, '/v1/messages')]);
    const provider = new AnthropicProvider({ name: 'anthropic', clock: nodeClock(), apiKey: KEY, apiBase: server.url });
    const { answer } = await collect(provider.stream('m', request(), { signal: never() }));
    expect(other.requests).toEqual([]);
    expect(answer.error?.message).toContain(`redirects to ${other.url}/v1/messages`);
  });

  it('is read against the address that was asked, and may be no address at all', async () => {
    const to = async (location: string) => {
      server.setScript([{ status: 308, headers: { location }, body: '' }]);
      return (await collect(azure().stream('m', request(), { signal: never() }))).answer.error?.message ?? '';
    };
    expect(await to('/v2/chat/completions')).toContain(`redirects to ${server.url}/v2/chat/completions`);
    expect(await to('https://me:hunter2@a.example.org/x')).toContain('redirects to https://a.example.org/x');
    expect(await to('https://me:hunter2@a.example.org/x')).not.toContain('hunter2');
    expect(await to('http://[')).toContain('redirects to another address');
    server.setScript([{ status: 302, body: '' }]);
    const { answer } = await collect(azure().stream('m', request(), { signal: never() }));
    expect(answer.error?.message).toContain('redirects to another address');
  });

  it('is not followed for the list of models, the check of a key, and the look for local servers', async () => {
    server.setModels(away(307, '/v1/models'));
    server.setScript(() => away(307, '/v1/chat/completions'));
    for (const name of ['openai', 'azure', 'anthropic', 'ollama']) {
      const endpoint = knownEndpoint(name);
      if (!endpoint) throw new Error(`${name} is not known.`);
      const apiBase = name === 'anthropic' ? server.url : `${server.url}/v1`;
      const access = { endpoint, apiBase, apiKey: KEY, extraHeaders: { 'x-team': 'secret' } };
      await expect(fetchModels(access, nodeClock(), 10_000)).rejects.toThrow();
      const problem = await keyProblem(access, nodeClock());
      expect(problem?.message).toContain(`redirects to ${other.url}/v1/`);
    }
    expect(other.listRequests).toEqual([]);
    expect(other.requests).toEqual([]);
  });
});
