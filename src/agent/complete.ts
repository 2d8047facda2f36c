import type { Settings } from '../config/schema.js';
import { estimateText } from '../memory/tokens.js';
import type { Clock } from '../platform/ports.js';
import type { ModelInfo } from '../protocol/event.js';
import type { ErrorInfo } from '../protocol/message.js';
import { askSummary } from './askSummary.js';
import { limitsOf } from './promptFrame.js';
import type { ReadyModel } from './readyModel.js';

/** Tokens that stay free beside prompt and answer. */
const TO_SPARE = 1_024;
/** Characters that are certain to be no more than a token each: code and Chinese weigh more than English. */
const CHARACTERS_A_TOKEN = 2;

export interface CompletionDeps {
  clock: Clock;
  settings(): Settings;
  resolveModel(options: { watched: boolean }): Promise<ReadyModel | { error: ErrorInfo }>;
  /** What a person has to be told of a model that wrote something; undefined where nothing. */
  byline(model: ModelInfo): string | undefined;
  newId(): string;
}

/** One question to the model, outside every chat: without tools, without memory, and nothing of it is kept. */
export interface CompletionRequest {
  system: string;
  /** The question, in at most so many characters. */
  prompt(room: number): string;
  /** Tokens of the answer. */
  maxTokens: number;
  signal: AbortSignal;
  /** Told of a wait before the request is made again, in words for a person. */
  onWait?(reason: string): void;
}

export interface Completion {
  text: string;
  /** `provider/model`. */
  model: string;
  byline?: string;
  /** False where the answer was cut off at its limit. */
  complete: boolean;
}

/**
 * Asks the person's model once, with the retries and fallbacks of a turn. Never rejects: what went wrong is an error with its next steps. After
 * `signal` the answer is whatever it is, and the caller forgets it.
 */
export async function complete(
  deps: CompletionDeps,
  request: CompletionRequest,
): Promise<Completion | { error: ErrorInfo }> {
  const model = await deps.resolveModel({ watched: true });
  if ('error' in model) return model;
  const { contextWindow, maxTokens } = limitsOf(deps.settings(), model.info);
  const answerTokens = Math.min(request.maxTokens, maxTokens);
  const room = (contextWindow - answerTokens - TO_SPARE - estimateText(request.system)) * CHARACTERS_A_TOKEN;
  const answer = await askSummary(
    model,
    {
      system: request.system,
      messages: [],
      tools: [],
      maxTokens: answerTokens,
      instruction: request.prompt(Math.max(0, room)),
    },
    {
      signal: request.signal,
      refusedImages: new Set(),
      sessionKey: `once:${deps.newId()}`,
      clock: deps.clock,
      waiting: (event) => {
        if (event.type === 'retry_wait') request.onWait?.(event.reason);
      },
    },
  );
  if ('error' in answer) return answer;
  const byline = deps.byline(model.info);
  return {
    text: answer.text,
    model: model.info.id,
    complete: answer.complete,
    ...(byline === undefined ? {} : { byline }),
  };
}
