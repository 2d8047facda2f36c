import { describe, expect, it } from 'vitest';
import type {
  ModelAnswer,
  ModelRequest,
  Provider,
  ProviderError,
  StreamEvent,
} from '../../../src/providers/provider.js';
import {
  retryDelay,
  streamWithRetry,
  type AttemptEvent,
  type Candidate,
  type RetryOptions,
} from '../../../src/providers/retry.js';
import { manualClock, type ManualClock } from './manualClock.js';
import { image, request, user } from './setup.js';

/** One attempt: what is streamed before it ends, and how it ends. */
interface Attempt {
  text?: string;
  error?: Partial<ProviderError> & Pick<ProviderError, 'code'>;
  stop?: ModelAnswer['stopReason'];
  usage?: ModelAnswer['usage'];
}

function scripted(name: string, attempts: Attempt[]): Candidate & { seen: ModelRequest[] } {
  const seen: ModelRequest[] = [];
  const provider: Provider = {
    name,
    async *stream(model, asked): AsyncGenerator<StreamEvent> {
      const attempt = attempts[seen.length] ?? { text: 'ok' };
      seen.push(asked);
      await Promise.resolve();
      if (attempt.text !== undefined) yield { type: 'text', text: attempt.text };
      const error = attempt.error && { message: attempt.error.code, retryable: true, ...attempt.error };
      const stopReason = attempt.stop ?? (error ? 'error' : 'stop');
      yield {
        type: 'end',
        answer: {
          text: attempt.text ?? '',
          toolCalls: [],
          stopReason,
          model,
          ...(attempt.usage ? { usage: attempt.usage } : {}),
          ...(error ? { error } : {}),
        },
      };
    },
  };
  return { provider, model: 'm', seen };
}

/** Runs to the end, moving the clock over every wait. `onWait` may stop or cancel it instead. */
async function run(
  candidates: Candidate[],
  options: Partial<RetryOptions> & {
    clock?: ManualClock;
    asked?: ModelRequest;
    during?: (event: AttemptEvent, cancel: () => void) => void;
  } = {},
): Promise<AttemptEvent[]> {
  const { clock = manualClock(), asked = request(), during, ...more } = options;
  const events: AttemptEvent[] = [];
  let cancel: () => void = () => undefined;
  const stream = streamWithRetry(candidates, asked, {
    signal: new AbortController().signal,
    random: () => 0,
    onWait: (end) => (cancel = end),
    ...more,
    clock,
  });
  for await (const event of stream) {
    events.push(event);
    if (event.type !== 'wait') continue;
    if (during) during(event, cancel);
    else void clock.waiting().then((ms) => clock.advance(ms));
  }
  return events;
}

const kinds = (events: AttemptEvent[]) => events.map((event) => (event.type === 'text' ? event.text : event.type));
const endOf = (events: AttemptEvent[]) => {
  const last = events.at(-1);
  if (last?.type !== 'end') throw new Error('no end');
  return last.answer;
};

describe('retryDelay', () => {
  const failed = (more: Partial<ProviderError> = {}): ProviderError => ({
    code: 'server',
    message: 'x',
    retryable: true,
    ...more,
  });

  it('grows from 1 over 2 to 4 seconds with up to a quarter more, three times', () => {
    expect([1, 2, 3, 4].map((attempt) => retryDelay(failed(), attempt, () => 0))).toEqual([
      1000,
      2000,
      4000,
      undefined,
    ]);
    expect(retryDelay(failed(), 2, () => 0.5)).toBe(2250);
  });

  it('honours what the provider asks for up to 60 s and gives up beyond', () => {
    expect(retryDelay(failed({ retryAfterMs: 0 }), 1, () => 0)).toBe(0);
    expect(retryDelay(failed({ retryAfterMs: 60_000 }), 1, () => 0)).toBe(60_000);
    expect(retryDelay(failed({ retryAfterMs: 60_001 }), 1, () => 0)).toBeUndefined();
  });

  it('does not retry what would fail again', () => {
    expect(retryDelay(failed({ retryable: false }), 1, () => 0)).toBeUndefined();
  });
});

describe('streamWithRetry', () => {
  it('passes a good answer through', async () => {
    expect(kinds(await run([scripted('a', [{ text: 'Hi' }])]))).toEqual(['Hi', 'end']);
  });

  it('begins a broken answer anew as a new segment after a wait', async () => {
    const a = scripted('a', [
      { text: 'Hal', error: { code: 'stream_broken' } },
      { error: { code: 'server' } },
      { text: 'Hello' },
    ]);
    const events = await run([a]);
    expect(kinds(events)).toEqual(['Hal', 'wait', 'wait_end', 'reset', 'wait', 'wait_end', 'Hello', 'end']);
    expect(endOf(events)).toMatchObject({ text: 'Hello', stopReason: 'stop' });
    expect(a.seen).toHaveLength(3);
  });

  it('says until when it waits, for which attempt and why', async () => {
    const clock = manualClock(5000);
    const events = await run(
      [scripted('a', [{ error: { code: 'rate_limit', retryAfterMs: 9000, message: 'Slow down.' } }])],
      { clock },
    );
    expect(events.find((event) => event.type === 'wait')).toEqual({
      type: 'wait',
      until: 14_000,
      attempt: 1,
      reason: 'Slow down.',
    });
  });

  it('ends with the error after three retries', async () => {
    const a = scripted(
      'a',
      Array.from({ length: 9 }, () => ({ error: { code: 'overloaded' as const } })),
    );
    const events = await run([a]);
    expect(a.seen).toHaveLength(4);
    expect(endOf(events)).toMatchObject({ stopReason: 'error', error: { code: 'overloaded' } });
  });

  it('ends as aborted at once when stopped during a wait', async () => {
    const stop = new AbortController();
    const a = scripted('a', [{ text: 'So', error: { code: 'server' } }]);
    const events = await run([a, scripted('b', [])], { signal: stop.signal, during: () => stop.abort() });
    expect(kinds(events)).toEqual(['So', 'wait', 'wait_end', 'end']);
    expect(endOf(events)).toMatchObject({ text: 'So', stopReason: 'aborted' });
    expect(a.seen).toHaveLength(1);
  });

  it('ends with the error at once when the person cancels the wait, without trying others', async () => {
    const b = scripted('b', []);
    const events = await run([scripted('a', [{ error: { code: 'rate_limit' } }]), b], {
      during: (_, cancel) => cancel(),
    });
    expect(endOf(events)).toMatchObject({ stopReason: 'error', error: { code: 'rate_limit' } });
    expect(b.seen).toHaveLength(0);
  });

  it.each(['auth', 'payment', 'quota', 'not_found', 'refused', 'image_rejected'] as const)(
    'goes on to the next model after %s',
    async (code) => {
      const events = await run([
        scripted('a', [{ text: 'Par', error: { code, retryable: false } }]),
        scripted('b', [{ text: 'Hi' }]),
      ]);
      expect(kinds(events)).toEqual(['Par', 'fallback', 'reset', 'Hi', 'end']);
      expect(events[1]).toEqual({ type: 'fallback', model: 'b/m' });
    },
  );

  it.each(['context_length', 'bad_request'] as const)('does not try another model after %s', async (code) => {
    const b = scripted('b', []);
    const events = await run([scripted('a', [{ error: { code, retryable: false } }]), b]);
    expect(endOf(events).error?.code).toBe(code);
    expect(b.seen).toHaveLength(0);
  });

  it('goes on to the next model after retries, and ends with the last error', async () => {
    const down = Array.from({ length: 9 }, () => ({ error: { code: 'server' as const } }));
    const events = await run([scripted('a', down), scripted('b', [{ error: { code: 'auth', retryable: false } }])]);
    expect(kinds(events).filter((kind) => kind === 'wait')).toHaveLength(3);
    expect(endOf(events).error?.code).toBe('auth');
  });

  it('does not try another model after an abort', async () => {
    const b = scripted('b', []);
    await run([scripted('a', [{ stop: 'aborted' }]), b]);
    expect(b.seen).toHaveLength(0);
  });

  it('asks once more without images where they were refused, and leaves them out from then on', async () => {
    const asked = request([user([{ type: 'text', text: 'See' }, image()])]);
    const a = scripted('a', [{ error: { code: 'image_rejected', retryable: false } }, { text: 'I see nothing' }]);
    const refusedImages = new Set<string>();
    expect(kinds(await run([a], { asked, refusedImages }))).toEqual(['I see nothing', 'end']);
    expect(a.seen[1]?.messages[0]?.content).toEqual([
      { type: 'text', text: 'See' },
      { type: 'text', text: expect.stringContaining('image stood here') as string },
    ]);
    await run([a], { asked, refusedImages });
    expect(JSON.stringify(a.seen[2])).not.toContain('image_url');
    expect(JSON.stringify(asked)).toContain('image_url');
  });

  it('gives the next model the images that another one refused', async () => {
    const asked = request([user([image()])]);
    const refuse = { error: { code: 'image_rejected' as const, retryable: false } };
    const b = scripted('b', [{ text: 'A tea pot' }]);
    await run([scripted('a', [refuse, refuse]), b], { asked, refusedImages: new Set() });
    expect(JSON.stringify(b.seen[0])).toContain('image_url');
  });

  it('says what to do where there is no model at all', async () => {
    expect(endOf(await run([]))).toMatchObject({ stopReason: 'error', error: { code: 'no_model' } });
  });
});

describe('what an answer cost', () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 500_000, cachedTokens: 400_000 };
  const priced = (candidate: Candidate, price: NonNullable<Candidate['facts']>['price']): Candidate => ({
    ...candidate,
    facts: price ? { price } : {},
  });
  const dear = { input: 100, output: 1000, cached: 10 };
  const costOf = async (candidates: Candidate[]) => {
    const last = (await run(candidates)).at(-1);
    return last?.type === 'end' ? last.answer.usage : undefined;
  };

  it('is counted by the price of the model that answered', async () => {
    const failing = () => scripted('a', [{ error: { code: 'auth', retryable: false }, usage }]);
    const answering = () => scripted('b', [{ text: 'ok', usage }]);
    const cheap = { input: 1, output: 4, cached: 0.5 };
    // 600,000 at 1, 400,000 from the cache at 0.5 and 500,000 at 4 for a million.
    expect((await costOf([priced(failing(), dear), priced(answering(), cheap)]))?.cost).toBeCloseTo(2.8, 9);
    expect((await costOf([priced(failing(), cheap), priced(answering(), dear)]))?.cost).toBeCloseTo(564, 9);
    // Where the cache has no price of its own, what it held costs as much as the rest.
    expect((await costOf([priced(answering(), { input: 1, output: 4 })]))?.cost).toBeCloseTo(3, 9);
  });

  it('is not said where the price of the model that answered, or the use, is not known', async () => {
    const failing = scripted('a', [{ error: { code: 'auth', retryable: false }, usage }]);
    expect(await costOf([priced(failing, dear), scripted('b', [{ text: 'ok', usage }])])).toEqual(usage);
    expect(await costOf([priced(scripted('a', [{ text: 'ok' }]), dear)])).toBeUndefined();
  });
});
