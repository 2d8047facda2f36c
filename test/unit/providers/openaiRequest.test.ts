import { describe, expect, it } from 'vitest';
import { dialectOf } from '../../../src/providers/openaiDialects.js';
import { chatBody } from '../../../src/providers/openaiRequest.js';
import type { ModelRequest } from '../../../src/providers/provider.js';
import { assistant, calling, image, PNG, READ, request, result, user } from './setup.js';

type Sent = { role: string; content: unknown; tool_calls?: { id: string }[]; tool_call_id?: string }[];

function messagesOf(asked: ModelRequest, name = 'openai', model = 'test-model'): Sent {
  return chatBody(asked, model, dialectOf(name))['messages'] as Sent;
}

describe('a chat-completions request', () => {
  it('puts the system prompt first and the runtime context last in its message', () => {
    const asked = request([user('Hello', { runtime_context: '[Runtime Context]\nSunday' })]);
    expect(messagesOf(asked)).toEqual([
      { role: 'system', content: 'You are a test.' },
      { role: 'user', content: 'Hello\n\n[Runtime Context]\nSunday' },
    ]);
  });

  it('leaves out what is for people only and merges what then stands side by side', () => {
    const failed = assistant('', { status: 'error', error: { code: 'server', message: 'x', next: [] } });
    const sent = messagesOf(
      request([
        user('One'),
        failed,
        user('Two'),
        assistant('Part', { status: 'aborted' }),
        assistant('More'),
        user('Three'),
      ]),
    );
    expect(sent.slice(1)).toEqual([
      { role: 'user', content: 'One\n\nTwo' },
      { role: 'assistant', content: 'Part\n\nMore' },
      { role: 'user', content: 'Three' },
    ]);
  });

  it('gives words to empty contents', () => {
    const sent = messagesOf(request([user(''), assistant(null, calling(['c1', 'read_file'])), result('c1', '  ')]));
    expect(sent.slice(1).map((message) => message.content)).toEqual([
      '(no text)',
      null,
      '(tool completed with no output)',
    ]);
  });

  it('begins and ends with what an API accepts there', () => {
    const sent = messagesOf(request([assistant('Hello'), user('Hi'), assistant('Bye')]));
    expect(sent.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant', 'user']);
    expect(messagesOf(request([])).map((message) => message.role)).toEqual(['system', 'user']);
  });

  it('makes ids legal and keeps results with their calls', () => {
    const long = 'x'.repeat(60);
    const sent = messagesOf(
      request([
        user('Go'),
        assistant('', calling([long, 'a'], ['bad id!', 'b'])),
        result('bad id!', 'of b'),
        result(long, 'of a'),
        assistant('', calling(['c_0', 'a'])),
        result('c_0', 'first'),
        assistant('', calling(['c_0', 'a'])),
        result('c_0', 'second'),
      ]),
    );
    const calls = sent.flatMap((message) => message.tool_calls ?? []).map((call) => call.id);
    expect(new Set(calls).size).toBe(4);
    expect(calls.every((id) => /^[a-zA-Z0-9_-]{1,40}$/.test(id))).toBe(true);
    const of = (text: string) => sent.find((message) => message.content === text)?.tool_call_id;
    expect([of('of a'), of('of b'), of('first'), of('second')]).toEqual(calls);
  });

  it('pairs results and calls that have no id, and drops a result without a call', () => {
    const sent = messagesOf(
      request([
        user('Go'),
        assistant('', calling(['', 'a'], ['', 'b'])),
        result('', 'of a'),
        result('', 'of b'),
        result('ghost', 'lost'),
      ]),
    );
    const calls = sent[2]?.tool_calls?.map((call) => call.id) ?? [];
    expect(sent.slice(3).map((message) => [message.tool_call_id, message.content])).toEqual([
      [calls[0], 'of a'],
      [calls[1], 'of b'],
    ]);
  });

  it('moves images of results behind the last result, as from the person', () => {
    const sent = messagesOf(
      request([
        user('Look'),
        assistant('', calling(['c1', 'a'], ['c2', 'b'])),
        result('c1', [{ type: 'text', text: 'one' }, image()]),
        result('c2', 'two'),
        user('And?'),
      ]),
    );
    expect(sent.slice(3).map((message) => message.role)).toEqual(['tool', 'tool', 'user']);
    expect(sent[5]?.content).toEqual([
      { type: 'text', text: '(image from the result of read_file)' },
      { type: 'image_url', image_url: { url: PNG } },
      { type: 'text', text: 'And?' },
    ]);
  });

  it('moves images also where the model speaks next', () => {
    const sent = messagesOf(
      request([
        user('Look'),
        assistant('', calling(['c1', 'a'])),
        result('c1', [image()]),
        assistant('I see'),
        user('Good'),
      ]),
    );
    expect(sent.map((message) => message.role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'user',
      'assistant',
      'user',
    ]);
  });

  it('gives Mistral nine-letter ids and no user message right after a result', () => {
    const sent = messagesOf(
      request([user('Go'), assistant('', calling(['call_1', 'a'])), result('call_1', 'x'), user('Wait')]),
      'mistral',
    );
    expect(sent.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
    expect(sent[2]?.tool_calls?.[0]?.id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(sent[3]?.tool_call_id).toBe(sent[2]?.tool_calls?.[0]?.id);
  });

  it('gives MiniMax its thoughts back as it sent them', () => {
    const sent = messagesOf(
      request([user('Go'), assistant('Yes', { reasoning_content: 'Hm' }), user('On')]),
      'minimax',
    );
    expect(sent[2]?.content).toBe('<think>\nHm\n</think>\n\nYes');
  });

  it('gives Gemini 3 a signature for calls of other models, and the real one where there is one', () => {
    const signed = {
      id: 'c2',
      type: 'function' as const,
      function: { name: 'b', arguments: '{}' },
      extra_content: { google: { thought_signature: 'real' } },
    };
    const asked = request([
      user('Go'),
      assistant('', calling(['c1', 'a'])),
      result('c1', 'x'),
      assistant('', { tool_calls: [signed] }),
      result('c2', 'y'),
    ]);
    const calls = messagesOf(asked, 'gemini', 'gemini-3.5-flash').flatMap((message) => message.tool_calls ?? []);
    expect(calls).toMatchObject([
      { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } },
      { extra_content: { google: { thought_signature: 'real' } } },
    ]);
    expect(JSON.stringify(messagesOf(asked, 'openai'))).not.toContain('extra_content');
  });

  it.each([
    [
      'openai',
      'gpt-5.6-terra',
      { max_completion_tokens: 1000, reasoning_effort: 'none', prompt_cache_key: 'vscode:1' },
      ['temperature', 'max_tokens'],
    ],
    ['openai', 'gpt-4o', { max_completion_tokens: 1000, temperature: 0.2 }, ['reasoning_effort']],
    ['groq', 'openai/gpt-oss-120b', { max_completion_tokens: 1000 }, ['prompt_cache_key']],
    ['mistral', 'mistral-large-latest', { max_tokens: 1000, temperature: 0.2 }, ['stream_options']],
    ['moonshot', 'kimi-k2.6', { max_tokens: 1000 }, ['temperature']],
    ['vllm', 'qwen3', { max_tokens: 1000, stream_options: { include_usage: true } }, ['prompt_cache_key']],
  ])('speaks the dialect of %s to %s', (name, model, has, hasNot) => {
    const body = chatBody(request([user('Hi')], { tools: [READ], temperature: 0.2 }), model, dialectOf(name));
    expect(body).toMatchObject({ model, stream: true, ...has });
    for (const field of hasNot) expect(body).not.toHaveProperty(field);
  });

  it('keeps the tools where the model must answer in words', () => {
    const body = chatBody(request([user('Hi')], { tools: [READ], toolChoice: 'none' }), 'm', dialectOf('openai'));
    expect(body).toMatchObject({ tool_choice: 'none', tools: [{ type: 'function', function: READ }] });
    expect(chatBody(request([user('Hi')], { toolChoice: 'none' }), 'm', dialectOf('openai'))).not.toHaveProperty(
      'tool_choice',
    );
  });

  it('asks for no more tokens than the model can give', () => {
    const body = chatBody(request([user('Hi')], { maxTokens: 100_000 }), 'gpt-4o', dialectOf('openai'));
    expect(body['max_completion_tokens']).toBe(16_384);
  });

  it('does not change the stored messages', () => {
    const stored = [
      user([{ type: 'text', text: 'a' }, image()], { runtime_context: 'rc' }),
      user('b'),
      assistant('c'),
      assistant('d'),
    ];
    const before = JSON.stringify(stored);
    messagesOf(request(stored));
    expect(JSON.stringify(stored)).toBe(before);
  });
});
