import type { IdRule } from './transcript.js';

/** Where a provider is reached and how a key for it is found. */
export interface Endpoint {
  /** As written in `provider/model`. */
  name: string;
  /** As people call it. */
  label: string;
  /** Absent where every account has its own address. */
  apiBase?: string;
  /** Environment variables that may hold the key, the first that is set wins. */
  keyEnv: string[];
  needsKey: boolean;
  /** What `auto` and the picker take first. */
  defaultModel?: string;
  /** On this machine: it may have to load the model before the first byte comes. */
  local?: boolean;
}

/**
 * When an assistant message's reasoning goes back to the API. `tool_turns`: in turns with tool calls, where DeepSeek and Kimi answer 400 without
 * it; `by_model`: like that for models of these families only; `think_tag`: as `<think>` in the content; `details`: OpenRouter's own objects.
 */
export type ReasoningReplay = 'never' | 'tool_turns' | 'by_model' | 'think_tag' | 'details';

/** How one OpenAI-compatible API differs from the others. */
export interface Dialect extends Endpoint {
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Takes `stream_options.include_usage`. Others report usage by themselves, and some refuse the field. */
  streamUsage: boolean;
  reasoning: ReasoningReplay;
  /** Takes `prompt_cache_key` to route requests of one session to one cache. */
  cacheKey?: boolean;
  /** Passes `cache_control` marks on to Claude. */
  cacheMarks?: boolean;
  /** GPT-5.4 and later take function tools in chat completions only with reasoning off. */
  reasoningOffWithTools?: boolean;
  /** Gemini 3 refuses calls in the transcript without a thought signature; this one stands for a missing one. */
  thoughtSignatures?: boolean;
  /** A user message right after a tool result is refused: an assistant message goes between. */
  noUserAfterTool?: boolean;
  /** Over the Responses API, images may stand in the results of tools. */
  imagesInResults?: boolean;
  /** `tool_choice` is not understood: a model that must answer in words is offered no tools. */
  noToolChoice?: boolean;
  ids?: IdRule;
  /** Added to every request. */
  headers?: Record<string, string>;
  /** Path below the base that tells whether a key is good, where `/models` is open to everyone. */
  keyCheckPath?: string;
}

/** OpenAI's own limit; the strictest that all but Mistral accept. */
export const COMMON_IDS: IdRule = {
  legal: /^[a-zA-Z0-9_-]{1,40}$/,
  make: (n) => `call_${String(n)}`,
};

const MISTRAL_IDS: IdRule = {
  legal: /^[a-zA-Z0-9]{9}$/,
  make: (n) => `c${String(n).padStart(8, '0')}`,
};

/** What most servers understand. */
const PLAIN = { maxTokensField: 'max_tokens', streamUsage: true, reasoning: 'never', needsKey: true } as const;
const LOCAL = { ...PLAIN, reasoning: 'by_model', needsKey: false, local: true } as const;

/** Every OpenAI-compatible provider we know, in the order in which `auto` looks for a key. */
export const DIALECTS: readonly Dialect[] = [
  {
    ...PLAIN,
    name: 'openai',
    label: 'OpenAI',
    apiBase: 'https://api.openai.com/v1',
    keyEnv: ['OPENAI_API_KEY'],
    defaultModel: 'gpt-5.6-terra',
    maxTokensField: 'max_completion_tokens',
    cacheKey: true,
    reasoningOffWithTools: true,
    imagesInResults: true,
  },
  {
    ...PLAIN,
    name: 'openrouter',
    label: 'OpenRouter',
    apiBase: 'https://openrouter.ai/api/v1',
    keyEnv: ['OPENROUTER_API_KEY'],
    defaultModel: 'anthropic/claude-sonnet-5.5',
    streamUsage: false,
    reasoning: 'details',
    cacheMarks: true,
    headers: { 'X-Title': 'Nanobot' },
    keyCheckPath: '/key',
  },
  {
    ...PLAIN,
    name: 'deepseek',
    label: 'DeepSeek',
    apiBase: 'https://api.deepseek.com',
    keyEnv: ['DEEPSEEK_API_KEY'],
    defaultModel: 'deepseek-flash',
    reasoning: 'tool_turns',
  },
  {
    ...PLAIN,
    name: 'gemini',
    label: 'Google Gemini',
    apiBase: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keyEnv: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    defaultModel: 'gemini-3.5-flash',
    thoughtSignatures: true,
  },
  {
    ...PLAIN,
    name: 'groq',
    label: 'Groq',
    apiBase: 'https://api.groq.com/openai/v1',
    keyEnv: ['GROQ_API_KEY'],
    defaultModel: 'openai/gpt-oss-120b',
    maxTokensField: 'max_completion_tokens',
  },
  {
    ...PLAIN,
    name: 'mistral',
    label: 'Mistral',
    apiBase: 'https://api.mistral.ai/v1',
    keyEnv: ['MISTRAL_API_KEY'],
    defaultModel: 'mistral-medium-latest',
    streamUsage: false,
    noUserAfterTool: true,
    ids: MISTRAL_IDS,
  },
  {
    ...PLAIN,
    name: 'moonshot',
    label: 'Moonshot (Kimi)',
    apiBase: 'https://api.moonshot.ai/v1',
    keyEnv: ['MOONSHOT_API_KEY', 'KIMI_API_KEY'],
    defaultModel: 'kimi-k2.6',
    reasoning: 'tool_turns',
    cacheKey: true,
  },
  {
    ...PLAIN,
    name: 'zhipu',
    label: 'Zhipu (GLM)',
    apiBase: 'https://open.bigmodel.cn/api/paas/v4',
    keyEnv: ['ZHIPUAI_API_KEY', 'ZAI_API_KEY'],
    defaultModel: 'glm-5.2',
    reasoning: 'by_model',
    noToolChoice: true,
  },
  {
    ...PLAIN,
    name: 'dashscope',
    label: 'DashScope (Qwen)',
    apiBase: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    keyEnv: ['DASHSCOPE_API_KEY'],
    defaultModel: 'qwen-plus',
    reasoning: 'by_model',
  },
  {
    ...PLAIN,
    name: 'minimax',
    label: 'MiniMax',
    apiBase: 'https://api.minimax.io/v1',
    keyEnv: ['MINIMAX_API_KEY'],
    defaultModel: 'MiniMax-M3',
    maxTokensField: 'max_completion_tokens',
    reasoning: 'think_tag',
  },
  {
    ...PLAIN,
    name: 'siliconflow',
    label: 'SiliconFlow',
    apiBase: 'https://api.siliconflow.cn/v1',
    keyEnv: ['SILICONFLOW_API_KEY'],
    defaultModel: 'deepseek-ai/DeepSeek-V3.2',
    reasoning: 'by_model',
  },
  {
    ...PLAIN,
    name: 'xai',
    label: 'xAI (Grok)',
    apiBase: 'https://api.x.ai/v1',
    keyEnv: ['XAI_API_KEY'],
    defaultModel: 'grok-4',
  },
  {
    ...PLAIN,
    name: 'nvidia',
    label: 'NVIDIA NIM',
    apiBase: 'https://integrate.api.nvidia.com/v1',
    keyEnv: ['NVIDIA_API_KEY', 'NVIDIA_NIM_API_KEY'],
    defaultModel: 'openai/gpt-oss-120b',
    reasoning: 'by_model',
  },
  {
    ...PLAIN,
    name: 'azure',
    label: 'Azure OpenAI',
    keyEnv: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
    maxTokensField: 'max_completion_tokens',
    cacheKey: true,
    reasoningOffWithTools: true,
    imagesInResults: true,
  },
  {
    ...LOCAL,
    name: 'vllm',
    label: 'vLLM',
    apiBase: 'http://127.0.0.1:8000/v1',
    keyEnv: ['VLLM_API_KEY', 'HOSTED_VLLM_API_KEY'],
  },
  {
    ...LOCAL,
    name: 'ollama',
    label: 'Ollama',
    apiBase: 'http://127.0.0.1:11434/v1',
    keyEnv: ['OLLAMA_API_KEY'],
    noToolChoice: true,
  },
  {
    ...LOCAL,
    name: 'lm_studio',
    label: 'LM Studio',
    apiBase: 'http://127.0.0.1:1234/v1',
    keyEnv: ['LM_STUDIO_API_KEY'],
  },
  {
    ...PLAIN,
    name: 'custom',
    label: 'Custom endpoint',
    keyEnv: ['CUSTOM_API_KEY'],
    needsKey: false,
    reasoning: 'by_model',
  },
];

/** The dialect of a provider; a name we do not know (an endpoint a person named) speaks the custom one under its own name. */
export function dialectOf(name: string): Dialect {
  const known = DIALECTS.find((dialect) => dialect.name === name);
  if (known) return known;
  const {
    label: _label,
    keyEnv: _keyEnv,
    ...custom
  } = DIALECTS.find((dialect) => dialect.name === 'custom') as Dialect;
  return { ...custom, name, label: name, keyEnv: [`${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`] };
}

/** Families whose thinking models want their reasoning back together with the calls it led to. */
const REPLAYING = /deepseek|kimi|glm-|minimax|mimo/i;

/** Whether, for this model, reasoning goes back as `reasoning_content` in turns with tool calls. */
export function replaysToolTurns(dialect: Dialect, model: string): boolean {
  return dialect.reasoning === 'tool_turns' || (dialect.reasoning === 'by_model' && REPLAYING.test(model));
}
