import { t } from '@vscode/l10n';
import type { Clock } from '../platform/ports.js';
import type { ModelAnswer, ModelFacts, ModelRequest, Provider, ProviderError, StreamEvent } from './provider.js';
import { hasImages, imagesOf, withoutImages } from './transcript.js';

/** What the attempts together stream: one answer's events, and what happened on the way. `end` comes last and once. */
export type AttemptEvent =
  | StreamEvent
  /** The answer begins anew: what was shown of it does not count. */
  | { type: 'reset' }
  /** Nothing happens until then (epoch milliseconds). `attempt` is the number of the retry that follows, from 1. */
  | { type: 'wait'; until: number; attempt: number; reason: string }
  | { type: 'wait_end' }
  /** The next model of the list answers instead; `provider/model`. */
  | { type: 'fallback'; model: string };

/** A model that may answer. */
export interface Candidate {
  provider: Provider;
  /** Without the provider's name. */
  model: string;
  facts?: Pick<ModelFacts, 'price'>;
}

export interface RetryOptions {
  signal: AbortSignal;
  clock: Clock;
  /** A number from 0 (included) to 1, for the jitter. */
  random: () => number;
  /** Called as a wait begins with what ends it at once: the answer then ends with the error. */
  onWait?(cancel: () => void): void;
  /** Images that were refused, kept by the caller for a session: they are left out of later requests from the start. */
  refusedImages?: Set<string>;
}

/** Milliseconds before the first, second and third retry. */
const DELAYS = [1000, 2000, 4000];
/** A provider that asks for a longer wait has failed. */
const LONGEST_WAIT_MS = 60_000;
/** Failures that another model would share or that a person has to settle. */
const NO_FALLBACK: ReadonlySet<ProviderError['code']> = new Set<ProviderError['code']>([
  'context_length',
  'bad_request',
]);

/** What stands in the place of an image that a model cannot take. */
export const IMAGE_NOTE = '(an image stood here; the model cannot take it)';

/**
 * How long to wait before retrying after this error, in milliseconds; undefined where there is no retry. `attempt` counts from 1. What the
 * provider asks for is honoured up to 60 s; a wait of our own grows from 1 over 2 to 4 s with up to a quarter more.
 */
export function retryDelay(error: ProviderError, attempt: number, random: () => number): number | undefined {
  const own = DELAYS[attempt - 1];
  if (!error.retryable || own === undefined) return undefined;
  const asked = error.retryAfterMs;
  if (asked !== undefined && asked > LONGEST_WAIT_MS) return undefined;
  return asked ?? own * (1 + random() / 4);
}

/**
 * Streams an answer from the first candidate that gives one: up to three retries each for passing failures, one more without images where those
 * were refused, then the next candidate, unless the failure is one it would share. Never rejects.
 */
export async function* streamWithRetry(
  candidates: readonly Candidate[],
  request: ModelRequest,
  options: RetryOptions,
): AsyncGenerator<AttemptEvent> {
  let answer: ModelAnswer | undefined;
  let shown = false;
  for (const candidate of candidates) {
    if (answer) {
      yield { type: 'fallback', model: nameOf(candidate) };
      if (shown) yield { type: 'reset' };
    }
    const outcome = yield* streamFrom(candidate, request, options);
    answer = priced(outcome.answer, candidate);
    shown = outcome.shown;
    const failed = answer.stopReason === 'error' && !options.signal.aborted;
    if (!failed || outcome.cancelled || (answer.error && NO_FALLBACK.has(answer.error.code))) break;
  }
  yield { type: 'end', answer: answer ?? noCandidate() };
}

/** With what it cost, where the price is known. What a provider takes for writing to its cache is not counted apart. */
function priced(answer: ModelAnswer, { facts }: Candidate): ModelAnswer {
  const { usage } = answer;
  const price = facts?.price;
  if (!usage || !price) return answer;
  const { inputTokens, outputTokens, cachedTokens } = usage;
  const input = (inputTokens - cachedTokens) * price.input + cachedTokens * (price.cached ?? price.input);
  return { ...answer, usage: { ...usage, cost: (input + outputTokens * price.output) / 1e6 } };
}

interface Outcome {
  answer: ModelAnswer;
  /** Whether anything of the last attempt was shown. */
  shown: boolean;
  cancelled: boolean;
}

async function* streamFrom(
  candidate: Candidate,
  original: ModelRequest,
  options: RetryOptions,
): AsyncGenerator<AttemptEvent, Outcome> {
  const refused = options.refusedImages ?? new Set<string>();
  let retries = 0;
  for (;;) {
    const request = withoutRefused(original, candidate, refused);
    const { answer, shown } = yield* streamOnce(candidate, request, options.signal);
    const { error } = answer;
    if (answer.stopReason !== 'error' || !error || options.signal.aborted) return { answer, shown, cancelled: false };
    if (error.code === 'image_rejected' && hasImages(request.messages)) {
      for (const image of allImages(request)) refused.add(refusalKey(candidate, image));
      if (shown) yield { type: 'reset' };
      continue;
    }
    const delay = retryDelay(error, ++retries, options.random);
    if (delay === undefined) return { answer, shown, cancelled: false };
    const waited = yield* wait(delay, retries, error.message, options);
    if (waited !== 'over') {
      const ended: ModelAnswer = waited === 'aborted' ? { ...answer, stopReason: 'aborted' } : answer;
      return { answer: ended, shown, cancelled: true };
    }
    if (shown) yield { type: 'reset' };
  }
}

async function* streamOnce(
  { provider, model }: Candidate,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, { answer: ModelAnswer; shown: boolean }> {
  let shown = false;
  for await (const event of provider.stream(model, request, { signal })) {
    if (event.type === 'end') return { answer: event.answer, shown };
    shown = true;
    yield event;
  }
  throw new Error(`The provider ${provider.name} ended its stream without an end event.`);
}

async function* wait(
  ms: number,
  attempt: number,
  reason: string,
  options: RetryOptions,
): AsyncGenerator<AttemptEvent, 'over' | 'cancelled' | 'aborted'> {
  const cancel = new AbortController();
  options.onWait?.(() => cancel.abort());
  yield { type: 'wait', until: options.clock.now() + ms, attempt, reason };
  try {
    await options.clock.sleep(ms, AbortSignal.any([options.signal, cancel.signal]));
  } catch {
    // Ended before its time, by the person's Stop or Cancel: which one is looked up below.
  }
  yield { type: 'wait_end' };
  if (options.signal.aborted) return 'aborted';
  return cancel.signal.aborted ? 'cancelled' : 'over';
}

function withoutRefused(request: ModelRequest, candidate: Candidate, refused: ReadonlySet<string>): ModelRequest {
  if (refused.size === 0) return request;
  const messages = request.messages.map((message) =>
    imagesOf(message.content).some((image) => refused.has(refusalKey(candidate, image)))
      ? (withoutImages([message], IMAGE_NOTE)[0] ?? message)
      : message,
  );
  return { ...request, messages };
}

function allImages(request: ModelRequest): string[] {
  return request.messages.flatMap((message) => imagesOf(message.content));
}

/** An image as one model refused it. Its length and end stand for it: the whole would keep megabytes alive. */
function refusalKey(candidate: Candidate, image: string): string {
  return `${nameOf(candidate)} ${String(image.length)} ${image.slice(-64)}`;
}

function nameOf({ provider, model }: Candidate): string {
  return `${provider.name}/${model}`;
}

function noCandidate(): ModelAnswer {
  const message = t('No model is set up. Set a key with "Nanobot: Set API Key", or choose a model.');
  return {
    text: '',
    toolCalls: [],
    stopReason: 'error',
    error: { code: 'no_model', message, retryable: false },
    model: '',
  };
}
