import { describe, expect, it } from 'vitest';
import {
  BrokenStream,
  HttpFailure,
  retryAfter,
  toProviderError,
  WireFailure,
  type FailureContext,
} from '../../../src/providers/errors.js';
import { maskKeys } from '../../../src/platform/maskSecrets.js';

const NOW = Date.parse('2026-11-01T09:00:00Z');
const CONTEXT: FailureContext = {
  label: 'Acme',
  address: 'https://api.acme.test/v1',
  hasImages: false,
  secrets: ['sk-secret-0123456789'],
  now: NOW,
};

function http(status: number, body: unknown, headers: Record<string, string> = {}, more: Partial<FailureContext> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return toProviderError(new HttpFailure(status, new Headers(headers), text), { ...CONTEXT, ...more });
}

const said = (message: string, more: object = {}) => ({ error: { message, ...more } });

describe('toProviderError', () => {
  it.each([
    [401, said('Incorrect API key provided'), 'auth', false],
    [403, said('Your account may not use this'), 'auth', false],
    [403, said('Input was flagged by moderation'), 'refused', false],
    [402, said('Insufficient Balance'), 'payment', false],
    [400, said('Your credit balance is too low to access the API'), 'payment', false],
    [404, said('The model `x` does not exist', { code: 'model_not_found' }), 'not_found', false],
    [400, said('Model Not Exist'), 'not_found', false],
    [408, said('timeout'), 'timeout', true],
    [409, said('conflict'), 'server', true],
    [429, said('Rate limit reached for requests', { code: 'rate_limit_exceeded' }), 'rate_limit', true],
    [
      429,
      said('You exceeded your current quota, please check your plan', { code: 'insufficient_quota' }),
      'quota',
      false,
    ],
    [429, said('The engine is currently overloaded', { type: 'engine_overloaded_error' }), 'overloaded', true],
    [429, { error: { code: '1113', message: '余额不足或无可用资源包' } }, 'payment', false],
    [413, said('Request too large'), 'context_length', false],
    [
      400,
      said("This model's maximum context length is 8192 tokens", { code: 'context_length_exceeded' }),
      'context_length',
      false,
    ],
    [
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
      },
      'context_length',
      false,
    ],
    [
      400,
      [
        {
          error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' },
        },
      ],
      'auth',
      false,
    ],
    [400, said("Unsupported parameter: 'foo'"), 'bad_request', false],
    [422, { detail: [{ msg: 'Field required', loc: ['body'] }] }, 'bad_request', false],
    [500, said('oops'), 'server', true],
    [502, '<html><head><title>Bad Gateway</title></head></html>', 'server', true],
    [503, said('try later'), 'overloaded', true],
    [504, 'gateway timeout', 'timeout', true],
    [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded', true],
  ])('sorts %i %j as %s', (status, body, code, retryable) => {
    expect(http(status, body)).toMatchObject({ code, retryable, status });
  });

  it('takes words about images for a refused image only where the request held one', () => {
    const body = said('No endpoints found that support image input');
    expect(http(404, body, {}, { hasImages: true }).code).toBe('image_rejected');
    expect(http(404, body).code).toBe('not_found');
  });

  it("takes Gemini's quota for a rate limit where it says when to come back", () => {
    const error = http(429, [
      {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'You exceeded your current quota',
          details: [{ '@type': 'RetryInfo', retryDelay: '7.5s' }],
        },
      },
    ]);
    expect(error).toMatchObject({ code: 'rate_limit', retryable: true, retryAfterMs: 7500 });
  });

  it('says who failed, with status and the own words, shortened', () => {
    const { message } = http(400, said(`Bad ${'x '.repeat(400)}`));
    expect(message).toMatch(/^Acme refused the request \(HTTP 400\): "Bad x x/);
    expect(message.length).toBeLessThan(360);
  });

  it("keeps the upstream's words behind OpenRouter", () => {
    const { message } = http(502, said('Provider returned error', { metadata: { raw: 'upstream is on fire' } }));
    expect(message).toContain('upstream is on fire');
  });

  it('shows a page by its title', () => {
    expect(http(502, '<html><title>Bad Gateway</title><body>long</body></html>').message).toBe(
      'Acme had an internal error (HTTP 502): "Bad Gateway".',
    );
  });

  it.each([
    'sk-secret-0123456789',
    'sk-abc***wxyz',
    'sk-ant-api03-abcdefghijklmnop',
    'AIzaSyA1234567890abcdefgh',
    'gsk_abcdefghijklmnop1234',
  ])('never shows the key %s', (key) => {
    const { message } = http(401, said(`Incorrect API key provided: ${key}. You can find it`));
    expect(message).not.toContain(key);
    expect(message).toContain('***');
  });

  it('never shows a key of an unknown form', () => {
    const { message } = http(401, said('No such key: hunter22'), {}, { secrets: ['hunter22'] });
    expect(message).toContain('"No such key: ***"');
  });

  it('leaves words that only resemble keys', () => {
    const text = 'task-oriented request 3f2504e0-4f89-11d3-9a0c-0305e82c3301 of claude-opus-4-5-20251101';
    expect(maskKeys(text)).toBe(text);
  });

  it.each([
    [{ code: 'ECONNREFUSED' }, 'network', true],
    [{ code: 'ENOTFOUND' }, 'network', true],
    [{ code: 'UND_ERR_CONNECT_TIMEOUT' }, 'timeout', true],
    [{ code: 'UND_ERR_SOCKET' }, 'stream_broken', true],
    [{ code: 'SELF_SIGNED_CERT_IN_CHAIN' }, 'network', false],
  ])('sorts a connection that fails with %j', (fields, code, retryable) => {
    const thrown = new Error('Connection error.', { cause: Object.assign(new Error('below'), fields) });
    const error = toProviderError(thrown, CONTEXT);
    expect(error).toMatchObject({ code, retryable });
    expect(error.message).toContain('https://api.acme.test/v1');
  });

  it('finds the code in several addresses that were tried at once', () => {
    const cause = new AggregateError([Object.assign(new Error('no'), { code: 'ECONNREFUSED' })]);
    expect(toProviderError(new Error('fetch failed', { cause }), CONTEXT)).toMatchObject({ code: 'network' });
  });

  it('sorts errors inside a stream by their type', () => {
    const of = (body: object) => toProviderError(new WireFailure(JSON.stringify(body)), CONTEXT).code;
    expect(of({ error: { type: 'overloaded_error', message: 'Overloaded' } })).toBe('overloaded');
    expect(of({ error: { code: 502, message: 'Upstream died' } })).toBe('server');
    expect(of({ error: { code: 429, message: 'slow down' } })).toBe('rate_limit');
    expect(of({ error: { message: 'something' } })).toBe('server');
  });

  it('says what to check where a web page came', () => {
    const error = toProviderError(new WireFailure('<html><title>Sign in</title>'), CONTEXT);
    expect(error).toMatchObject({ code: 'not_found', retryable: false });
    expect(error.message).toMatch(/web page.*Sign in.*base address/);
  });

  it('does not blame the provider for our words', () => {
    const error = toProviderError(new BrokenStream('It sent nothing for 90 seconds.'), CONTEXT);
    expect(error).toEqual({
      code: 'stream_broken',
      message: 'Acme broke off its answer. It sent nothing for 90 seconds.',
      retryable: true,
    });
  });
});

describe('retryAfter', () => {
  it.each([
    [{ 'retry-after': '12' }, 12_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Sun, 01 Nov 2026 09:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sun, 01 Nov 2026 08:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('reads %j', (headers, expected) => {
    expect(retryAfter(new Headers(headers as Record<string, string>), NOW)).toBe(expected);
  });
});
