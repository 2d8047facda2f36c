import { t } from '@vscode/l10n';
import type { ThinkingBlock, ToolCall, Usage } from '../protocol/message.js';
import { refusal, toProviderError, WireFailure, type FailureContext } from './errors.js';
import { parseEventData } from './eventData.js';
import type { AnswerReader } from './httpStream.js';
import { field, number, record, string, type Json } from './json.js';
import type { ModelAnswer, StreamEvent } from './provider.js';
import type { ServerEvent } from './sse.js';

interface OpenBlock {
  type: string;
  id: string;
  name: string;
  /** Text, thought or arguments so far. */
  body: string;
  signature: string;
  closed: boolean;
}

/** Makes an answer out of the events of a Messages stream. */
export class MessagesReader implements AnswerReader {
  readonly #blocks = new Map<number, OpenBlock>();
  readonly #newId: () => string;
  #model: string;
  #stop = '';
  #usage: Json | undefined;
  over = false;

  constructor(model: string, newId: () => string) {
    this.#model = model;
    this.#newId = newId;
  }

  get complete(): boolean {
    return this.over || this.#stop !== '';
  }

  *take(event: ServerEvent): Iterable<StreamEvent> {
    if (event.data.trim() === '') return;
    const data = parseEventData(event.data, event.stray === true);
    const type = string(data, 'type') || event.event;
    if (type === 'error' || field(data, 'error') || event.stray) throw new WireFailure(event.data);
    switch (type) {
      case 'message_start':
        this.#model = string(record(field(data, 'message')), 'model') || this.#model;
        this.#addUsage(record(field(record(field(data, 'message')), 'usage')));
        break;
      case 'content_block_start':
        yield* this.#open(number(data, 'index'), record(field(data, 'content_block')) ?? {});
        break;
      case 'content_block_delta':
        yield* this.#delta(number(data, 'index'), record(field(data, 'delta')) ?? {});
        break;
      case 'content_block_stop': {
        const block = this.#blocks.get(number(data, 'index'));
        if (block) block.closed = true;
        break;
      }
      case 'message_delta':
        this.#stop = string(record(field(data, 'delta')), 'stop_reason') || this.#stop;
        this.#addUsage(record(field(data, 'usage')));
        break;
      case 'message_stop':
        this.over = true;
    }
  }

  *flush(): Iterable<StreamEvent> {
    // Nothing is held back on this wire.
  }

  answer(context: FailureContext): ModelAnswer {
    const toolCalls = this.#toolCalls();
    const reasoning = this.#bodies('thinking');
    const thinkingBlocks = this.#thinkingBlocks();
    const answer: ModelAnswer = {
      text: this.#bodies('text'),
      toolCalls,
      stopReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
      model: this.#model,
      ...(reasoning === '' ? {} : { reasoning }),
      ...(thinkingBlocks.length > 0 ? { thinkingBlocks } : {}),
      ...(this.#usage ? { usage: messagesUsage(this.#usage) } : {}),
    };
    switch (this.#stop) {
      case 'max_tokens':
        return { ...answer, stopReason: 'length' };
      case 'refusal':
        return { ...answer, stopReason: 'error', error: refusal(t('The model declined to go on with this.'), context) };
      case 'model_context_window_exceeded': {
        const body = { message: t('The context window is full.'), code: 'context_length_exceeded' };
        const error = toProviderError(new WireFailure(JSON.stringify(body)), context);
        return { ...answer, stopReason: 'error', error };
      }
      default:
        return answer;
    }
  }

  *#open(index: number, content: Json): Iterable<StreamEvent> {
    const type = string(content, 'type');
    const input = record(field(content, 'input'));
    const block: OpenBlock = {
      type,
      id: string(content, 'id') || this.#newId(),
      name: string(content, 'name'),
      body: string(content, 'text') || string(content, 'thinking') || string(content, 'data'),
      signature: string(content, 'signature'),
      closed: false,
    };
    // Some compatible servers give the whole input at once instead of streaming it.
    if (type === 'tool_use' && input && Object.keys(input).length > 0) block.body = JSON.stringify(input);
    this.#blocks.set(index, block);
    if (type === 'tool_use') yield { type: 'tool_start', id: block.id, name: block.name };
    else if ((type === 'text' || type === 'thinking') && block.body !== '') yield { type, text: block.body };
  }

  *#delta(index: number, delta: Json): Iterable<StreamEvent> {
    const block = this.#blocks.get(index);
    if (!block) return;
    if (string(delta, 'type') === 'signature_delta') {
      block.signature += string(delta, 'signature');
      return;
    }
    const piece = string(delta, 'text') || string(delta, 'thinking') || string(delta, 'partial_json');
    block.body += piece;
    if (piece !== '' && (block.type === 'text' || block.type === 'thinking')) yield { type: block.type, text: piece };
  }

  #addUsage(usage: Json | undefined): void {
    const counted = Object.entries(usage ?? {}).filter(([, value]) => typeof value === 'number');
    // The first event counts the input, the last the output; each counts all there was so far.
    if (counted.length > 0) this.#usage = { ...this.#usage, ...Object.fromEntries(counted) };
  }

  #bodies(type: string): string {
    return [...this.#blocks.values()]
      .filter((block) => block.type === type)
      .map((block) => block.body)
      .join('');
  }

  #toolCalls(): ToolCall[] {
    return [...this.#blocks.values()]
      .filter((block) => block.type === 'tool_use')
      .map(({ id, name, body }) => ({
        id,
        type: 'function',
        function: { name, arguments: body.trim() === '' ? '{}' : body },
      }));
  }

  /** In order, and only finished ones: half a thought cannot be replayed. */
  #thinkingBlocks(): ThinkingBlock[] {
    return [...this.#blocks.values()].flatMap((block): ThinkingBlock[] => {
      if (!block.closed) return [];
      if (block.type === 'redacted_thinking') return [{ type: 'redacted_thinking', data: block.body }];
      return block.type === 'thinking' ? [{ type: 'thinking', thinking: block.body, signature: block.signature }] : [];
    });
  }
}

/** Anthropic counts cached and newly cached input apart; ours includes both. */
function messagesUsage(usage: Json): Usage {
  const cachedTokens = number(usage, 'cache_read_input_tokens');
  return {
    inputTokens: number(usage, 'input_tokens') + cachedTokens + number(usage, 'cache_creation_input_tokens'),
    outputTokens: number(usage, 'output_tokens'),
    cachedTokens,
  };
}
