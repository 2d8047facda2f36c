import { t } from '@vscode/l10n';
import type { Clock, Disposable } from '../platform/ports.js';
import { BrokenStream, HttpFailure, toProviderError, type FailureContext } from './errors.js';
import type { ModelAnswer, StreamEvent } from './provider.js';
import { readServerEvents, type BodyListener, type ServerEvent } from './sse.js';

/** Milliseconds a stream may be silent before it counts as broken. */
export const SILENCE_MS = 90_000;
/** Milliseconds a local server may take until its first byte: it may have to load the model and read the whole prompt first. */
export const SLOW_START_MS = 600_000;
/** Milliseconds left for the usage, and for the end of the connection, once the answer itself is complete. */
const FINISH_GRACE_MS = 3_000;
/** Milliseconds of work on events that came all at once before everything else on the thread gets its turn. */
const LONGEST_STRETCH_MS = 8;
/** Characters of an error body that are read into a message. */
const MAX_ERROR_BODY = 100_000;

/** Makes an answer out of one wire's events. */
export interface AnswerReader {
  /** Throws a `WireFailure` for an error inside the stream and a `BrokenStream` for what cannot be read. */
  take(event: ServerEvent): Iterable<StreamEvent>;
  /** What was held back; called once, when no more events come. */
  flush(): Iterable<StreamEvent>;
  /** The answer is complete; at most usage is still to come. */
  readonly complete: boolean;
  /** Nothing more can come. */
  readonly over: boolean;
  /** What came so far. `stopReason` is `error` with `error` set where the provider itself said so. */
  answer(context: FailureContext): ModelAnswer;
}

/** Sends a request and turns its answer into events. */
export interface StreamPlan {
  clock: Clock;
  /** The caller's: aborting it ends the stream as `aborted`. */
  signal: AbortSignal;
  silenceMs: number;
  firstByteMs: number;
  open(signal: AbortSignal): Promise<Response>;
  reader: AnswerReader;
  context(): FailureContext;
}

/**
 * Runs a request to its end. Never rejects; the last event is `end` with whatever came. A stream that falls silent, breaks, or ends before the
 * answer was complete ends as `stream_broken`.
 */
export async function* streamAnswer(plan: StreamPlan): AsyncGenerator<StreamEvent> {
  const { reader, signal } = plan;
  const guard = new SilenceGuard(plan.clock, signal, plan.firstByteMs);
  let thrown: unknown;
  try {
    signal.throwIfAborted();
    const response = await plan.open(guard.signal);
    guard.limit(plan.silenceMs);
    if (!response.body) throw new BrokenStream(t('It sent no answer at all.'));
    let worked = 0;
    for await (const event of readServerEvents(response.body, guard)) {
      const begun = plan.clock.now();
      yield* reader.take(event);
      if (reader.over || signal.aborted) break;
      if (reader.complete) guard.limit(FINISH_GRACE_MS);
      worked += plan.clock.now() - begun;
      if (worked < LONGEST_STRETCH_MS) continue;
      worked = 0;
      await plan.clock.sleep(0);
    }
  } catch (error) {
    thrown = error;
  } finally {
    guard.release(reader.over && !signal.aborted ? FINISH_GRACE_MS : 0);
  }
  yield* reader.flush();
  yield { type: 'end', answer: concluded(plan, guard, thrown) };
}

function concluded(plan: StreamPlan, guard: SilenceGuard, thrown: unknown): ModelAnswer {
  const { reader, signal } = plan;
  const answer = reader.answer(plan.context());
  if (signal.aborted) return { ...answer, stopReason: 'aborted' };
  if (reader.complete) return answer;
  const cause = guard.silent
    ? new BrokenStream(t('It sent nothing for {0} seconds.', Math.round(guard.waited / 1000)))
    : (thrown ?? new BrokenStream(t('The stream ended before the answer was complete.')));
  return { ...answer, stopReason: 'error', error: toProviderError(cause, plan.context()) };
}

/**
 * `fetch` for the SDKs: an error status becomes an `HttpFailure` with the whole body, and so does a redirect: followed, it would take keys in headers
 * and the conversation to whatever address it names.
 */
export async function fetchOrFail(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await globalThis.fetch(url, { ...init, redirect: 'manual' });
  if (response.ok) return response;
  const body = await response.text().catch(() => '');
  throw new HttpFailure(response.status, response.headers, body.slice(0, MAX_ERROR_BODY), response.url);
}

/** Loads what `fetch` itself loads at its first use, without any network: 20 to 80 ms the first request is spared. */
export async function warmUpFetch(): Promise<void> {
  await globalThis.fetch('data:,').catch(() => undefined);
}

/** Aborts a request whose bytes stop coming. One timer however many pieces arrive. */
class SilenceGuard implements BodyListener {
  readonly #clock: Clock;
  readonly #outer: AbortSignal;
  readonly #abort = new AbortController();
  readonly #forward = () => this.#abort.abort(this.#outer.reason);
  #ms: number;
  #last: number;
  #timer: Disposable | undefined;
  #ended = false;
  silent = false;

  constructor(clock: Clock, outer: AbortSignal, ms: number) {
    this.#clock = clock;
    this.#outer = outer;
    this.#ms = ms;
    this.#last = clock.now();
    outer.addEventListener('abort', this.#forward, { once: true });
    this.#arm(ms);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The limit in milliseconds that was in force last. */
  get waited(): number {
    return this.#ms;
  }

  onBytes(): void {
    this.#last = this.#clock.now();
  }

  onEnd(): void {
    this.#ended = true;
    this.#timer?.dispose();
  }

  limit(ms: number): void {
    this.onBytes();
    if (ms === this.#ms) return;
    this.#ms = ms;
    this.#arm(ms);
  }

  /** Ends the request after this grace, which lets a finished connection be used again; 0 ends it now. */
  release(graceMs: number): void {
    this.#outer.removeEventListener('abort', this.#forward);
    this.#timer?.dispose();
    if (graceMs === 0) this.#abort.abort();
    else if (!this.#ended) this.#timer = this.#clock.after(graceMs, () => this.#abort.abort());
  }

  #arm(ms: number): void {
    this.#timer?.dispose();
    this.#timer = this.#clock.after(ms, () => {
      const left = this.#last + this.#ms - this.#clock.now();
      if (left > 0) {
        this.#arm(left);
        return;
      }
      this.silent = true;
      this.#abort.abort();
    });
  }
}
