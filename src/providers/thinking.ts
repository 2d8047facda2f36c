import type { Json } from './json.js';
import type { ModelRequest, ThinkingEffort } from './provider.js';

/** Claude models that decide for themselves how long they think, given an effort. */
const CLAUDE_ADAPTIVE = /claude-(fable|mythos|(opus|sonnet|haiku)-([5-9]|4[.-][6-9]))/i;
/** Those that are given tokens to think with. */
const CLAUDE_BUDGETED = /claude-(3[.-]7|(opus|sonnet|haiku)-4)/i;
/** What of an answer's tokens may be thoughts. The API takes no fewer than the least. */
const BUDGET_SHARE = { low: 0.25, medium: 0.5, high: 0.75 };
const LEAST_BUDGET = 1_024;

/** OpenAI's models that think; their siblings for chats do not. */
const OPENAI = /^(o\d|gpt-([5-9]|\d\d)(?!.*-chat)|gpt-oss|codex)/i;

/** Families of models that think, as OpenRouter lists them. */
const THINKING_FAMILIES =
  /claude-(3[.-]7|fable|mythos|(opus|sonnet|haiku)-[4-9])|\/(o\d|gpt-[5-9]|gpt-oss)|gemini-(2\.5|[3-9])|deepseek-(r\d|v[4-9])|glm-(4\.[5-9]|[5-9])|kimi-k2\.[5-9]|qwen3(?!-coder)|grok-[3-9]|minimax-m[2-9]/i;

/** How each API is told how much to think; nothing where this model cannot be told. */
const BY_PROVIDER: Record<string, (model: string, effort: ThinkingEffort) => Json | undefined> = {
  openai: openaiEffort,
  azure: openaiEffort,
  openrouter: (model, effort) =>
    THINKING_FAMILIES.test(model) ? { reasoning: effort === 'off' ? { enabled: false } : { effort } } : undefined,
  gemini: (model, effort) => {
    if (!/gemini-(2\.5|[3-9])/i.test(model)) return undefined;
    // Only the smaller ones of the older kind can do without.
    const none = /gemini-2\.5-flash/i.test(model) ? 'none' : 'low';
    return { reasoning_effort: effort === 'off' ? none : effort };
  },
  groq: (model, effort) => {
    if (/gpt-oss/i.test(model)) return { reasoning_effort: effort === 'off' ? 'low' : effort };
    return /qwen3/i.test(model) ? { reasoning_effort: effort === 'off' ? 'none' : 'default' } : undefined;
  },
  deepseek: (model, effort) => (/deepseek-(v[4-9]|flash)/i.test(model) ? onOrOff(effort) : undefined),
  zhipu: (model, effort) => (/glm-(4\.[5-9]|[5-9])/i.test(model) ? onOrOff(effort) : undefined),
  moonshot: (model, effort) => (/kimi-k2\.[5-9]/i.test(model) ? onOrOff(effort) : undefined),
  dashscope: (model, effort) =>
    /qwen3(?!-coder)|qwen-plus/i.test(model) ? { enable_thinking: effort !== 'off' } : undefined,
};

/** Whether a model can be told how much to think. */
export function canBeTold(provider: string, model: string): boolean {
  if (provider === 'anthropic') return CLAUDE_ADAPTIVE.test(model) || CLAUDE_BUDGETED.test(model);
  return BY_PROVIDER[provider]?.(model, 'medium') !== undefined;
}

/** What a chat completion says about thinking. */
export function chatThinking(provider: string, model: string, effort: ThinkingEffort | undefined): Json {
  return (effort && BY_PROVIDER[provider]?.(model, effort)) ?? {};
}

/** The effort in a request to the Responses API; undefined where the model has none. */
export function responsesEffort(model: string, effort: ThinkingEffort | undefined): string | undefined {
  return effort && (openaiEffort(model, effort)?.['reasoning_effort'] as string | undefined);
}

/** What a request to Anthropic's Messages API says about thinking. */
export function messagesThinking(request: ModelRequest, model: string, maxTokens: number): Json {
  const { thinking: effort } = request;
  if (effort === undefined || !canBeTold('anthropic', model)) return {};
  if (effort === 'off') return { thinking: { type: 'disabled' } };
  if (CLAUDE_ADAPTIVE.test(model)) return { thinking: { type: 'adaptive' }, output_config: { effort } };
  const budget = Math.max(LEAST_BUDGET, Math.floor(maxTokens * BUDGET_SHARE[effort]));
  if (budget >= maxTokens || !mayThink(request)) return {};
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}

/** Calls that were made without a thought are refused in a request with thinking on, until the person says something again. */
function mayThink({ messages }: ModelRequest): boolean {
  const said = messages.findLastIndex(({ role }) => role === 'user');
  return messages
    .slice(said + 1)
    .every(({ tool_calls, thinking_blocks }) => !tool_calls?.length || thinking_blocks?.length);
}

function openaiEffort(model: string, effort: ThinkingEffort): Json | undefined {
  if (!OPENAI.test(model)) return undefined;
  if (effort !== 'off') return { reasoning_effort: effort };
  // The first ones cannot do without.
  const least = /^gpt-5(?![.\d])/i.test(model) ? 'minimal' : /^gpt-(5\.|[6-9]|\d\d)/i.test(model) ? 'none' : 'low';
  return { reasoning_effort: least };
}

function onOrOff(effort: ThinkingEffort): Json {
  return { thinking: { type: effort === 'off' ? 'disabled' : 'enabled' } };
}
