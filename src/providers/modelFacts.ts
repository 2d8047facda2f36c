import type { ModelFacts } from './provider.js';

const K = 1_000;
const M = 1_000_000;

/** Of a model that no table knows: small enough to fit nearly every one. */
export const DEFAULT_FACTS: ModelFacts = { contextWindow: 65_536, images: false };

type Row = [
  prefix: string,
  contextWindow: number,
  maxOutput: number | undefined,
  images: boolean,
  price?: [number, number, number?],
];

/** Well-known models by the beginning of their name (without vendor, lower case); the longest that fits wins. US dollars per million tokens. */
const ROWS: readonly Row[] = [
  ['claude-', 200 * K, 64 * K, true],
  ['claude-fable', M, 128 * K, true, [10, 50, 1]],
  ['claude-mythos', M, 128 * K, true],
  ['claude-opus-5-5', M, 128 * K, true, [4, 20, 0.4]],
  ['claude-opus-5', M, 128 * K, true, [5, 25, 0.5]],
  ['claude-opus-4-8', M, 128 * K, true, [5, 25, 0.5]],
  ['claude-opus-4-7', M, 128 * K, true, [5, 25, 0.5]],
  ['claude-opus-4-6', 200 * K, 128 * K, true, [5, 25, 0.5]],
  ['claude-opus-4-5', 200 * K, 64 * K, true, [5, 25, 0.5]],
  ['claude-opus-4', 200 * K, 32 * K, true, [15, 75, 1.5]],
  ['claude-sonnet-5', M, 128 * K, true, [2, 10, 0.2]],
  ['claude-sonnet-4', 200 * K, 64 * K, true, [3, 15, 0.3]],
  ['claude-haiku-5', M, 128 * K, true, [0.1, 0.5, 0.01]],
  ['claude-haiku-4', 200 * K, 64 * K, true, [1, 5, 0.1]],
  ['claude-3-5-haiku', 200 * K, 8192, true, [0.8, 4, 0.08]],
  ['claude-3-haiku', 200 * K, 4096, true, [0.25, 1.25, 0.03]],
  ['gpt-6-sol', 1_050_000, 128 * K, true, [2, 10, 0.2]],
  ['gpt-6-luna', 1_050_000, 128 * K, true, [0.1, 0.5, 0.01]],
  ['gpt-6.1-terra', 1_050_000, 128 * K, true, [1, 5, 0.05]],
  ['gpt-6', 1_050_000, 128 * K, true],
  ['gpt-5.6', 1_050_000, 128 * K, true, [5, 30, 0.5]],
  ['gpt-5.6-terra', 1_050_000, 128 * K, true, [2, 12, 0.2]],
  ['gpt-5.6-luna', 1_050_000, 128 * K, true, [0.2, 1.2, 0.02]],
  ['gpt-5.5', 1_050_000, 128 * K, true, [5, 30, 0.5]],
  ['gpt-5.4', 1_050_000, 128 * K, true, [2.5, 15, 0.25]],
  ['gpt-5.4-mini', 400 * K, 128 * K, true],
  ['gpt-5.4-nano', 400 * K, 128 * K, true],
  ['gpt-5.2', 400 * K, 128 * K, true, [1.75, 14, 0.175]],
  ['gpt-5', 400 * K, 128 * K, true, [1.25, 10, 0.125]],
  ['gpt-5-mini', 400 * K, 128 * K, true, [0.25, 2, 0.025]],
  ['gpt-5-nano', 400 * K, 128 * K, true, [0.05, 0.4, 0.005]],
  ['gpt-5-chat', 128 * K, 16_384, true, [1.25, 10, 0.125]],
  ['gpt-4.1', 1_047_576, 32_768, true, [2, 8, 0.5]],
  ['gpt-4.1-mini', 1_047_576, 32_768, true, [0.4, 1.6, 0.1]],
  ['gpt-4.1-nano', 1_047_576, 32_768, true, [0.1, 0.4, 0.025]],
  ['gpt-4o', 128 * K, 16_384, true, [2.5, 10, 1.25]],
  ['gpt-4o-mini', 128 * K, 16_384, true, [0.15, 0.6, 0.075]],
  ['gpt-oss', 131_072, 65_536, false],
  ['gpt-4-turbo', 128 * K, 4096, true, [10, 30]],
  ['gpt-3.5-turbo', 16_385, 4096, false, [0.5, 1.5]],
  ['o1', 200 * K, 100 * K, true, [15, 60, 7.5]],
  ['o3', 200 * K, 100 * K, true, [2, 8, 0.5]],
  ['o4-mini', 200 * K, 100 * K, true, [1.1, 4.4, 0.275]],
  ['deepseek-flash', M, 384 * K, true],
  ['deepseek-v4', M, 384 * K, false],
  ['deepseek', 128 * K, undefined, false],
  ['gemini-', 1_048_576, 65_536, true],
  ['gemini-3.5-flash', 1_048_576, 65_536, true, [1.5, 9, 0.15]],
  ['gemini-3.1-pro', 1_048_576, 65_536, true, [2, 12, 0.2]],
  ['gemini-3-flash', 1_048_576, 65_536, true, [0.5, 3, 0.05]],
  ['gemini-2.5-pro', 1_048_576, 65_536, true, [1.25, 10, 0.125]],
  ['gemini-2.5-flash', 1_048_576, 65_536, true, [0.3, 2.5, 0.03]],
  ['kimi-k2', 262_144, undefined, false],
  ['kimi-k2.5', 262_144, undefined, true],
  ['kimi-k2.6', 262_144, undefined, true],
  ['glm-5.2', M, 128 * K, false, [1.4, 4.4, 0.26]],
  ['glm-5.3', M, 128 * K, false, [1.4, 4.4]],
  ['glm-5', 200 * K, 128 * K, false, [1, 3.2]],
  ['glm-4.5', 128 * K, 96 * K, false, [0.6, 2.2]],
  ['glm-4.6', 200 * K, 128 * K, false, [0.6, 2.2, 0.11]],
  ['minimax-m2', 204_800, undefined, false, [0.3, 1.2, 0.03]],
  ['minimax-m3', M, 131_072, true, [0.3, 1.2, 0.06]],
  ['grok-4', 256 * K, undefined, true, [3, 15]],
  ['grok-4-fast', 2 * M, undefined, true, [0.2, 0.5, 0.05]],
  ['grok-3', 131_072, undefined, false, [3, 15]],
  ['grok-code-fast', 256 * K, undefined, false, [0.2, 1.5, 0.02]],
  ['mistral-large', 128 * K, undefined, true],
  ['mistral-medium', 128 * K, undefined, true],
  ['devstral', 128 * K, undefined, false],
  ['mistral-small', 128 * K, undefined, true],
  ['magistral', 128 * K, undefined, true],
  ['codestral', 256 * K, undefined, false],
  ['qwen3', 131_072, undefined, false],
  ['qwen3-coder', 262_144, undefined, false],
  ['qwen3-max', 262_144, 65_536, false],
  ['qwen3-vl', 131_072, undefined, true],
  ['qwen-plus', 131_072, undefined, false],
  ['llama-3', 131_072, undefined, false],
  ['llama3', 131_072, undefined, false],
];

/** Own facts of models, by name; what is left out comes from the table. */
export type FactOverrides = Record<string, { [K in keyof ModelFacts]?: ModelFacts[K] | undefined }>;

/** What the table knows of a model, by the beginning of its name; undefined for one it does not know. */
export function knownFacts(model: string): ModelFacts | undefined {
  const name = plainName(model);
  let best: Row | undefined;
  for (const row of ROWS) {
    if (name.startsWith(row[0]) && row[0].length > (best?.[0].length ?? 0)) best = row;
  }
  if (!best) return undefined;
  const [, contextWindow, maxOutput, images, price] = best;
  return {
    contextWindow,
    images,
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...(price
      ? { price: { input: price[0], output: price[1], ...(price[2] === undefined ? {} : { cached: price[2] }) } }
      : {}),
  };
}

/** What is known of a model: a person's own facts before the table's before the default. Never fails. */
export function factsOf(model: string, overrides: FactOverrides = {}): ModelFacts {
  const facts = { ...(knownFacts(model) ?? DEFAULT_FACTS) };
  for (const [key, value] of Object.entries(overrides[model] ?? {})) {
    if (value !== undefined) Object.assign(facts, { [key]: value });
  }
  return facts;
}

/** The models of the table by their whole names, for a picker without a live list. */
export function tableNames(): string[] {
  return ROWS.map(([prefix]) => prefix).filter((name) => !name.endsWith('-'));
}

/** `anthropic/claude-opus-4.5:free` and `claude-opus-4-5-20251101` are the same to the table. */
function plainName(model: string): string {
  const name = (model.split('/').at(-1) ?? model).toLowerCase();
  return name.startsWith('claude') ? name.replaceAll('.', '-') : name;
}
