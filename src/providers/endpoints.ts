import { ANTHROPIC } from './anthropic.js';
import { DIALECTS, dialectOf, type Endpoint } from './openaiDialects.js';

/** Every provider reached over HTTP, in the order in which `auto` looks for a key. */
export const ENDPOINTS: readonly Endpoint[] = [ANTHROPIC, ...DIALECTS];

/** Other spellings, nanobot's and people's; dashes and capitals make no difference. */
const ALIASES: Record<string, string> = {
  azure_openai: 'azure',
  azureopenai: 'azure',
  claude: 'anthropic',
  google: 'gemini',
  grok: 'xai',
  hosted_vllm: 'vllm',
  kimi: 'moonshot',
  lmstudio: 'lm_studio',
  nvidia_nim: 'nvidia',
  qwen: 'dashscope',
  z_ai: 'zhipu',
  zai: 'zhipu',
};

/** Beginnings of model names and the provider they belong to, for a model written without one. */
const FAMILIES: [RegExp, string][] = [
  [/^claude/, 'anthropic'],
  [/^(gpt-|o\d|chatgpt)/, 'openai'],
  [/^deepseek/, 'deepseek'],
  [/^gemini/, 'gemini'],
  [/^kimi/, 'moonshot'],
  [/^glm/, 'zhipu'],
  [/^qwen/, 'dashscope'],
  [/^minimax/, 'minimax'],
  [/^grok/, 'xai'],
  [/^(mistral|devstral|codestral|magistral)/, 'mistral'],
];

/** A provider's name in the one spelling we use; unknown names are only made lower case. */
export function canonicalName(name: string): string {
  const plain = name.trim().toLowerCase().replaceAll('-', '_');
  const known = ALIASES[plain] ?? plain;
  return ENDPOINTS.some((endpoint) => endpoint.name === known) ? known : name.trim().toLowerCase();
}

/** The endpoint of a name in our spelling; undefined for one that we do not know. */
export function knownEndpoint(name: string): Endpoint | undefined {
  return ENDPOINTS.find((endpoint) => endpoint.name === name);
}

/** The provider a model without one most likely means. */
export function familyOf(model: string): string | undefined {
  return FAMILIES.find(([form]) => form.test(model.toLowerCase()))?.[1];
}

/** A provider's key from the environment: the first of its variables that is set and not empty. */
export function keyFromEnvironment(
  provider: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const name = canonicalName(provider);
  const variables = (knownEndpoint(name) ?? dialectOf(name)).keyEnv;
  return variables.map((variable) => env[variable]?.trim()).find((value) => value !== undefined && value !== '');
}

/** Every environment variable that holds a key of ours: none of them may reach a child process. */
export function keyVariables(): string[] {
  return ENDPOINTS.flatMap((endpoint) => endpoint.keyEnv);
}
