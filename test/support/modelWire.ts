import type { Reply, ScriptedCall } from './modelServer.js';
import { responseOf, responsesFrames } from './responsesWire.js';

/** The protocols the model server speaks. */
export type Wire = 'chat' | 'messages' | 'responses';

const DEFAULT_CHUNK = 16;

/** A reply as the chunks of a server-sent stream, the end included. */
export function framesOf(wire: Wire, reply: Reply): string[] {
  if (wire === 'responses') return responsesFrames(reply);
  return wire === 'chat' ? chatFrames(reply) : messagesFrames(reply);
}

/** A reply to a request that did not ask for a stream. */
export function jsonOf(wire: Wire, reply: Reply): object {
  const model = reply.model ?? 'test-model';
  if (wire === 'responses') return responseOf(reply);
  if (wire === 'messages') {
    const content = [{ type: 'text', text: reply.text ?? '' }];
    return { type: 'message', role: 'assistant', model, content, stop_reason: 'end_turn', usage: messagesUsage(reply) };
  }
  const message = { role: 'assistant', content: reply.text ?? '' };
  return { model, choices: [{ index: 0, message, finish_reason: 'stop' }], usage: chatUsage(reply) };
}

function chatFrames(reply: Reply): string[] {
  const data: unknown[] = [];
  const model = reply.model ?? 'test-model';
  const add = (delta: object, finish: string | null = null) => {
    data.push({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  };
  add({ role: 'assistant', content: '' });
  for (const piece of split(reply.thinking, reply.chunkSize)) add({ reasoning_content: piece });
  for (const piece of split(reply.text, reply.chunkSize)) add({ content: piece });
  for (const [index, call] of (reply.toolCalls ?? []).entries()) {
    add({
      tool_calls: [{ index, id: idOf(call, index), type: 'function', function: { name: call.name, arguments: '' } }],
    });
    for (const piece of split(argsOf(call), reply.chunkSize)) {
      add({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  const stop = reply.stopReason === undefined ? (reply.toolCalls?.length ? 'tool_calls' : 'stop') : reply.stopReason;
  if (stop !== null) add({}, stop);
  const usage = chatUsage(reply);
  if (usage && stop !== null)
    data.push({ id: 'chatcmpl-1', object: 'chat.completion.chunk', model, choices: [], usage });
  const frames = data.map((item) => `data: ${JSON.stringify(item)}\n\n`);
  return stop === null ? frames : [...frames, 'data: [DONE]\n\n'];
}

function messagesFrames(reply: Reply): string[] {
  const frames: string[] = [];
  const add = (type: string, fields: object = {}) => {
    frames.push(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  };
  let index = 0;
  const block = (start: object, deltas: object[]) => {
    add('content_block_start', { index, content_block: start });
    for (const delta of deltas) add('content_block_delta', { index, delta });
    add('content_block_stop', { index });
    index++;
  };
  const usage = messagesUsage(reply);
  add('message_start', {
    message: {
      id: 'msg_1',
      role: 'assistant',
      model: reply.model ?? 'test-model',
      ...(usage ? { usage: { ...usage, output_tokens: 1 } } : {}),
    },
  });
  if (reply.thinking !== undefined) {
    const deltas = split(reply.thinking, reply.chunkSize).map((thinking) => ({ type: 'thinking_delta', thinking }));
    block({ type: 'thinking', thinking: '', signature: '' }, [
      ...deltas,
      { type: 'signature_delta', signature: 'signed' },
    ]);
  }
  if (reply.text !== undefined) {
    block(
      { type: 'text', text: '' },
      split(reply.text, reply.chunkSize).map((text) => ({ type: 'text_delta', text })),
    );
  }
  for (const [n, call] of (reply.toolCalls ?? []).entries()) {
    const deltas = split(argsOf(call), reply.chunkSize).map((piece) => ({
      type: 'input_json_delta',
      partial_json: piece,
    }));
    block({ type: 'tool_use', id: idOf(call, n), name: call.name, input: {} }, deltas);
  }
  if (reply.stopReason === null) return frames;
  add('message_delta', {
    delta: { stop_reason: messagesStop(reply) },
    ...(usage ? { usage: { output_tokens: usage.output_tokens } } : {}),
  });
  add('message_stop');
  return frames;
}

/** Reasons are written in chat completions' words; Messages' own pass through. */
function messagesStop(reply: Reply): string {
  const stop = reply.stopReason ?? (reply.toolCalls?.length ? 'tool_calls' : 'stop');
  const names: Record<string, string> = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' };
  return names[stop] ?? stop;
}

function chatUsage({ usage }: Reply): object | undefined {
  if (usage === null) return undefined;
  const { input, output, cached } = usage ?? { input: 10, output: 5 };
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
  };
}

function messagesUsage({
  usage,
}: Reply): { input_tokens: number; output_tokens: number; cache_read_input_tokens: number } | undefined {
  if (usage === null) return undefined;
  const { input, output, cached = 0 } = usage ?? { input: 10, output: 5 };
  return { input_tokens: input - cached, output_tokens: output, cache_read_input_tokens: cached };
}

export function idOf(call: ScriptedCall, index: number): string {
  return call.id ?? `call_${String(index)}`;
}

export function argsOf(call: ScriptedCall): string {
  return typeof call.args === 'string' ? call.args : JSON.stringify(call.args);
}

export function split(text = '', size = DEFAULT_CHUNK): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces;
}
