import type { AgentEvent } from '../protocol/event.js';
import type { ErrorInfo, StoredMessage, Usage } from '../protocol/message.js';
import type { ModelRequest, StreamEvent, ThinkingEffort } from '../providers/provider.js';
import type { Clock } from '../platform/ports.js';
import type { WindowCut } from './govern.js';
import type { ToolRegistry } from './registry.js';
import type { Access, Tool, ToolContext } from './tool.js';

/** What a provider with its retries streams: the answer's events, and what happened on the way. */
export type RunStreamEvent =
  | StreamEvent
  /** The stream broke and begins anew: what it gave so far does not count. */
  | { type: 'reset' }
  | { type: 'wait'; until: number; attempt: number; reason: string }
  | { type: 'wait_end' }
  | { type: 'fallback'; model: string };

/** One run of the model with tools, as data. */
export interface RunSpec {
  sessionKey: string;
  turnId: string;
  system: string;
  /** The stored transcript, oldest first. Never changed; what the run adds goes to a copy and to `hooks.append`. */
  messages: readonly StoredMessage[];
  tools: ToolRegistry;
  maxTokens: number;
  temperature?: number;
  thinking?: ThinkingEffort;
  /** Tokens a request may have, answer included. */
  contextWindow: number;
  maxIterations: number;
  /** Tokens sent and received in the whole run; 0 is no limit. */
  maxTurnTokens: number;
  /** US dollars of the whole run, as far as the price of all its requests is known; 0 or left out is no limit. */
  maxTurnCost?: number;
  cut: WindowCut;
  estimate(message: StoredMessage): number;
  /** Estimated tokens of system prompt and tools together. */
  fixedTokens: number;
}

export type Verdict = { allow: true } | { allow: false; reason: string };

/** Everything a run does to the world. Policy lives behind these; the run itself only orders them. */
export interface RunHooks {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<RunStreamEvent>;
  /** Must have put the message on disk when it resolves; a rejection ends the run with an error. */
  append(message: StoredMessage): Promise<void>;
  emit(event: AgentEvent): void;
  /** Resolves also after an abort. `args` are validated. */
  approve(tool: Tool, args: unknown, accesses: Access[], callId: string): Promise<Verdict>;
  toolContext(callId: string): ToolContext;
  /** Messages of the person that wait for the next step; already stored and announced. */
  steer(): Promise<StoredMessage[]>;
  /** Writes a long result to a file; resolves with its path. */
  spill(callId: string, text: string): Promise<string>;
  /** Called with each request's reported (or estimated) usage; `fallback` is the model that answered in place of the chosen one. */
  used(usage: Usage | undefined, request: ModelRequest, fallback?: string): void;
  newId(): string;
  clock: Clock;
}

export interface RunResult {
  status: 'done' | 'error' | 'aborted';
  usage: Usage;
  steps: number;
  /** The answer's text, of the last message. */
  text: string;
  error?: ErrorInfo;
  cut: WindowCut;
}

/** A running run: the spec with what has come since. Shared by the parts of the runner. */
export interface Run {
  spec: RunSpec;
  hooks: RunHooks;
  signal: AbortSignal;
  messages: StoredMessage[];
  usage: Usage;
  cut: WindowCut;
  steps: number;
}

/** The present moment as stored: ISO 8601. */
export function timestamp(run: Run): string {
  return new Date(run.hooks.clock.now()).toISOString();
}

/** The reason of an abort that nobody asked for: the process ends. What it cuts short counts as interrupted, not as stopped by the person. */
export class Closing extends Error {
  override readonly name = 'Closing';
}

/** Whether the run was cut short by the end of its process. */
export function isClosing(run: Pick<Run, 'signal'>): boolean {
  return run.signal.reason instanceof Closing;
}
