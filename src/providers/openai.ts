import type OpenAI from 'openai';
import { fetchOrFail, SILENCE_MS, SLOW_START_MS, type AnswerReader } from './httpStream.js';
import { dialectOf, type Dialect } from './openaiDialects.js';
import { chatBody } from './openaiRequest.js';
import { ChatReader } from './openaiStream.js';
import type { ModelRequest } from './provider.js';
import { newCallId, SdkProvider, type EndpointOptions } from './sdkProvider.js';

/** Chat completions of OpenAI and of every endpoint that speaks the same protocol, each in its dialect. */
export class OpenAIProvider extends SdkProvider<OpenAI> {
  readonly #dialect: Dialect;

  constructor(options: EndpointOptions) {
    const dialect = dialectOf(options.name);
    const address = chatBase(options.apiBase ?? dialect.apiBase ?? '');
    super(options, { label: dialect.label, address, local: dialect.local ?? false });
    this.#dialect = dialect;
  }

  protected send(client: OpenAI, model: string, request: ModelRequest, signal: AbortSignal): Promise<Response> {
    const body = chatBody(request, model, this.#dialect);
    return client.post('/chat/completions', { body, stream: true, signal }).asResponse();
  }

  protected reader(model: string): AnswerReader {
    return new ChatReader(model, () => newCallId('call'));
  }

  protected async connect(): Promise<OpenAI> {
    const { default: Client } = await import('openai');
    const { apiKey } = this.options;
    return new Client({
      apiKey: apiKey ?? 'none',
      baseURL: this.place.address,
      // The SDK would take these from the environment and send them to whichever provider this is.
      organization: null,
      project: null,
      adminAPIKey: null,
      webhookSecret: null,
      maxRetries: 0,
      timeout: SLOW_START_MS + SILENCE_MS,
      logLevel: 'off',
      fetch: fetchOrFail,
      defaultHeaders: {
        ...(apiKey === undefined ? { Authorization: null } : {}),
        ...(this.name === 'azure' && apiKey !== undefined ? { 'api-key': apiKey } : {}),
        ...this.#dialect.headers,
        ...this.options.extraHeaders,
      },
    });
  }
}

/** The base address as the SDK wants it, from what people paste. */
export function chatBase(address: string): string {
  return address
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/chat\/completions$/, '');
}
