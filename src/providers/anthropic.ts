import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { messagesBody } from './anthropicRequest.js';
import { MessagesReader } from './anthropicStream.js';
import { fetchOrFail, SILENCE_MS, SLOW_START_MS } from './httpStream.js';
import type { Endpoint } from './openaiDialects.js';
import type { ModelRequest } from './provider.js';
import { newCallId, SdkProvider, type EndpointOptions, type Exchange } from './sdkProvider.js';

export const ANTHROPIC: Endpoint = {
  name: 'anthropic',
  label: 'Anthropic',
  apiBase: 'https://api.anthropic.com',
  keyEnv: ['ANTHROPIC_API_KEY'],
  needsKey: true,
  defaultModel: 'claude-sonnet-5-5',
};

/** Anthropic's Messages API, also at compatible addresses of others. */
export class AnthropicProvider extends SdkProvider<BaseAnthropic> {
  constructor(options: EndpointOptions) {
    const address = messagesBase(options.apiBase ?? ANTHROPIC.apiBase ?? '');
    super(options, { label: ANTHROPIC.label, address, local: false });
  }

  protected exchange(model: string, request: ModelRequest): Exchange<BaseAnthropic> {
    return {
      send: (client, signal) =>
        client.post('/v1/messages', { body: messagesBody(request, model), stream: true, signal }).asResponse(),
      reader: new MessagesReader(model, () => newCallId('toolu')),
    };
  }

  protected async connect(): Promise<BaseAnthropic> {
    const { createClient } = await import('./anthropicClient.js');
    const { apiKey, apiBase, extraHeaders } = this.options;
    return createClient({
      // Never empty: without one the SDK would look for credentials in the environment and on the disk.
      apiKey: apiKey ?? 'none',
      baseURL: this.place.address,
      webhookKey: null,
      maxRetries: 0,
      timeout: SLOW_START_MS + SILENCE_MS,
      logLevel: 'off',
      openTelemetry: false,
      fetch: fetchOrFail,
      defaultHeaders: { ...(apiBase ? compatibleHeaders(apiKey) : {}), ...extraHeaders },
    });
  }
}

/** Servers of others know the API by its older version, which has the key in a header of its own. */
function compatibleHeaders(apiKey: string | undefined): Record<string, string> {
  return { 'anthropic-version': '2023-06-01', ...(apiKey ? { 'x-api-key': apiKey } : {}) };
}

/** The base address as the SDK wants it: without the version, which people paste along. */
export function messagesBase(address: string): string {
  return address
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/v1(\/messages)?$/, '');
}
