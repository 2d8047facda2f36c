import { describe, expect, it } from 'vitest';
import { fitWindow, fromCut, govern } from '../../../src/runner/govern.js';
import type { StoredMessage } from '../../../src/protocol/message.js';

const timestamp = '2026-03-01T10:00:00Z';

/** A turn with a call, as it is stored. */
function turn(n: number): StoredMessage[] {
  const call = { id: `call_${String(n)}`, type: 'function' as const, function: { name: 'list_dir', arguments: '{}' } };
  return [
    { role: 'user', content: `question ${String(n)}`, timestamp, id: `u${String(n)}` },
    { role: 'assistant', content: '', tool_calls: [call], timestamp, id: `a${String(n)}` },
    { role: 'tool', content: 'src', tool_call_id: call.id, name: 'list_dir', timestamp, id: `t${String(n)}` },
    { role: 'assistant', content: `answer ${String(n)}`, timestamp, id: `b${String(n)}` },
  ];
}

const talk = Array.from({ length: 50 }, (_, n) => turn(n)).flat();
const ten = () => 10;

describe('a conversation that was cut', () => {
  it('is governed from the cut on, to the same request as if all of it had been', () => {
    const { cut, messages } = fitWindow(govern(talk), 500, {}, ten);
    expect(cut.from).toBeDefined();
    const again = fitWindow(govern(fromCut(talk, cut)), 500, cut, ten);
    expect(again).toEqual({ messages, cut });
  });

  it('keeps the cut as it grows, so that the prefix of the request stays', () => {
    const { cut, messages } = fitWindow(govern(talk), 500, {}, ten);
    const grown = [...talk, ...turn(50)];
    const next = fitWindow(govern(fromCut(grown, cut)), 500, cut, ten);
    expect(next.cut).toEqual(cut);
    expect(next.messages.slice(0, messages.length)).toEqual(messages);
    expect(next.messages).toHaveLength(messages.length + 4);
  });

  it('hands on the very messages that need no change: what was counted of them stays known', () => {
    expect(govern(talk).every((message, index) => message === talk[index])).toBe(true);
  });

  it('is whole again where the message it was cut at is gone', () => {
    expect(fromCut(talk, { from: 'hidden since' })).toBe(talk);
    expect(fromCut(talk, {})).toBe(talk);
  });
});
