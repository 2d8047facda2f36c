import { describe, expect, it } from 'vitest';
import { factsOf, knownFacts } from '../../../src/providers/modelFacts.js';

describe('factsOf', () => {
  it.each([
    ['claude-opus-4-5-20251101', 200_000, true],
    ['anthropic/claude-opus-4.5:beta', 200_000, true],
    ['claude-sonnet-5-5', 1_000_000, true],
    ['gpt-5.6-luna', 1_050_000, true],
    ['openai/gpt-4o-mini-2024-07-18', 128_000, true],
    ['deepseek-flash', 1_000_000, true],
    ['deepseek-ai/DeepSeek-V3.2', 128_000, false],
    ['kimi-k2.6', 262_144, true],
    ['qwen3:8b', 131_072, false],
    ['qwen/qwen3-coder:free', 262_144, false],
    ['o1-2024-12-17', 200_000, true],
    ['gpt-5-chat-latest', 128_000, true],
    ['x-ai/grok-4-fast', 2_000_000, true],
  ])('knows %s by its beginning', (model, contextWindow, images) => {
    expect(factsOf(model)).toMatchObject({ contextWindow, images });
  });

  it('takes the longest beginning that fits', () => {
    expect(knownFacts('gpt-5.6-terra')?.price).toEqual({ input: 2, output: 12, cached: 0.2 });
    expect(knownFacts('gpt-5.6-sol')?.price?.input).toBe(5);
    expect(knownFacts('claude-opus-5-5')?.price?.input).toBe(4);
  });

  it('assumes little of a model it does not know', () => {
    expect(factsOf('my-own')).toEqual({ contextWindow: 65_536, images: false });
    expect(knownFacts('my-own')).toBeUndefined();
  });

  it('lets a person overrule it, one fact at a time', () => {
    expect(factsOf('gpt-4o', { 'gpt-4o': { contextWindow: 32_000, images: undefined } })).toMatchObject({
      contextWindow: 32_000,
      images: true,
      maxOutput: 16_384,
    });
    expect(factsOf('gpt-4o').contextWindow).toBe(128_000);
  });
});
