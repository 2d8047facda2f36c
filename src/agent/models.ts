import type { Clock } from '../platform/ports.js';
import type { ErrorInfo } from '../protocol/message.js';
import type { ProviderRegistry } from '../providers/registry.js';
import { streamWithRetry, type Candidate } from '../providers/retry.js';
import type { ReadyModel } from './readyModel.js';

export interface ModelDeps {
  registry: ProviderRegistry;
  clock: Clock;
  /** `provider/model` or `auto`, and what is tried when it fails. */
  chosen(): { model: string; fallbackModels: string[] };
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
    stream: (request, { signal, onWait, refusedImages }) =>
      streamWithRetry(candidates, request, { signal, clock, random: Math.random, onWait, refusedImages }),
  };
}
