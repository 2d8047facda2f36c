import { t } from '@vscode/l10n';
import type { ToolCall, Usage } from '../protocol/message.js';
import { refusal, toProviderError, WireFailure, type FailureContext } from './errors.js';
import { parseEventData } from './eventData.js';
import type { AnswerReader } from './httpStream.js';
import { field, list, number, record, string, type Json } from './json.js';
import type { ModelAnswer, StreamEvent } from './provider.js';
import { OpenItems, wholeOf, type OpenItem } from './responsesItems.js';
import { BETWEEN, replayable, sketch, type KeptItem } from './responsesReplay.js';
import type { ServerEvent } from './sse.js';

/** Makes an answer out of the events of a Responses stream. */
export class ResponsesReader implements AnswerReader {
  readonly #items: OpenItems;
  readonly #from: string;
  #model: string;
  /** The response object that ended the stream. */
  #last: Json | undefined;
  over = false;

  /** `from` says who answers, as `provider/model`, and is kept with the reasoning. */
  constructor(model: string, from: string, newId: () => string) {
    this.#model = model;
    this.#from = from;
    this.#items = new OpenItems(newId);
  }

  get complete(): boolean {
    return this.over;
  }

  *take(event: ServerEvent): Iterable<StreamEvent> {
    const text = event.data.trim();
    if (text === '') return;
    if (text.startsWith('[DONE]')) {
      this.over = this.#items.all.length > 0;
      return;
    }
    const data = parseEventData(text, event.stray === true);
    const type = string(data, 'type') || event.event;
    const response = record(field(data, 'response'));
    if (type === 'error' || (field(data, 'error') && !response && field(data, 'object') !== 'response')) {
      throw new WireFailure(text);
    }
    this.#model = string(response, 'model') || this.#model;
    // An answer that was not streamed is the response itself.
    if (response === undefined && string(data, 'object') === 'response') yield* this.#end(data);
    else if (/^response\.(completed|incomplete|failed|cancelled)$/.test(type)) yield* this.#end(response ?? {});
    else yield* this.#event(type, data);
  }

  *flush(): Iterable<StreamEvent> {
    // Nothing is held back on this wire.
  }

  answer(context: FailureContext): ModelAnswer {
    const toolCalls = this.#toolCalls();
    const reasoning = this.#bodies('reasoning');
    const usage = record(field(this.#last, 'usage'));
    const extra = sketch(this.#from, this.#kept());
    const answer: ModelAnswer = {
      text: this.#bodies('message'),
      toolCalls,
      stopReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
      model: this.#model,
      ...(reasoning === '' ? {} : { reasoning }),
      ...(usage ? { usage: responsesUsage(usage) } : {}),
      ...(extra ? { extra } : {}),
    };
    if (string(this.#last, 'status') !== 'incomplete') return answer;
    const reason = string(record(field(this.#last, 'incomplete_details')), 'reason');
    if (reason === 'max_output_tokens') return { ...answer, stopReason: 'length' };
    const words = { message: t('The answer ended early ({0}).', reason || t('no reason was given')), code: reason };
    const error =
      reason === 'content_filter'
        ? refusal(t('The answer was stopped by its content filter.'), context)
        : toProviderError(new WireFailure(JSON.stringify(words)), context);
    return { ...answer, stopReason: 'error', error };
  }

  *#event(type: string, data: Json): Iterable<StreamEvent> {
    const item = record(field(data, 'item'));
    const delta = string(data, 'delta');
    switch (type) {
      case 'response.output_item.added':
        yield* this.#announce(this.#items.of(data, item ?? {}, 'added'));
        break;
      case 'response.output_item.done':
        yield* this.#close(this.#items.of(data, item ?? {}, 'done'), item ?? {});
        break;
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        yield* this.#text(this.#piece(data, 'message'), delta);
        break;
      case 'response.reasoning_summary_part.added':
        // Each part is a paragraph of its own.
        if (this.#bodies('reasoning') !== '') yield* this.#thought(this.#piece(data, 'reasoning'), BETWEEN);
        break;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        yield* this.#thought(this.#piece(data, 'reasoning'), delta);
        break;
      case 'response.function_call_arguments.delta':
        this.#piece(data, 'function_call').body += delta;
        break;
      case 'response.function_call_arguments.done': {
        const call = this.#piece(data, 'function_call');
        call.body = string(data, 'arguments') || call.body;
      }
    }
  }

  *#end(response: Json): Iterable<StreamEvent> {
    this.#model = string(response, 'model') || this.#model;
    const status = string(response, 'status');
    if (field(response, 'error') || status === 'failed' || status === 'cancelled') {
      throw new WireFailure(
        JSON.stringify(field(response, 'error') ?? { message: t('The answer ended as {0}.', status) }),
      );
    }
    // Whatever was not streamed stands here.
    const output = list(response, 'output').map((value): Json => record(value) ?? {});
    for (const [open, item] of this.#items.ofOutput(output)) {
      if (!open.done) yield* this.#close(open, item);
    }
    this.#last = response;
    this.over = true;
  }

  #piece(data: Json, type: string): OpenItem {
    return this.#items.of(data, { type }, 'piece');
  }

  *#announce(item: OpenItem): Iterable<StreamEvent> {
    if (item.type !== 'function_call' || item.announced || item.name === '') return;
    item.announced = true;
    yield { type: 'tool_start', id: item.id, name: item.name };
  }

  *#close(open: OpenItem, item: Json): Iterable<StreamEvent> {
    yield* this.#announce(open);
    if (open.type === 'function_call') open.body = string(item, 'arguments') || open.body;
    else if (open.body === '' && open.type === 'message') yield* this.#text(open, wholeOf(item));
    else if (open.body === '' && open.type === 'reasoning') yield* this.#thought(open, wholeOf(item));
    open.done = item;
  }

  *#text(item: OpenItem, piece: string): Iterable<StreamEvent> {
    if (piece === '') return;
    const begins = item.body === '' && this.#bodies('message') !== '';
    item.body += piece;
    if (begins) yield { type: 'text', text: BETWEEN };
    yield { type: 'text', text: piece };
  }

  *#thought(item: OpenItem, piece: string): Iterable<StreamEvent> {
    if (piece === '') return;
    item.body += piece;
    yield { type: 'thinking', text: piece };
  }

  #bodies(type: 'message' | 'reasoning'): string {
    const bodies = this.#items.all.flatMap((item) => (item.type === type && item.body !== '' ? [item.body] : []));
    return bodies.join(type === 'message' ? BETWEEN : '');
  }

  #toolCalls(): ToolCall[] {
    return this.#items.all
      .filter((item) => item.type === 'function_call' && item.name !== '')
      .map(({ id, name, body }) => ({
        id,
        type: 'function',
        function: { name, arguments: body.trim() === '' ? '{}' : body },
      }));
  }

  /** What is kept of the answer beside its text and calls: only of items that were finished. */
  #kept(): KeptItem[] {
    return this.#items.all.flatMap((item): KeptItem[] => {
      const { type, done, body } = item;
      if (type === 'function_call') return item.name === '' ? [] : [{ type: 'call' }];
      const phase = string(done, 'phase');
      if (type === 'message') {
        return body === '' ? [] : [{ type: 'message', length: body.length, ...(phase === '' ? {} : { phase }) }];
      }
      const reasoning = type === 'reasoning' && done ? replayable(done) : undefined;
      return reasoning ? [{ type: 'reasoning', item: reasoning }] : [];
    });
  }
}

/** Tokens in our form: cached ones are a part of the input, those of reasoning one of the output. */
function responsesUsage(usage: Json): Usage {
  return {
    inputTokens: number(usage, 'input_tokens'),
    outputTokens: number(usage, 'output_tokens'),
    cachedTokens: number(record(field(usage, 'input_tokens_details')), 'cached_tokens'),
  };
}
