import type { ModelInfo } from '../protocol/event.js';
import type { ModelRequest } from '../providers/provider.js';
import type { RunStreamEvent } from '../runner/run.js';

export interface StreamOptions {
  signal: AbortSignal;
  /** Called as a wait before a retry begins, with what ends it at once. */
  onWait(cancel: () => void): void;
  /** Images a provider refused, left out of later requests of the session. */
  refusedImages: Set<string>;
}

/** A model ready to be asked, with its retries and fallbacks. */
export interface ReadyModel {
  info: ModelInfo;
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<RunStreamEvent>;
}
