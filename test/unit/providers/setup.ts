import type { StoredMessage } from '../../../src/protocol/message.js';
import type { ModelAnswer, ModelRequest, StreamEvent, ToolSpec } from '../../../src/providers/provider.js';

export const AT = '2026-11-01T09:00:00.000Z';

export function user(content: StoredMessage['content'], more: Partial<StoredMessage> = {}): StoredMessage {
  return { role: 'user', content, timestamp: AT, ...more };
}

export function assistant(content: string | null, more: Partial<StoredMessage> = {}): StoredMessage {
  return { role: 'assistant', content, timestamp: AT, ...more };
}

export function calling(...calls: [id: string, name: string, args?: string][]): Partial<StoredMessage> {
  return {
    tool_calls: calls.map(([id, name, args = '{}']) => ({ id, type: 'function', function: { name, arguments: args } })),
  };
}

export function result(
  id: string,
  content: StoredMessage['content'],
  more: Partial<StoredMessage> = {},
): StoredMessage {
  return { role: 'tool', tool_call_id: id, name: 'read_file', content, timestamp: AT, ...more };
}

export const READ: ToolSpec = {
  name: 'read_file',
  description: 'Read a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

export const PNG = 'data:image/png;base64,iVBORw0KGgo=';

export function image(url = PNG): { type: 'image_url'; image_url: { url: string } } {
  return { type: 'image_url', image_url: { url } };
}

export function request(messages: StoredMessage[] = [user('Hi')], more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: 'You are a test.', messages, tools: [], maxTokens: 1000, sessionKey: 'vscode:1', ...more };
}

/** Everything a stream gave, and its last event's answer. */
export async function collect(
  stream: AsyncIterable<StreamEvent>,
): Promise<{ events: StreamEvent[]; answer: ModelAnswer }> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  const last = events.at(-1);
  if (last?.type !== 'end') throw new Error('The stream did not end with an end event.');
  if (events.filter((event) => event.type === 'end').length > 1) throw new Error('The stream has more than one end.');
  return { events, answer: last.answer };
}

/** The text of all events of one type. */
export function joined(events: readonly { type: string }[], type: 'text' | 'thinking'): string {
  return events.map((event) => (event.type === type && 'text' in event ? String(event.text) : '')).join('');
}
