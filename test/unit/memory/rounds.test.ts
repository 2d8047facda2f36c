import { describe, expect, it } from 'vitest';
import { cutAt, cutOrAll, type Item } from '../../../src/memory/rounds.js';
import type { StoredMessage } from '../../../src/protocol/message.js';

/** Messages by their first letters (u, a, t), 10 tokens each unless a number follows. */
function items(...each: string[]): Item[] {
  const roles: Record<string, StoredMessage['role']> = { u: 'user', a: 'assistant', t: 'tool' };
  return each.map((text, index) => ({
    index,
    message: { role: roles[text[0] ?? ''] ?? 'user', content: '', timestamp: '' },
    tokens: Number(text.slice(1) || 10),
  }));
}
const turns = (count: number) => items(...Array.from({ length: count }, () => ['u', 'a', 't', 'a']).flat());

/** How many messages a round takes. */
const count = (all: Item[], limits: { until?: number; room?: number; stopAt?: number }) =>
  cutAt(all, { until: Infinity, room: 1e6, ...limits })?.items.length;

describe('a round', () => {
  it('takes the oldest whole turns up to the wanted index', () => {
    expect(count(turns(5), { until: 5 })).toBe(8);
    expect(count(turns(5), { until: 8 })).toBe(8);
    expect(count(turns(5), { until: 9 })).toBe(12);
    expect(cutAt(turns(5), { until: 9, room: 1e6 })?.end).toBe(12);
  });

  it('is cut only before a message of a person', () => {
    expect(count(items('u', 'a', 't', 't', 'a', 'u', 'a'), { until: 1 })).toBe(5);
  });

  it('leaves the newest turn, whatever has to leave', () => {
    expect(count(turns(3), {})).toBe(8);
    expect(cutAt(turns(1), { until: Infinity, room: 1e6 })).toBeUndefined();
    expect(cutAt([], { until: Infinity, room: 1e6 })).toBeUndefined();
  });

  it('takes at most 60 messages', () => {
    expect(count(turns(40), {})).toBe(60);
    expect(count(items(...Array.from({ length: 100 }, () => ['u', 'a']).flat()), {})).toBe(60);
    const sevens = items(...Array.from({ length: 100 }, () => ['u', 'a', 'u', 'a', 'a', 'a', 'a']).flat());
    expect(count(sevens, {})).toBe(58);
  });

  it('takes no more than one request can carry', () => {
    expect(count(turns(10), { room: 100 })).toBe(8);
  });

  it('takes a turn that is over the limits alone, and nothing with it', () => {
    const long = items('u', ...Array.from({ length: 150 }, () => 'a'), 'u', 'a', 'u');
    expect(count(long, {})).toBe(151);
    expect(count(items('u', 'a900', 'u', 'a', 'u'), { room: 100 })).toBe(2);
  });

  it('ends where the facts have been noted up to, if that is a place to cut', () => {
    expect(count(turns(5), { stopAt: 8 })).toBe(8);
    expect(count(turns(5), { stopAt: 6 })).toBe(8);
    expect(count(turns(5), { until: 1, stopAt: 8 })).toBe(4);
  });

  it('looks at no more messages than it needs', () => {
    let seen = 0;
    function* endless(): Generator<Item> {
      for (const item of turns(5_000)) {
        seen += 1;
        yield item;
      }
    }
    expect(cutAt(endless(), { until: Infinity, room: 1e6 })?.items).toHaveLength(60);
    expect(seen).toBeLessThan(70);
  });

  it('of facts takes everything where it fits', () => {
    expect(cutOrAll(() => turns(15), 1e6)).toEqual({ items: turns(15) });
    expect(cutOrAll(() => turns(16), 1e6).end).toBe(60);
    expect(cutOrAll(() => turns(5), 100).end).toBe(8);
    expect(cutOrAll(() => turns(1), 1).items).toHaveLength(4);
  });
});
