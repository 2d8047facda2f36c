import type { Clock } from '../platform/ports.js';
import type { ErrorInfo, Usage } from '../protocol/message.js';
import type { ProviderRegistry } from '../providers/registry.js';
import { streamWithRetry, type Candidate } from '../providers/retry.js';
import type { ModelRequest } from '../providers/provider.js';
import type { RunStreamEvent } from '../runner/run.js';
import type { ReadyModel } from './readyModel.js';

export interface ModelDeps {
  registry: ProviderRegistry;
  clock: Clock;
  /** `provider/model` or `auto`, and what is tried when it fails. */
  chosen(): { model: string; fallbackModels: string[] };
  /** Told what each request used. */
  used?(sessionKey: string, model: string, usage: Usage): void;
}

/**
 * The model of the next request with its fallbacks, ready to stream with retries. A chosen model that cannot be had is an error with a next
 * step; fallbacks that cannot be had are left out.
 */
export async function readyModel(
  deps: ModelDeps,
  options: { watched: boolean; model?: string },
): Promise<ReadyModel | { error: ErrorInfo }> {
  const { registry, clock } = deps;
  const { model: set, fallbackModels } = deps.chosen();
  const model = options.model ?? set;
  const first = await registry.resolve(model, options);
  if ('error' in first) return first;
  const candidates: Candidate[] = [first];
  for (const id of fallbackModels) {
    const next = await registry.resolve(id, options);
    if (!('error' in next)) candidates.push(next);
  }
  return {
    info: first.info,
    stream: (request, { signal, onWait, refusedImages }) => {
      const stream = streamWithRetry(candidates, request, {
        signal,
        clock,
        random: Math.random,
        onWait,
        refusedImages,
      });
      return deps.used ? counted(stream, deps.used, { request, model: first.info.id }) : stream;
    },
  };
}

/** Passes a stream on and tells at its end what it used. */
async function* counted(
  stream: AsyncIterable<RunStreamEvent>,
  used: NonNullable<ModelDeps['used']>,
  { request, model }: { request: ModelRequest; model: string },
): AsyncGenerator<RunStreamEvent> {
  let answering = model;
  for await (const event of stream) {
    if (event.type === 'fallback') answering = event.model;
    if (event.type === 'end' && event.answer.usage) used(request.sessionKey, answering, event.answer.usage);
    yield event;
  }
}
