import type { Clock } from '../platform/ports.js';
import { messagesBase } from './anthropic.js';
import { toProviderError, type FailureContext } from './errors.js';
import { fetchOrFail } from './httpStream.js';
import { field, list, number, record, string, type Json } from './json.js';
import { requestUrl } from './openaiAddress.js';
import { dialectOf, type Endpoint } from './openaiDialects.js';
import type { ProviderError } from './provider.js';

/** How one endpoint is asked: who it is, where, and with which key. */
export interface Access {
  endpoint: Endpoint;
  apiBase: string;
  apiKey?: string | undefined;
  extraHeaders?: Record<string, string> | undefined;
}

/** A model as an endpoint lists it. */
export interface ListedModel {
  name: string;
  /** Tokens, where the list says so. */
  contextWindow?: number;
}

const CHECK_MS = 10_000;
/** Models that answer no chat. */
const NO_CHAT =
  /embed|bge|rerank|whisper|tts|dall-e|moderation|transcribe|imagen|-image|realtime|audio|video|sora-|veo-|lyria|babbage|davinci|turbo-instruct|paraformer|cosyvoice|wanx/i;

/** The chat models an endpoint offers, in its order. Rejects where it cannot be asked or does not answer within `ms`. */
export async function fetchModels(access: Access, clock: Clock, ms: number): Promise<ListedModel[]> {
  const body = record(await ask(access, { path: '/models', clock, ms }));
  return list(body, 'data').flatMap((item) => {
    const entry = record(item);
    const name = (string(entry, 'id') || string(entry, 'name')).replace(/^models\//, '');
    if (name === '' || NO_CHAT.test(name) || !chats(entry)) return [];
    const contextWindow =
      number(entry, 'context_length') ||
      number(entry, 'max_model_len') ||
      number(entry, 'max_context_length') ||
      number(entry, 'max_input_tokens') ||
      number(entry, 'context_window');
    return [{ name, ...(contextWindow > 0 ? { contextWindow } : {}) }];
  });
}

/** False only where the list itself says that a model answers no chat, as Azure's and LM Studio's and Mistral's do. */
function chats(entry: Json | undefined): boolean {
  const abilities = record(field(entry, 'capabilities'));
  const says = field(abilities, 'chat_completion') ?? field(abilities, 'completion_chat');
  return says !== false && string(entry, 'type') !== 'embeddings';
}

/** Whether the endpoint accepts the key, found out with one cheap request; undefined where it does. */
export async function keyProblem(access: Access, clock: Clock): Promise<ProviderError | undefined> {
  const { endpoint } = access;
  const path = endpoint.name === 'anthropic' ? '/models' : (dialectOf(endpoint.name).keyCheckPath ?? '/models');
  const error = await failureOf(access, { path, clock, ms: CHECK_MS });
  // An endpoint without a list of models is asked for the shortest possible answer instead.
  if (error?.code !== 'not_found' || endpoint.defaultModel === undefined || endpoint.name === 'anthropic') return error;
  const body = { model: endpoint.defaultModel, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 };
  return failureOf(access, { path: '/chat/completions', clock, ms: CHECK_MS, body });
}

interface Question {
  path: string;
  clock: Clock;
  ms: number;
  body?: Record<string, unknown>;
}

async function failureOf(access: Access, question: Question): Promise<ProviderError | undefined> {
  try {
    await ask(access, question);
    return undefined;
  } catch (error) {
    const context: FailureContext = {
      label: access.endpoint.label,
      address: access.apiBase,
      hasImages: false,
      secrets: access.apiKey ? [access.apiKey] : [],
      now: question.clock.now(),
    };
    return toProviderError(error, context);
  }
}

async function ask(access: Access, { path, clock, ms, body }: Question): Promise<unknown> {
  const stop = new AbortController();
  const timer = clock.after(ms, () => {
    stop.abort(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' }));
  });
  try {
    const response = await fetchOrFail(urlOf(access, path), {
      method: body ? 'POST' : 'GET',
      headers: headersOf(access),
      signal: stop.signal,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return (await response.json()) as unknown;
  } finally {
    timer.dispose();
  }
}

function urlOf({ endpoint, apiBase }: Access, path: string): string {
  const { name, defaultModel } = endpoint;
  return name === 'anthropic'
    ? `${messagesBase(apiBase)}/v1${path}`
    : requestUrl(endpoint, apiBase, path, defaultModel);
}

function headersOf({ endpoint, apiKey, extraHeaders }: Access): Record<string, string> {
  const own: Record<string, string> = { 'content-type': 'application/json' };
  if (endpoint.name === 'anthropic') own['anthropic-version'] = '2023-06-01';
  if (apiKey && endpoint.name === 'anthropic') own['x-api-key'] = apiKey;
  else if (apiKey) own['authorization'] = `Bearer ${apiKey}`;
  if (apiKey && endpoint.name === 'azure') own['api-key'] = apiKey;
  return { ...own, ...extraHeaders };
}
