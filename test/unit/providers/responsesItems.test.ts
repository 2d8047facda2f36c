import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { OpenAIProvider } from '../../../src/providers/openai.js';
import { startModelServer, type ModelServer } from '../../support/modelServer.js';
import { collect, joined, request } from './setup.js';

let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

type Fields = Record<string, unknown>;

/** The answer to these events, over real HTTP: its text, as shown and as kept, and its calls as `name arguments`. */
async function answerTo(events: Fields[], output: Fields[] = []) {
  const end = { type: 'response.completed', response: { object: 'response', status: 'completed', output } };
  server.setScript([{ raw: [...events, end].map((event) => `data: ${JSON.stringify(event)}\n\n`) }]);
  const options = { name: 'custom', clock: nodeClock(), apiKey: 'sk-test-0123456789', apiBase: `${server.url}/v1` };
  const provider = new OpenAIProvider({ ...options, api: 'responses' });
  const { events: shown, answer } = await collect(
    provider.stream('m', request(), { signal: new AbortController().signal }),
  );
  return {
    shown: joined(shown, 'text'),
    text: answer.text,
    thoughts: answer.reasoning,
    calls: answer.toolCalls.map(({ function: { name, arguments: args } }) => `${name} ${args}`),
    ids: answer.toolCalls.map(({ id }) => id),
    started: shown.flatMap((event) => (event.type === 'tool_start' ? [event.id] : [])),
  };
}

const added = (item: Fields, more: Fields = {}): Fields => ({ type: 'response.output_item.added', item, ...more });
const done = (item: Fields, more: Fields = {}): Fields => ({ type: 'response.output_item.done', item, ...more });
const text = (delta: string, more: Fields = {}): Fields => ({ type: 'response.output_text.delta', delta, ...more });
const args = (delta: string, more: Fields = {}): Fields => ({
  type: 'response.function_call_arguments.delta',
  delta,
  ...more,
});
const message = (words: string, more: Fields = {}): Fields => ({
  type: 'message',
  content: [{ type: 'output_text', text: words }],
  ...more,
});
const call = (name: string, written: string, more: Fields = {}): Fields => ({
  type: 'function_call',
  name,
  arguments: written,
  ...more,
});

describe('an answer whose events hold no output_index', () => {
  it('is told apart by the ids of its items, and nothing of it comes twice', async () => {
    const ids = { id: 'fc_1', call_id: 'c1' };
    const output = [message('Hello', { id: 'm1' }), call('exec', '{"command":"npm publish"}', ids)];
    const events = [
      added({ type: 'message', id: 'm1', content: [] }),
      text('Hel', { item_id: 'm1' }),
      text('lo', { item_id: 'm1' }),
      done(output[0] ?? {}),
      added(call('exec', '', ids)),
      args('{"command":"npm publish"}', { item_id: 'fc_1' }),
      done(output[1] ?? {}),
    ];
    expect(await answerTo(events, output)).toMatchObject({
      shown: 'Hello',
      text: 'Hello',
      calls: ['exec {"command":"npm publish"}'],
      ids: ['c1'],
      started: ['c1'],
    });
  });

  // The events of llama.cpp's server: its calls have no id, and deltas name them by the call_id.
  const a = call('read_file', '{"path":"a"}', { call_id: 'fc_a' });
  const b = call('delete_file', '{"path":"b"}', { call_id: 'fc_b' });
  const empty = (item: Fields): Fields => ({ ...item, arguments: '' });
  const both = { calls: ['read_file {"path":"a"}', 'delete_file {"path":"b"}'], ids: ['fc_a', 'fc_b'] };

  it.each([
    ['named by the call_id', { item_id: 'fc_a' }, { item_id: 'fc_b' }],
    ['named by nothing', {}, {}],
    ['named by what no item is called', { item_id: 'fc_' }, { item_id: 'fc_' }],
  ])('keeps calls without an id apart, with arguments %s', async (_, ofA, ofB) => {
    const events = [
      added(empty(a)),
      args('{"path"', ofA),
      args(':"a"}', ofA),
      added(empty(b)),
      args('{"path":', ofB),
      args('"b"}', ofB),
    ];
    expect(await answerTo([...events, done(a), done(b)], [a, b])).toMatchObject(both);
    // Calls may also end each before the next begins, or only as the whole answer does.
    const each = [...events.slice(0, 3), done(a), ...events.slice(3), done(b)];
    expect(await answerTo(each, [a, b])).toMatchObject(both);
    expect(await answerTo(events, [a, b])).toMatchObject({ ...both, started: ['fc_a', 'fc_b'] });
    expect(await answerTo(events)).toMatchObject(both);
  });

  it('keeps interleaved and late events with the item they name', async () => {
    const interleaved = [
      added(empty(a)),
      added(empty(b)),
      args('{"path":', { item_id: 'fc_b' }),
      args('{"path":"a"}', { item_id: 'fc_a' }),
      args('"b"}', { item_id: 'fc_b' }),
    ];
    expect(await answerTo(interleaved)).toMatchObject(both);
    expect(await answerTo([...interleaved, done(b), done(a)], [b, a])).toMatchObject(both);
    const early = [args('{"path":"a"}', { item_id: 'fc_a' }), added(empty(a)), done(a)];
    expect(await answerTo(early, [a])).toMatchObject({ calls: both.calls.slice(0, 1), ids: ['fc_a'] });
  });

  it('takes each end for what it is, however often it comes', async () => {
    const hello = message('Hello', { id: 'm1' });
    const events = [text('Hello', { item_id: 'm1' }), done(hello), done(hello), added(empty(a)), done(a), done(a)];
    expect(await answerTo([...events, done(a)], [hello, a])).toMatchObject({
      shown: 'Hello',
      text: 'Hello',
      calls: ['read_file {"path":"a"}'],
      started: ['fc_a'],
    });
    const bare = [text('Hello'), done(message('Hello')), done(message('Hello'))];
    expect(await answerTo(bare, [message('Hello')])).toMatchObject({ shown: 'Hello', text: 'Hello' });
  });

  it('is the same answer where its end names items anew', async () => {
    const thought = (id: string): Fields => ({
      type: 'reasoning',
      id,
      summary: [{ type: 'summary_text', text: 'Hm.' }],
    });
    const events = [
      { type: 'response.reasoning_summary_text.delta', delta: 'Hm.', item_id: 'r1' },
      text('Hello', { item_id: 'm1' }),
      done(message('Hello', { id: 'm1-again' })),
      added(empty(a)),
      added(empty(b)),
      done(a),
    ];
    const output = [thought('r9'), message('Hello', { id: 'm9' }), { ...a, call_id: 'x1' }, { ...b, call_id: 'x2' }];
    expect(await answerTo(events, output)).toMatchObject({ ...both, shown: 'Hello', text: 'Hello', thoughts: 'Hm.' });
  });

  it('holds what was not streamed, and two calls that are alike', async () => {
    const again = { ...a, call_id: 'fc_c' };
    const events = [added(empty(b)), args('{"path":"b"}'), done(b)];
    const { calls, shown } = await answerTo(events, [message('Soon.', { id: 'm1' }), a, b, again]);
    expect(calls).toHaveLength(3);
    expect(calls.filter((words) => words === both.calls[0])).toHaveLength(2);
    expect(shown).toBe('Soon.');
    expect((await answerTo([done(a), done(again)], [a, again])).ids).toEqual(['fc_a', 'fc_c']);
  });
});

describe('an answer whose output_index is not to be trusted', () => {
  it('keeps items apart that all stand at 0', async () => {
    const at = { output_index: 0 };
    const c1 = call('read_file', '{"path":"a"}', { id: 'fc_1', call_id: 'c1' });
    const c2 = call('delete_file', '{"path":"b"}', { id: 'fc_2', call_id: 'c2' });
    const events = [
      text('Hello', at),
      added({ ...c1, arguments: '' }, at),
      args('{"path":"a"}', at),
      done(c1, at),
      added({ ...c2, arguments: '' }, at),
      args('{"path":"b"}', at),
      done(c2, at),
    ];
    expect(await answerTo(events, [message('Hello'), c1, c2])).toMatchObject({
      text: 'Hello',
      calls: ['read_file {"path":"a"}', 'delete_file {"path":"b"}'],
      ids: ['c1', 'c2'],
    });
  });

  it('follows the index where the ids of one item differ from event to event', async () => {
    const one = { output_index: 0 };
    const two = { output_index: 1 };
    const events = [
      added({ type: 'message', id: 'x1' }, one),
      text('Hel', { ...one, item_id: 'x2' }),
      text('lo', { ...one, item_id: 'x3' }),
      done(message('Hello', { id: 'x4' }), one),
      added(call('exec', '', { id: 'y1', call_id: 'c1' }), two),
      args('{}', { ...two, item_id: 'y2' }),
      done(call('exec', '{}', { id: 'y3', call_id: 'c1' }), two),
    ];
    const output = [message('Hello', { id: 'x5' }), call('exec', '{}', { id: 'y4', call_id: 'c1' })];
    expect(await answerTo(events, output)).toMatchObject({ shown: 'Hello', text: 'Hello', calls: ['exec {}'] });
  });

  it('is the same answer where its end holds the items in another order', async () => {
    const events = [text('A', { output_index: 0, item_id: 'm1' }), text('B', { output_index: 1, item_id: 'm2' })];
    const output = [message('B', { id: 'm2' }), message('A', { id: 'm1-again' })];
    expect(await answerTo(events, output)).toMatchObject({ shown: 'A\n\nB', text: 'A\n\nB' });
  });
});
