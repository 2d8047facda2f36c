import type { Clock } from '../platform/ports.js';
import type { StoredMessage, ToolCall } from '../protocol/message.js';
import { commitReply } from './practiceCommit.js';
import { consolidationReply } from './practiceConsolidation.js';
import { dreamReply } from './practiceDream.js';
import { languageOf, stepsFor } from './practiceIntents.js';
import { lastRequest, nextReply, outcomesSince, type Reply } from './practicePlan.js';
import type { ModelAnswer, ModelFacts, ModelRequest, Provider, StreamEvent } from './provider.js';

export const PRACTICE_MODEL = 'practice';
export const PRACTICE_FACTS: ModelFacts = { contextWindow: 65_536, images: false };

/** Milliseconds between two pieces of an answer. */
const PIECE_MS = 10;

/**
 * The practice model: offline, no AI, and honest about it. It follows a few plain requests in English and Chinese by calling the offered tools
 * and reporting what they said. The same request with the same results always gives the same answer: everything is read from the request.
 */
export class PracticeProvider implements Provider {
  readonly name = 'practice';
  readonly #clock: Clock;
  readonly #pieceMs: number;

  /** `pieceMs` 0 streams as fast as it is read. */
  constructor(options: { clock: Clock; pieceMs?: number }) {
    this.#clock = options.clock;
    this.#pieceMs = options.pieceMs ?? PIECE_MS;
  }

  async *stream(_model: string, request: ModelRequest, options: { signal: AbortSignal }): AsyncGenerator<StreamEvent> {
    const { signal } = options;
    const reply = this.#reply(request);
    const said = { thinking: '', text: '' };
    for (const type of ['thinking', 'text'] as const) {
      for (const piece of pieces(reply[type])) {
        if (!(await this.#pause(signal))) {
          yield { type: 'end', answer: { ...answerOf(request, reply, said), toolCalls: [], stopReason: 'aborted' } };
          return;
        }
        said[type] += piece;
        yield { type, text: piece };
      }
    }
    const answer = answerOf(request, reply, said);
    const call = answer.toolCalls[0];
    if (call) yield { type: 'tool_start', id: call.id, name: call.function.name };
    yield { type: 'end', answer: signal.aborted ? { ...answer, toolCalls: [], stopReason: 'aborted' } : answer };
  }

  #reply(request: ModelRequest): Reply {
    const tools = request.toolChoice === 'none' ? [] : request.tools;
    const consolidated = consolidationReply(request.messages);
    if (consolidated !== undefined) return { thinking: '', text: consolidated };
    const dreamed = dreamReply(request);
    if (dreamed) return dreamed;
    const committed = commitReply(request);
    if (committed !== undefined) return { thinking: '', text: committed };
    const { text } = lastRequest(request.messages);
    return nextReply(stepsFor(text, this.#clock.now()), outcomesSince(request.messages), tools, languageOf(text));
  }

  /** False where the signal ended the pause. */
  async #pause(signal: AbortSignal): Promise<boolean> {
    try {
      if (this.#pieceMs > 0) await this.#clock.sleep(this.#pieceMs, signal);
    } catch {
      return false;
    }
    return !signal.aborted;
  }
}

function answerOf(request: ModelRequest, reply: Reply, said: { thinking: string; text: string }): ModelAnswer {
  const toolCalls = reply.call ? [toolCall(request.messages, reply.call)] : [];
  const words = said.text + said.thinking + (toolCalls[0]?.function.arguments ?? '');
  return {
    text: said.text,
    toolCalls,
    ...(said.thinking === '' ? {} : { reasoning: said.thinking }),
    stopReason: reply.error ? 'error' : toolCalls.length > 0 ? 'tool_calls' : 'stop',
    ...(reply.error ? { error: reply.error } : {}),
    usage: {
      inputTokens:
        estimate(request.system) + estimate(JSON.stringify(request.messages)) + estimate(JSON.stringify(request.tools)),
      outputTokens: estimate(words),
      cachedTokens: 0,
      estimated: true,
    },
    model: PRACTICE_MODEL,
  };
}

/** The id is the same for the same place in a transcript, and another for every other place. */
function toolCall(messages: readonly StoredMessage[], call: NonNullable<Reply['call']>): ToolCall {
  const { message } = lastRequest(messages);
  const place = `${message?.id ?? ''} ${message?.timestamp ?? ''} ${String(outcomesSince(messages).length)}`;
  return {
    id: `practice_${hash(place)}`,
    type: 'function',
    function: { name: call.tool, arguments: JSON.stringify(call.args) },
  };
}

/** FNV-1a in base 36. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value.toString(36);
}

/** A word with the space after it, or two Chinese characters. */
function pieces(text: string): string[] {
  return text.match(/\p{Script=Han}{1,2}|[^\s\p{Script=Han}]+\s?|\s+/gu) ?? [];
}

function estimate(text: string): number {
  return Math.ceil(text.length / 4);
}
