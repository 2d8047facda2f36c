import { describe, expect, it } from 'vitest';
import { FrameSender } from '../../../src/channels/frames.js';
import { deltasOf, longAnswer } from '../../support/longAnswer.js';
import { manualClock } from '../providers/manualClock.js';

/** Streams an answer in deltas so many milliseconds apart to a page that acknowledges each frame with its next picture, or never. */
async function stream(deltas: string[], everyMs: number, acknowledges: boolean) {
  const clock = manualClock();
  const posted: { n: number; events: { type: string; text?: string }[] }[] = [];
  const sender = new FrameSender((frame) => {
    posted.push(frame);
    if (acknowledges) clock.after(16, () => sender.ack(frame.n));
  }, clock);
  for (const text of deltas) {
    sender.push({ type: 'text', text });
    await clock.advance(everyMs);
  }
  await clock.advance(1_000);
  const bytes = posted.reduce((sum, frame) => sum + Buffer.byteLength(JSON.stringify(frame)), 0);
  const text = posted.flatMap((frame) => frame.events.map((event) => event.text ?? '')).join('');
  return { frames: posted.length, bytes, text };
}

describe('an answer of 20 KB in 608 deltas', () => {
  const answer = longAnswer(20_000);
  const deltas = deltasOf(answer, 608);

  it.each([2, 5, 15, 40])('costs at most 60 KB posted to the page, a delta every %i ms', async (everyMs) => {
    const { bytes, text } = await stream(deltas, everyMs, true);
    expect(text).toBe(answer);
    expect(bytes).toBeLessThanOrEqual(60_000);
  });

  it('goes out without a wait when the last frame is 12 ms old', async () => {
    const clock = manualClock();
    const posted: number[] = [];
    const sender = new FrameSender((frame) => posted.push(frame.n), clock);
    sender.push({ type: 'text', text: 'a' });
    sender.push({ type: 'text', text: 'b' });
    expect(posted).toEqual([1]);
    await clock.advance(12);
    expect(posted).toEqual([1, 2]);
    await clock.advance(12);
    sender.push({ type: 'text', text: 'c' });
    expect(posted).toEqual([1, 2, 3]);
  });

  it('is at most a frame every 12 ms, and every 50 ms while the page is behind', async () => {
    const second = deltas.slice(0, 500);
    expect((await stream(second, 2, true)).frames).toBeLessThanOrEqual(85);
    const behind = await stream(second, 2, false);
    expect(behind.frames).toBeLessThanOrEqual(20 + 16);
    expect(behind.text).toBe(second.join(''));
  });
});
