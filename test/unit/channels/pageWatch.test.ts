import { describe, expect, it } from 'vitest';
import { PageWatch, SILENCE_MS } from '../../../src/channels/pageWatch.js';
import { manualClock } from '../providers/manualClock.js';

function makeWatch() {
  const clock = manualClock();
  const told: string[] = [];
  let seen = true;
  const watch = new PageWatch({
    clock,
    isSeen: () => seen,
    rebuild: () => void told.push('rebuild'),
    giveUp: () => void told.push('giveUp'),
  });
  return { clock, told, watch, see: (next: boolean) => ((seen = next), watch.seenChanged()) };
}

describe('a page that is watched', () => {
  it('is rebuilt when it acknowledges nothing for ten seconds', async () => {
    const { clock, told, watch } = makeWatch();
    watch.sent(1);
    await clock.advance(SILENCE_MS - 1);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual(['rebuild']);
  });

  it('is left alone while it answers, however late within the time', async () => {
    const { clock, told, watch } = makeWatch();
    for (let n = 1; n < 10; n++) {
      watch.sent(n);
      await clock.advance(SILENCE_MS - 1);
      watch.acked(n);
    }
    await clock.advance(10 * SILENCE_MS);
    expect(told).toEqual([]);
  });

  it('counts no time in which nobody saw it', async () => {
    const { clock, told, watch, see } = makeWatch();
    see(false);
    watch.sent(1);
    await clock.advance(10 * SILENCE_MS);
    see(true);
    await clock.advance(SILENCE_MS / 2);
    see(false);
    see(true);
    await clock.advance(SILENCE_MS - 1);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual(['rebuild']);
  });

  it('is rebuilt twice at most, then the person is told; an answer begins the count anew', async () => {
    const { clock, told, watch } = makeWatch();
    for (let n = 0; n < 3; n++) {
      watch.sent(0);
      await clock.advance(SILENCE_MS);
    }
    expect(told).toEqual(['rebuild', 'rebuild', 'giveUp']);
    watch.acked(0);
    watch.sent(1);
    await clock.advance(SILENCE_MS);
    expect(told.at(-1)).toBe('rebuild');
  });

  it('leaves no timer behind', async () => {
    const { clock, told, watch } = makeWatch();
    watch.sent(1);
    watch.dispose();
    await clock.advance(SILENCE_MS);
    expect(told).toEqual([]);
  });
});
