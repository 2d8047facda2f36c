import type { StoredMessage, ToolCall, ThinkingBlock, Usage } from '../protocol/message.js';

/** A tool as offered to a model. */
export interface ToolSpec {
  name: string;
  description: string;
  /** JSON schema. */
  parameters: Record<string, unknown>;
}

/** How much a model is to think before it answers. */
export type ThinkingEffort = 'off' | 'low' | 'medium' | 'high';

/** One request, in stored form; each provider makes it legal for its own wire (role order, ids, empty contents). */
export interface ModelRequest {
  system: string;
  messages: StoredMessage[];
  tools: ToolSpec[];
  /** `none`: the model must answer in words. The tools still stand in the request, since some APIs refuse a transcript with calls otherwise. */
  toolChoice?: 'none';
  maxTokens: number;
  temperature?: number;
  /** Absent: as the model does by itself. Left out where a model cannot be told. */
  thinking?: ThinkingEffort;
  /** Stable per session, for providers that route by it for their cache. */
  sessionKey: string;
}

/** Why a request failed, sorted by what to do about it. */
export interface ProviderError {
  code:
    | 'auth'
    | 'payment'
    | 'quota'
    | 'rate_limit'
    | 'overloaded'
    | 'not_found'
    | 'context_length'
    | 'image_rejected'
    | 'bad_request'
    | 'server'
    | 'network'
    | 'timeout'
    | 'stream_broken'
    | 'no_model'
    | 'refused';
  /** For a person: who said what, with status and the provider's own words, no key in it. */
  message: string;
  status?: number;
  /** Whether asking the same again may help. */
  retryable: boolean;
  /** What `Retry-After` (or its millisecond form) asked for. */
  retryAfterMs?: number;
}

/** What one answer came to. */
export interface ModelAnswer {
  text: string;
  toolCalls: ToolCall[];
  reasoning?: string;
  thinkingBlocks?: ThinkingBlock[];
  /** Stored as the message's `extra_content`. */
  extra?: Record<string, unknown>;
  stopReason: 'stop' | 'length' | 'tool_calls' | 'error' | 'aborted';
  usage?: Usage;
  error?: ProviderError;
  /** The model as the provider named it. */
  model: string;
}

export type StreamEvent =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  /** A call has begun; its arguments are still streaming. */
  | { type: 'tool_start'; id: string; name: string }
  /** Always the last event, and there always is one. */
  | { type: 'end'; answer: ModelAnswer };

/**
 * A provider streams one answer and never rejects: failure is an `end` with `stopReason: 'error'` or `'aborted'`, holding whatever came before
 * it. `model` is the name without the provider.
 */
export interface Provider {
  readonly name: string;
  stream(model: string, request: ModelRequest, options: { signal: AbortSignal }): AsyncIterable<StreamEvent>;
}

/** What is known of a model: for the picker, the meter and the budget. */
export interface ModelFacts {
  contextWindow: number;
  maxOutput?: number;
  images: boolean;
  /** US dollars per million tokens. */
  price?: { input: number; output: number; cached?: number | undefined };
}
