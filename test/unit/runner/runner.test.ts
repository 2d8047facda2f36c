import { describe, expect, it } from 'vitest';
import { textOf } from '../../../src/protocol/message.js';
import { INTERRUPTED_RESULT } from '../../../src/runner/govern.js';
import { runAgent } from '../../../src/runner/runner.js';
import { answerOf, call, echoTool, scriptedRun, user, type Step } from '../../support/runs.js';

const run = (made: ReturnType<typeof scriptedRun>) =>
  runAgent(made.spec, made.hooks, { signal: made.controller.signal });
const contents = (made: ReturnType<typeof scriptedRun>) =>
  made.stored.map((message) => [message.role, message.content]);

describe('runAgent', () => {
  it('stores an answer before it announces its end', async () => {
    const made = scriptedRun([{ text: 'Hello' }]);
    const order: string[] = [];
    const { append, emit } = made.hooks;
    made.hooks.append = async (message) => {
      order.push(`stored ${message.role}`);
      await append(message);
    };
    made.hooks.emit = (event) => {
      if (event.type === 'message_end') order.push('announced');
      emit(event);
    };
    const result = await run(made);
    expect(result.status).toBe('done');
    expect(order).toEqual(['stored assistant', 'announced']);
  });

  it('runs calls, gives each its result, and asks again', async () => {
    const { tool, ran } = echoTool('echo');
    const made = scriptedRun(
      [{ toolCalls: [call('echo', { text: 'a' }, 'c1'), call('echo', { text: 'b' }, 'c2')] }, { text: 'done' }],
      [tool],
    );
    await run(made);
    expect(ran).toEqual(['a', 'b']);
    expect(made.requests[1]?.messages.map((message) => message.tool_call_id ?? message.role)).toEqual([
      'user',
      'assistant',
      'c1',
      'c2',
    ]);
    expect(contents(made).at(-1)).toEqual(['assistant', 'done']);
  });

  it('runs neighbouring read-only calls together and any other alone', async () => {
    let inside = 0;
    let most = 0;
    const track = async (text: string) => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
      return text;
    };
    const reader = echoTool('reader', { readOnly: true, run: track });
    const writer = echoTool('writer', { run: track });
    const calls = ['1', '2', '3'].map((id) => call('reader', { text: id }, id));
    const made = scriptedRun([{ toolCalls: calls }, { text: 'ok' }], [reader.tool, writer.tool]);
    await run(made);
    expect(most).toBe(3);
    most = 0;
    const alone = scriptedRun(
      [{ toolCalls: ['1', '2', '3'].map((id) => call('writer', { text: id }, id)) }, { text: 'ok' }],
      [writer.tool],
    );
    await run(alone);
    expect(most).toBe(1);
  });

  it('keeps results in the order of their calls when a later one is quicker', async () => {
    const gates = new Map<string, () => void>();
    const slow = echoTool('reader', {
      readOnly: true,
      run: (text) =>
        text === 'slow'
          ? new Promise((resolve) =>
              gates.set('slow', () => {
                resolve('slow');
              }),
            )
          : Promise.resolve(text).then((value) => {
              gates.get('slow')?.();
              return value;
            }),
    });
    const made = scriptedRun(
      [{ toolCalls: [call('reader', { text: 'slow' }, 'a'), call('reader', { text: 'quick' }, 'b')] }, { text: 'ok' }],
      [slow.tool],
    );
    await run(made);
    expect(made.stored.filter((message) => message.role === 'tool').map((message) => message.tool_call_id)).toEqual([
      'a',
      'b',
    ]);
  });

  it('answers an unknown tool with the nearest names', async () => {
    const { tool } = echoTool('read_file');
    const made = scriptedRun([{ toolCalls: [call('reed_file')] }, { text: 'ok' }], [tool]);
    await run(made);
    expect(made.stored[1]?.content).toContain('Did you mean read_file?');
  });

  it('names the field of a wrong argument and does not run the tool', async () => {
    const { tool, ran } = echoTool('echo');
    const made = scriptedRun([{ toolCalls: [call('echo', { text: 'x', times: 'many' })] }, { text: 'ok' }], [tool]);
    await run(made);
    expect(ran).toEqual([]);
    expect(made.stored[1]?.content).toMatch(/Invalid arguments for echo: times: /);
  });

  it('casts "5" to a number and repairs JSON that is whole, but never JSON that was cut off', async () => {
    const { tool, ran } = echoTool('echo');
    const made = scriptedRun(
      [
        { toolCalls: [call('echo', `{"text": 'one', "times": "5",}`, 'a'), call('echo', '{"text": "tw', 'b')] },
        { text: 'ok' },
      ],
      [tool],
    );
    await run(made);
    expect(ran).toEqual(['one']);
    expect(made.stored[2]?.content).toMatch(/not valid JSON/);
  });

  it('spills a long result to a file and shows head and tail', async () => {
    const { tool } = echoTool('echo', { run: async () => `HEAD${'x'.repeat(30_000)}TAIL` });
    const made = scriptedRun([{ toolCalls: [call('echo', { text: 'a' })] }, { text: 'ok' }], [tool]);
    await run(made);
    expect(made.spilled[0]).toHaveLength(30_008);
    expect(made.stored[1]?.content).toMatch(/^HEAD[\s\S]*\/home\/results\/x\.txt[\s\S]*TAIL$/);
    expect(textOf(made.stored[1]?.content).length).toBeLessThan(16_000);
  });

  it('says so when a tool has no output', async () => {
    const { tool } = echoTool('echo', { run: async () => ' \n' });
    const made = scriptedRun([{ toolCalls: [call('echo', { text: 'a' })] }, { text: 'ok' }], [tool]);
    await run(made);
    expect(made.stored[1]?.content).toBe('(tool completed with no output)');
  });

  it('turns what a tool throws into a result and goes on', async () => {
    const { tool } = echoTool('echo', { run: async () => Promise.reject(new Error('the disk is on fire')) });
    const made = scriptedRun([{ toolCalls: [call('echo', { text: 'a' })] }, { text: 'ok' }], [tool]);
    expect((await run(made)).status).toBe('done');
    expect(made.stored[1]?.content).toBe('Error: the disk is on fire');
  });

  it('gives a denied call a result with the reason', async () => {
    const { tool, ran } = echoTool('echo');
    const made = scriptedRun([{ toolCalls: [call('echo', { text: 'a' })] }, { text: 'ok' }], [tool]);
    made.hooks.approve = async () => ({ allow: false, reason: 'The person denied this.' });
    await run(made);
    expect(ran).toEqual([]);
    expect(made.stored[1]).toMatchObject({ content: 'Error: The person denied this.', tool: { status: 'denied' } });
  });

  it('tells the model after the same call thrice and ends the turn after five', async () => {
    const { tool } = echoTool('echo');
    const same: Step[] = Array.from({ length: 9 }, (_, n) => ({
      toolCalls: [call('echo', { text: 'a' }, `c${String(n)}`)],
    }));
    const made = scriptedRun(same, [tool]);
    const result = await run(made);
    expect(result).toMatchObject({ status: 'error', error: { code: 'loop' } });
    const results = made.stored.filter((message) => message.role === 'tool').map((message) => textOf(message.content));
    expect(results).toHaveLength(5);
    expect(results[2]).toMatch(/same call with the same result 3 times/);
  });

  it('does not count calls whose results differ', async () => {
    let n = 0;
    const { tool } = echoTool('poll', { run: async () => `line ${String(++n)}` });
    const steps: Step[] = [
      ...Array.from({ length: 8 }, (_, i) => ({ toolCalls: [call('poll', { text: 'a' }, `c${String(i)}`)] })),
      { text: 'done' },
    ];
    expect((await run(scriptedRun(steps, [tool]))).status).toBe('done');
  });

  it('asks for a summary without tools at the step limit', async () => {
    const { tool } = echoTool('echo');
    const made = scriptedRun(
      [
        { toolCalls: [call('echo', { text: '1' }, 'a')] },
        { toolCalls: [call('echo', { text: '2' }, 'b')] },
        { text: 'so far so good' },
      ],
      [tool],
      { maxIterations: 2 },
    );
    const result = await run(made);
    expect(result).toMatchObject({ status: 'done', text: 'so far so good' });
    expect(made.requests[2]?.toolChoice).toBe('none');
  });

  it('says a fixed sentence when even the summary is blank', async () => {
    const { tool } = echoTool('echo');
    const made = scriptedRun([{ toolCalls: [call('echo', { text: '1' })] }, {}, {}], [tool], { maxIterations: 1 });
    expect((await run(made)).text).toMatch(/all 1 steps/);
    expect(textOf(made.stored.at(-1)?.content)).toMatch(/all 1 steps/);
  });

  it('retries a blank answer silently, then asks in words, then offers Retry', async () => {
    const recovered = scriptedRun([{}, { text: 'here' }]);
    expect((await run(recovered)).text).toBe('here');
    const blank = scriptedRun([{}, { text: '  ' }, {}]);
    const result = await run(blank);
    expect(result).toMatchObject({ status: 'error', error: { code: 'blank', next: ['retry', 'switchModel'] } });
    expect(blank.requests.map((request) => request.toolChoice)).toEqual([undefined, undefined, 'none']);
  });

  it('continues a cut-off answer up to three times and joins it into one message', async () => {
    const made = scriptedRun([
      { text: 'one ', stopReason: 'length' },
      { text: 'two ', stopReason: 'length' },
      { text: 'three ', stopReason: 'length' },
      { text: 'four', stopReason: 'length' },
    ]);
    await run(made);
    expect(contents(made)).toEqual([['assistant', 'one two three four']]);
    expect(made.requests).toHaveLength(4);
    expect(made.requests[3]?.messages.at(-2)?.content).toBe('one two three ');
  });

  it('does not run the calls of a cut-off answer', async () => {
    const { tool, ran } = echoTool('echo');
    const made = scriptedRun(
      [{ text: 'a', toolCalls: [call('echo', '{"text": "hal')], stopReason: 'length' }, { text: 'b' }],
      [tool],
    );
    await run(made);
    expect(ran).toEqual([]);
    expect(made.stored).toHaveLength(1);
    expect(made.events).toContainEqual(expect.objectContaining({ type: 'tool_end', status: 'error' }));
  });

  it('makes call ids unique that a model uses again in every answer', async () => {
    const { tool } = echoTool('echo');
    const made = scriptedRun(
      [
        { toolCalls: [call('echo', { text: 'a' }, 'call_0')] },
        { toolCalls: [call('echo', { text: 'b' }, 'call_0')] },
        { text: 'ok' },
      ],
      [tool],
    );
    await run(made);
    const ids = made.stored.filter((message) => message.role === 'tool').map((message) => message.tool_call_id);
    expect(new Set(ids).size).toBe(2);
    expect(
      made.requests[2]?.messages.filter((message) => message.role === 'tool').map((message) => message.content),
    ).toEqual(['echo a', 'echo b']);
  });

  it('hands over what the person sent meanwhile, before the turn would end', async () => {
    const made = scriptedRun([{ text: 'first' }, { text: 'second' }]);
    const waiting = [[user('also this')], []];
    made.hooks.steer = async () => waiting.shift() ?? [];
    await run(made);
    expect(made.requests[1]?.messages.map((message) => message.content)).toEqual(['do it', 'first', 'also this']);
  });

  it('ends a turn that used up its tokens', async () => {
    const { tool } = echoTool('echo');
    const usage = { inputTokens: 600, outputTokens: 500, cachedTokens: 0 };
    const made = scriptedRun([{ toolCalls: [call('echo', { text: 'a' })], usage }, { text: 'never' }], [tool], {
      maxTurnTokens: 1000,
    });
    expect(await run(made)).toMatchObject({ status: 'error', error: { code: 'turn_budget' } });
  });

  it('ends a turn that cost what it may, where the cost is known', async () => {
    const { tool } = echoTool('echo');
    const usage = { inputTokens: 600, outputTokens: 500, cachedTokens: 0 };
    const steps = (cost?: number) => [
      { toolCalls: [call('echo', { text: 'a' })], usage: cost === undefined ? usage : { ...usage, cost } },
      { text: 'went on' },
    ];
    const ended = await run(scriptedRun(steps(0.5), [tool], { maxTurnCost: 0.5 }));
    expect(ended).toMatchObject({ status: 'error', error: { code: 'turn_cost', next: ['continue', 'openSettings'] } });
    expect(ended.error?.message).toContain('$0.50');
    for (const [cost, maxTurnCost] of [
      [0.4, 0.5],
      [9, 0],
      [undefined, 0.1],
    ] as const) {
      const { tool: again } = echoTool('echo');
      expect((await run(scriptedRun(steps(cost), [again], { maxTurnCost }))).text).toBe('went on');
    }
  });

  it('keeps a failure out of the conversation the model sees', async () => {
    const made = scriptedRun([
      { stopReason: 'error', error: { code: 'auth', message: 'The key was refused.', retryable: false } },
    ]);
    const result = await run(made);
    expect(result).toMatchObject({ status: 'error', error: { code: 'auth', next: ['setKey', 'switchModel'] } });
    const again = scriptedRun([{ text: 'ok' }], [], {
      messages: [...made.spec.messages, ...made.stored, user('again')],
    });
    await run(again);
    expect(again.requests[0]?.messages.map((message) => message.content)).toEqual(['do it', 'again']);
  });

  it('skips queued calls after Stop, yet gives each a result', async () => {
    const made = scriptedRun([]);
    const first = echoTool('first', {
      run: async () => {
        made.controller.abort();
        return 'partly';
      },
    });
    const second = echoTool('second');
    made.spec.tools.register(first.tool, second.tool);
    made.hooks.stream = async function* () {
      yield {
        type: 'end',
        answer: answerOf({ toolCalls: [call('first', { text: 'a' }), call('second', { text: 'b' })] }),
      };
    };
    const result = await run(made);
    expect(result.status).toBe('aborted');
    expect(second.ran).toEqual([]);
    expect(made.stored.map((message) => message.tool?.status)).toEqual([undefined, 'ok', 'aborted']);
  });

  it('keeps what a stopped answer had', async () => {
    const made = scriptedRun([
      () =>
        (async function* () {
          yield { type: 'text' as const, text: 'half' };
          made.controller.abort();
          yield { type: 'end' as const, answer: answerOf({ text: 'half', stopReason: 'aborted' }) };
        })(),
    ]);
    expect((await run(made)).status).toBe('aborted');
    expect(made.stored).toMatchObject([{ content: 'half', status: 'aborted' }]);
  });

  it('does not touch the stored transcript it was given, and fills what is missing in the request', async () => {
    const messages = [
      user('go'),
      {
        role: 'assistant' as const,
        content: '',
        timestamp: '',
        tool_calls: [
          call('echo', {}, 'x'),
          { id: '', type: 'function' as const, function: { name: '', arguments: '' } },
        ],
      },
      { role: 'tool' as const, content: 'orphan', timestamp: '', tool_call_id: 'nobody' },
      user('go on'),
    ];
    const before = structuredClone(messages);
    const made = scriptedRun([{ text: 'ok' }], [], { messages });
    await run(made);
    expect(messages).toEqual(before);
    expect(made.requests[0]?.messages.map((message) => message.content)).toEqual([
      'go',
      '',
      INTERRUPTED_RESULT,
      'go on',
    ]);
    expect(made.requests[0]?.messages[1]?.tool_calls).toHaveLength(1);
  });

  it('rejects when a message cannot be stored', async () => {
    const made = scriptedRun([{ text: 'hi' }]);
    made.hooks.append = async () => Promise.reject(new Error('disk full'));
    await expect(run(made)).rejects.toThrow('disk full');
    expect(made.events.some((event) => event.type === 'message_end')).toBe(false);
  });
});
