import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/file.js';

const read = (providers: object) => readConfig(JSON.stringify({ providers }));

describe('providers in config.json', () => {
  it('have addresses, headers, an API and facts of models beside their keys', () => {
    const models = { m: { contextWindow: 99_000, price: { input: 1, output: 2 } } };
    const { settings, keys, problems } = read({
      custom: { apiKey: 'k', apiBase: 'http://h/v1', api: 'responses', models },
      azure: { api_base: 'https://h', extra_headers: { a: 'b' }, apiKey: '' },
      groq: { apiKey: 'g', apiBase: null, extraHeaders: null },
    });
    expect(settings.providers).toEqual({
      custom: { apiBase: 'http://h/v1', api: 'responses', models },
      azure: { apiBase: 'https://h', extraHeaders: { a: 'b' } },
    });
    expect(keys).toEqual({ custom: 'k', groq: 'g' });
    expect(problems).toEqual([]);
  });

  it('that are written wrongly are told of by name, and the rest is kept', () => {
    const { settings, problems } = read({
      custom: { apiBase: 'http://h/v1', api: 'soap', models: { m: { images: 1 } } },
    });
    expect(settings.providers).toEqual({ custom: { apiBase: 'http://h/v1' } });
    expect(problems).toEqual([
      expect.stringMatching(/^config\.json: providers\.custom\.api: .*"chat"\|"responses".*; the default is used\.$/),
      expect.stringMatching(/^config\.json: providers\.custom\.models: /),
    ]);
  });
});
