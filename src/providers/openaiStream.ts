import { t } from '@vscode/l10n';
import type { ToolCall, Usage } from '../protocol/message.js';
import { refusal, toProviderError, WireFailure, type FailureContext } from './errors.js';
import { parseEventData } from './eventData.js';
import type { AnswerReader } from './httpStream.js';
import { field, list, number, record, string, type Json } from './json.js';
import type { ModelAnswer, StreamEvent } from './provider.js';
import type { ServerEvent } from './sse.js';
import { ThinkTags, type Piece } from './thinkTags.js';
import { ToolCallBuilder } from './toolCallBuilder.js';

/** Makes an answer out of chat-completion chunks, whatever dialect of them an endpoint speaks. */
export class ChatReader implements AnswerReader {
  readonly #tags = new ThinkTags();
  readonly #calls: ToolCallBuilder;
  #model: string;
  #text = '';
  #reasoning = '';
  #details: Json[] = [];
  #finish: string | undefined;
  #usage: Usage | undefined;
  over = false;

  constructor(model: string, newId: () => string) {
    this.#model = model;
    this.#calls = new ToolCallBuilder(newId);
  }

  get complete(): boolean {
    // Usage comes last: where it came, nothing is missing but the reason, which some servers never say.
    return this.over || this.#finish !== undefined || (this.#usage !== undefined && this.#hasContent());
  }

  *take(event: ServerEvent): Iterable<StreamEvent> {
    const data = event.data.trim();
    if (data === '') return;
    if (data.startsWith('[DONE]')) {
      this.over = true;
      return;
    }
    if (event.event === 'error') throw new WireFailure(data);
    yield* this.#chunk(parseEventData(data, event.stray === true), data);
  }

  *flush(): Iterable<StreamEvent> {
    yield* this.#pieces(this.#tags.end());
  }

  answer(context: FailureContext): ModelAnswer {
    const toolCalls = this.#toolCalls();
    const answer: ModelAnswer = {
      text: this.#text,
      toolCalls,
      stopReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
      model: this.#model,
      ...(this.#reasoning === '' ? {} : { reasoning: this.#reasoning }),
      ...(this.#usage ? { usage: this.#usage } : {}),
    };
    switch (this.#finish) {
      case 'length':
        return { ...answer, stopReason: 'length' };
      case 'content_filter':
        return {
          ...answer,
          stopReason: 'error',
          error: refusal(t('The answer was stopped by its content filter.'), context),
        };
      case 'error':
      case 'insufficient_system_resource':
        return {
          ...answer,
          stopReason: 'error',
          error: toProviderError(new WireFailure(endedWith(this.#finish)), context),
        };
      default:
        return answer;
    }
  }

  *#chunk(chunk: Json, raw: string): Iterable<StreamEvent> {
    const choice = record(list(chunk, 'choices')[0]);
    if (field(chunk, 'error') || (!choice && number(record(field(chunk, 'base_resp')), 'status_code'))) {
      throw new WireFailure(raw);
    }
    this.#model = string(chunk, 'model') || this.#model;
    this.#readUsage(chunk, choice);
    if (!choice) return;
    // An answer that was not streamed holds a whole `message` in place of the `delta`.
    const delta = record(field(choice, 'delta')) ?? record(field(choice, 'message'));
    if (delta) yield* this.#delta(delta);
    this.#finish = string(choice, 'finish_reason') || this.#finish;
  }

  *#delta(delta: Json): Iterable<StreamEvent> {
    this.#addDetails(list(delta, 'reasoning_details'));
    const thought =
      string(delta, 'reasoning_content') ||
      string(delta, 'reasoning') ||
      textOfDetails(list(delta, 'reasoning_details'));
    if (thought !== '') yield* this.#pieces([{ type: 'thinking', text: thought }]);
    yield* this.#content(field(delta, 'content'));
    const refused = string(delta, 'refusal');
    if (refused !== '') yield* this.#pieces([{ type: 'text', text: refused }]);
    for (const call of list(delta, 'tool_calls')) {
      const part = record(call);
      if (part) yield* this.#calls.add(part);
    }
  }

  /** Text, or Mistral's list of parts in which thoughts stand beside text. */
  *#content(content: unknown): Iterable<StreamEvent> {
    if (typeof content === 'string') {
      if (content !== '') yield* this.#pieces(this.#tags.push(content));
      return;
    }
    for (const item of Array.isArray(content) ? (content as unknown[]) : []) {
      const part = record(item);
      if (!part) continue;
      const thought = list(part, 'thinking')
        .map((inner) => string(record(inner), 'text'))
        .join('');
      if (thought !== '') yield* this.#pieces([{ type: 'thinking', text: thought }]);
      const text = string(part, 'text');
      if (text !== '') yield* this.#pieces(this.#tags.push(text));
    }
  }

  *#pieces(pieces: Piece[]): Iterable<StreamEvent> {
    for (const piece of pieces) {
      if (piece.type === 'text') this.#text += piece.text;
      else this.#reasoning += piece.text;
      yield piece;
    }
  }

  #readUsage(chunk: Json, choice: Json | undefined): void {
    const usage =
      record(field(chunk, 'usage')) ??
      record(field(choice, 'usage')) ??
      record(field(record(field(chunk, 'x_groq')), 'usage'));
    if (usage) this.#usage = chatUsage(usage);
  }

  #addDetails(details: unknown[]): void {
    for (const item of details) {
      const detail = record(item);
      if (!detail) continue;
      const last = this.#details.at(-1);
      const same =
        last && last['type'] === detail['type'] && last['index'] === detail['index'] && detail['data'] === undefined;
      if (!same) {
        this.#details.push({ ...detail });
        continue;
      }
      for (const [name, value] of Object.entries(detail)) {
        const grows =
          (name === 'text' || name === 'summary') && typeof value === 'string' && typeof last[name] === 'string';
        if (value !== null) last[name] = grows ? `${String(last[name])}${value}` : value;
      }
    }
  }

  #toolCalls(): ToolCall[] {
    const calls = this.#calls.calls();
    const first = calls[0];
    // They ride on the first call, since they matter only where calls are replayed.
    if (first && this.#details.length > 0)
      first.extra_content = { ...first.extra_content, reasoning_details: this.#details };
    return calls;
  }

  #hasContent(): boolean {
    return this.#text !== '' || this.#calls.size > 0;
  }
}

function endedWith(code: string): string {
  return JSON.stringify({ message: t('The answer ended with an error.'), code });
}

function textOfDetails(details: unknown[]): string {
  return details.map((item) => string(record(item), 'text') || string(record(item), 'summary')).join('');
}

/** Tokens in our form from the dialects' forms: cached ones are a part of the input in all of them. */
function chatUsage(usage: Json): Usage {
  const details = record(field(usage, 'prompt_tokens_details'));
  return {
    inputTokens: number(usage, 'prompt_tokens'),
    outputTokens: number(usage, 'completion_tokens'),
    cachedTokens:
      number(details, 'cached_tokens') || number(usage, 'prompt_cache_hit_tokens') || number(usage, 'cached_tokens'),
  };
}
