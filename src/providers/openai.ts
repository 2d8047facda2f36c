import type { OpenAI } from 'openai/client';
import type { HttpFailure } from './errors.js';
import { httpFailureOf } from './errors.js';
import { fetchOrFail, SILENCE_MS, SLOW_START_MS } from './httpStream.js';
import { requestUrl } from './openaiAddress.js';
import { dialectOf, type Dialect } from './openaiDialects.js';
import { Lessons, type OpenAIApi, type Ways } from './openaiLessons.js';
import { chatBody } from './openaiRequest.js';
import { ChatReader } from './openaiStream.js';
import type { ModelRequest, StreamEvent } from './provider.js';
import { responsesBody } from './responsesRequest.js';
import { ResponsesReader } from './responsesStream.js';
import { newCallId, SdkProvider, type EndpointOptions, type Exchange } from './sdkProvider.js';

export interface OpenAIOptions extends EndpointOptions {
  /** The API the person chose; without, each model is asked over the one that fits it. */
  api?: OpenAIApi | undefined;
}

/** An exchange that knows how it was made and why it was refused. */
interface Attempt extends Exchange<OpenAI> {
  ways: Ways;
  replayed: readonly string[];
  refused?: HttpFailure | undefined;
}

/** OpenAI and every endpoint that speaks the same protocols, each in its dialect: chat completions, and the Responses API. */
export class OpenAIProvider extends SdkProvider<OpenAI> {
  readonly #dialect: Dialect;
  readonly #address: string;
  readonly #lessons: Lessons;

  constructor(options: OpenAIOptions) {
    const dialect = dialectOf(options.name);
    const address = (options.apiBase ?? dialect.apiBase ?? '').trim();
    // A query may hold what is not for messages.
    super(options, { label: dialect.label, address: address.replace(/\?.*$/, ''), local: dialect.local ?? false });
    this.#dialect = dialect;
    this.#address = address;
    this.#lessons = new Lessons({ provider: options.name, address, setting: options.api });
  }

  /** Asks again, in another way, where the endpoint refuses the request in words that say which way it takes. */
  override async *stream(
    model: string,
    request: ModelRequest,
    { signal }: { signal: AbortSignal },
  ): AsyncGenerator<StreamEvent> {
    for (let again = true; again;) {
      const attempt = this.exchange(model, request);
      again = false;
      for await (const event of this.run(attempt, request, signal)) {
        const { refused, ways, replayed } = attempt;
        const words = event.type === 'end' ? event.answer.error?.message : undefined;
        if (words !== undefined && refused) again = this.#lessons.learn(model, ways, refused, replayed);
        else if (words !== undefined) this.#lessons.learnMidway(words, replayed);
        if (!again) yield event;
      }
    }
  }

  protected exchange(model: string, request: ModelRequest): Attempt {
    const ways = this.#lessons.of(model);
    const responses = ways.api === 'responses';
    const newId = () => newCallId('call');
    const attempt: Attempt = {
      ways,
      replayed: [],
      reader: responses ? new ResponsesReader(model, `${this.name}/${model}`, newId) : new ChatReader(model, newId),
      send: async (client, signal) => {
        const { body, replayed } = responses
          ? responsesBody(request, model, this.#dialect, ways)
          : { body: chatBody(request, model, this.#dialect), replayed: [] };
        attempt.replayed = replayed;
        const url = requestUrl(this.#dialect, this.#address, responses ? '/responses' : '/chat/completions', model);
        try {
          return await client.post(url, { body, stream: true, signal }).asResponse();
        } catch (error) {
          attempt.refused = httpFailureOf(error);
          throw error;
        }
      },
    };
    return attempt;
  }

  protected async connect(): Promise<OpenAI> {
    const { createClient } = await import('./openaiClient.js');
    const { apiKey } = this.options;
    return createClient({
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
