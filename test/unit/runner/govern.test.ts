import { describe, expect, it } from 'vitest';
import { fitWindow, govern } from '../../../src/runner/govern.js';
import type { StoredMessage } from '../../../src/protocol/message.js';
import { call, user } from '../../support/runs.js';

const tool = (id: string, content: string): StoredMessage => ({
  role: 'tool',
  content,
  timestamp: '',
  tool_call_id: id,
});
const assistant = (content: string, ...ids: string[]): StoredMessage => ({
  role: 'assistant',
  content,
  timestamp: '',
  ...(ids.length > 0 ? { tool_calls: ids.map((id) => call('echo', {}, id)) } : {}),
});

describe('govern', () => {
  it('puts results behind their calls in call order, also when a message of the person came between', () => {
    const governed = govern([user('a'), assistant('', '1', '2'), user('wait'), tool('2', 'two'), tool('1', 'one')]);
    expect(governed.map((message) => message.content)).toEqual(['a', '', 'one', 'two', 'wait']);
  });

  it('pairs results of foreign sessions that use one id twice', () => {
    const governed = govern([
      user('a'),
      assistant('', 'x'),
      tool('x', 'first'),
      assistant('', 'x'),
      tool('x', 'second'),
    ]);
    expect(governed.map((message) => message.content)).toEqual(['a', '', 'first', '', 'second']);
    expect(governed[4]?.tool_call_id).toBe(governed[3]?.tool_calls?.[0]?.id);
    expect(governed[4]?.tool_call_id).not.toBe('x');
  });

  it('gives the same output for the same input', () => {
    const messages = [user('a'), assistant('', '1'), tool('1', 'x'.repeat(50_000)), assistant('done')];
    expect(JSON.stringify(govern(messages))).toBe(JSON.stringify(govern(messages)));
  });
});

describe('fitWindow', () => {
  const talk = Array.from({ length: 20 }, (_, n) => [user(`u${String(n)}`), assistant(`a${String(n)}`)]).flat();
  const ten = () => 10;

  it('sends all while it fits', () => {
    expect(fitWindow(talk, 400, {}, ten).messages).toHaveLength(40);
  });

  it('cuts to half the budget at a message of the person, and stays there as the talk grows', () => {
    const first = fitWindow(talk, 300, {}, ten);
    expect(first.messages[0]?.role).toBe('user');
    expect(first.messages.length * 10).toBeLessThanOrEqual(150);
    const grown = [...talk, user('more'), assistant('yes')];
    const second = fitWindow(grown, 300, first.cut, ten);
    expect(second.cut).toEqual(first.cut);
    expect(second.messages[0]).toBe(first.messages[0]);
  });

  it('keeps the newest turn whatever its size', () => {
    expect(
      fitWindow([user('a'), assistant('b'), user('huge')], 10, {}, () => 1000).messages.map(
        (message) => message.content,
      ),
    ).toEqual(['huge']);
  });
});
