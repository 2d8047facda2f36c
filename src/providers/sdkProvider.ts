import type { Clock } from '../platform/ports.js';
import { SILENCE_MS, SLOW_START_MS, streamAnswer, warmUpFetch, type AnswerReader } from './httpStream.js';
import type { ModelRequest, Provider, StreamEvent } from './provider.js';
import { hasImages } from './transcript.js';

/** Where and as whom a provider is asked. */
export interface EndpointOptions {
  /** As in `provider/model`; chooses the dialect. */
  name: string;
  clock: Clock;
  apiKey?: string | undefined;
  /** Default: the provider's own address. */
  apiBase?: string | undefined;
  /** Win over everything else, the key's header included. */
  extraHeaders?: Record<string, string> | undefined;
  /** Milliseconds without a byte after which a stream counts as broken; default 90,000. */
  silenceMs?: number;
}

/** What a wire is for people: whose, and where it lies. */
interface Place {
  label: string;
  address: string;
  /** On this machine, where the model may have to be loaded first. */
  local: boolean;
}

/** One request and how its answer is read. */
export interface Exchange<Client> {
  send(client: Client, signal: AbortSignal): Promise<Response>;
  reader: AnswerReader;
}

/** A provider that is asked through an SDK over HTTP. The SDK is loaded at the first use. */
export abstract class SdkProvider<Client> implements Provider {
  readonly name: string;
  #client: Promise<Client> | undefined;

  constructor(
    protected readonly options: EndpointOptions,
    protected readonly place: Place,
  ) {
    this.name = options.name;
  }

  protected abstract connect(): Promise<Client>;
  protected abstract exchange(model: string, request: ModelRequest): Exchange<Client>;

  /** Loads the SDK and the network stack, so that the first request does not have to. */
  async preload(): Promise<void> {
    await Promise.all([this.#sdk(), warmUpFetch()]);
  }

  stream(model: string, request: ModelRequest, { signal }: { signal: AbortSignal }): AsyncIterable<StreamEvent> {
    return this.run(this.exchange(model, request), request, signal);
  }

  protected run(exchange: Exchange<Client>, request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const { clock, apiKey, silenceMs = SILENCE_MS } = this.options;
    const { label, address, local } = this.place;
    return streamAnswer({
      clock,
      signal,
      silenceMs,
      firstByteMs: local ? Math.max(silenceMs, SLOW_START_MS) : silenceMs,
      open: async (guarded) => exchange.send(await this.#sdk(), guarded),
      reader: exchange.reader,
      context: () => ({
        label,
        address,
        hasImages: hasImages(request.messages),
        secrets: apiKey ? [apiKey] : [],
        now: clock.now(),
      }),
    });
  }

  #sdk(): Promise<Client> {
    this.#client ??= this.connect();
    return this.#client;
  }
}

/** An id for a call that came without one. */
export function newCallId(prefix: string): string {
  return `${prefix}_${globalThis.crypto.randomUUID().slice(0, 8)}`;
}
