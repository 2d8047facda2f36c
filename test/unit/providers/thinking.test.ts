import { describe, expect, it } from 'vitest';
import { messagesBody } from '../../../src/providers/anthropicRequest.js';
import { dialectOf } from '../../../src/providers/openaiDialects.js';
import { chatBody } from '../../../src/providers/openaiRequest.js';
import type { ModelRequest, ThinkingEffort } from '../../../src/providers/provider.js';
import { responsesBody } from '../../../src/providers/responsesRequest.js';
import { canBeTold } from '../../../src/providers/thinking.js';

const said = { role: 'user' as const, content: 'Hi', timestamp: '' };
const request = (thinking?: ThinkingEffort, more: Partial<ModelRequest> = {}): ModelRequest => ({
  ...{ system: '', messages: [said], tools: [], maxTokens: 8_000, sessionKey: 's' },
  ...(thinking ? { thinking } : {}),
  ...more,
});
const claude = (model: string, effort?: ThinkingEffort, more?: Partial<ModelRequest>) => {
  const { thinking, output_config } = messagesBody(request(effort, more), model);
  return { thinking, ...(output_config ? { output_config } : {}) };
};
const chat = (provider: string, model: string, effort?: ThinkingEffort) => {
  const body = chatBody(request(effort), model, dialectOf(provider));
  const { reasoning_effort, reasoning, thinking, enable_thinking } = body;
  return Object.fromEntries(
    Object.entries({ reasoning_effort, reasoning, thinking, enable_thinking }).filter(
      ([, value]) => value !== undefined,
    ),
  );
};

describe('how much a model is to think', () => {
  it('is a share of the answer for older Claude models, and an effort for newer ones', () => {
    expect(claude('claude-sonnet-4-5', 'medium')).toEqual({ thinking: { type: 'enabled', budget_tokens: 4_000 } });
    expect(claude('claude-sonnet-4-5', 'high', { maxTokens: 1_000 })).toEqual({ thinking: undefined });
    expect(claude('claude-opus-5', 'high')).toEqual({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    });
    expect(claude('claude-opus-5', 'off')).toEqual({ thinking: { type: 'disabled' } });
    expect(claude('claude-opus-5')).toEqual({ thinking: undefined });
    expect(claude('claude-3-5-haiku', 'high')).toEqual({ thinking: undefined });
  });

  it('is left out of a turn whose calls were made without a thought, where that would be refused', () => {
    const call = { id: 'a', type: 'function' as const, function: { name: 'x', arguments: '{}' } };
    const messages = [
      said,
      { role: 'assistant' as const, content: '', tool_calls: [call], timestamp: '' },
      { role: 'tool' as const, content: 'ok', tool_call_id: 'a', timestamp: '' },
    ];
    expect(claude('claude-sonnet-4-5', 'high', { messages })).toEqual({ thinking: undefined });
    const after = [...messages, said];
    expect(claude('claude-sonnet-4-5', 'high', { messages: after })).toMatchObject({ thinking: { type: 'enabled' } });
  });

  it.each([
    ['openai', 'gpt-5', 'high', { reasoning_effort: 'high' }],
    ['openai', 'gpt-5', 'off', { reasoning_effort: 'minimal' }],
    ['openai', 'gpt-5.2', 'off', { reasoning_effort: 'none' }],
    ['openai', 'o3', 'off', { reasoning_effort: 'low' }],
    ['openai', 'gpt-4o', 'high', {}],
    ['openai', 'gpt-5-chat', 'high', {}],
    ['openrouter', 'anthropic/claude-sonnet-4.5', 'low', { reasoning: { effort: 'low' } }],
    ['openrouter', 'anthropic/claude-sonnet-4.5', 'off', { reasoning: { enabled: false } }],
    ['openrouter', 'meta/llama-3', 'high', {}],
    ['gemini', 'gemini-2.5-flash', 'off', { reasoning_effort: 'none' }],
    ['gemini', 'gemini-3.1-pro', 'off', { reasoning_effort: 'low' }],
    ['zhipu', 'glm-5', 'off', { thinking: { type: 'disabled' } }],
    ['dashscope', 'qwen3-max', 'high', { enable_thinking: true }],
    ['ollama', 'llama3', 'high', {}],
  ] as const)('%s/%s at %s', (provider, model, effort, expected) => {
    expect(chat(provider, model, effort)).toEqual(expected);
    expect(canBeTold(provider, model)).toBe(Object.keys(expected).length > 0);
  });

  it('stands beside the summary in a request to the Responses API', () => {
    const ways = { api: 'responses' as const, encrypted: false, summary: true, refused: new Set<string>() };
    const { body } = responsesBody(request('high'), 'gpt-5.6', dialectOf('openai'), ways);
    expect(body['reasoning']).toEqual({ effort: 'high', summary: 'auto' });
    const plain = responsesBody(request(), 'gpt-5.6', dialectOf('openai'), { ...ways, summary: false }).body;
    expect(plain).not.toHaveProperty('reasoning');
  });

  it('gives way where an endpoint takes tools only without it', () => {
    const tools = [{ name: 't', description: '', parameters: {} }];
    const body = chatBody(request('high', { tools }), 'gpt-5.6', dialectOf('openai'));
    expect(body['reasoning_effort']).toBe('none');
  });
});
