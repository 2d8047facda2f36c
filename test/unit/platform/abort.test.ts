import { describe, expect, it } from 'vitest';
import { abortError, unlessAborted } from '../../../src/platform/abort.js';

const never = () => new Promise<never>(() => undefined);

describe('work that can be aborted', () => {
  it('ends as it ends where nobody aborts it', async () => {
    const { signal } = new AbortController();
    await expect(unlessAborted(Promise.resolve(7), signal)).resolves.toBe(7);
    await expect(unlessAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
  });

  it('ends with the reason as soon as the signal says so, also where it has said so before', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const waiting = unlessAborted(never(), controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(unlessAborted(never(), controller.signal)).rejects.toBe(reason);
  });

  it('may fail later without anybody hearing of it', async () => {
    const controller = new AbortController();
    let fail: (cause: Error) => void = () => undefined;
    const work = new Promise<never>((_, reject) => (fail = reject));
    const waiting = unlessAborted(work, controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    fail(new Error('too late'));
  });

  it('has words for a reason that is no error', () => {
    expect(abortError(AbortSignal.abort('because'), 'The search was stopped.').message).toBe('The search was stopped.');
  });
});
