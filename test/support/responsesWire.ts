import type { Reply, ScriptedCall } from './modelServer.js';
import { argsOf, idOf, split } from './modelWire.js';

interface Item {
  type: string;
  [field: string]: unknown;
}

/** A reply as the chunks of a Responses stream. Reasons to stop are written in chat completions' words. */
export function responsesFrames(reply: Reply): string[] {
  const frames: string[] = [];
  const model = reply.model ?? 'test-model';
  const add = (type: string, fields: object) => {
    const data = { type, sequence_number: frames.length, ...fields };
    frames.push(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  add('response.created', { response: { object: 'response', model, status: 'in_progress', output: [] } });
  for (const [output_index, item] of itemsOf(reply).entries()) {
    const item_id = item['id'];
    const pieces = (text: string) => split(text, reply.chunkSize);
    add('response.output_item.added', { output_index, item: begun(item) });
    if (item.type === 'reasoning') {
      add('response.reasoning_summary_part.added', { output_index, item_id, summary_index: 0 });
      for (const delta of pieces(reply.thinking ?? ''))
        add('response.reasoning_summary_text.delta', { output_index, item_id, summary_index: 0, delta });
    } else if (item.type === 'message') {
      for (const delta of pieces(reply.text ?? ''))
        add('response.output_text.delta', { output_index, item_id, content_index: 0, delta });
    } else {
      const args = String(item['arguments']);
      for (const delta of pieces(args)) add('response.function_call_arguments.delta', { output_index, item_id, delta });
      add('response.function_call_arguments.done', { output_index, item_id, arguments: args });
    }
    add('response.output_item.done', { output_index, item });
  }
  if (reply.stopReason === null) return frames;
  const response = responseOf(reply);
  add(`response.${response.status}`, { response });
  return frames;
}

/** A whole response, as the last event holds it and as it is answered without a stream. */
export function responseOf(reply: Reply): { status: string; [field: string]: unknown } {
  const reasons: Record<string, string> = { length: 'max_output_tokens', content_filter: 'content_filter' };
  const reason = reasons[reply.stopReason ?? ''];
  return {
    object: 'response',
    model: reply.model ?? 'test-model',
    status: reason === undefined ? 'completed' : 'incomplete',
    output: itemsOf(reply),
    ...(reason === undefined ? {} : { incomplete_details: { reason } }),
    ...(reply.usage === null ? {} : { usage: usageOf(reply) }),
  };
}

function usageOf({ usage }: Reply): object {
  const { input, output, cached = 0 } = usage ?? { input: 10, output: 5 };
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: Math.floor(output / 2) },
    total_tokens: input + output,
  };
}

function itemsOf(reply: Reply): Item[] {
  const items: Item[] = [];
  if (reply.thinking !== undefined) {
    const summary = [{ type: 'summary_text', text: reply.thinking }];
    const encrypted_content = `sealed(${reply.thinking})`;
    items.push({ type: 'reasoning', id: `rs_${String(reply.thinking.length)}`, summary, encrypted_content });
  }
  if (reply.text !== undefined) {
    const content = [{ type: 'output_text', text: reply.text, annotations: [] }];
    items.push({ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content });
  }
  for (const [n, call] of (reply.toolCalls ?? []).entries()) items.push(callItem(call, n));
  return items;
}

function callItem(call: ScriptedCall, n: number): Item {
  const call_id = idOf(call, n);
  return { type: 'function_call', id: `fc_${call_id}`, call_id, name: call.name, arguments: argsOf(call) };
}

/** An item as it is announced: with nothing in it yet. */
function begun(item: Item): Item {
  const empty: Record<string, unknown> = { summary: [], content: [], arguments: '' };
  const fields = Object.entries(item).filter(([name]) => name !== 'encrypted_content');
  return Object.fromEntries(fields.map(([name, value]) => [name, empty[name] ?? value])) as Item;
}
