import type { ThinkingBlock } from '../protocol/message.js';
import { knownFacts } from './modelFacts.js';
import type { ModelRequest } from './provider.js';
import { messagesThinking } from './thinking.js';
import { toTurns, type IdRule, type Part, type Turn } from './transcript.js';

type Block = Record<string, unknown> & { type: string };

interface WireMessage {
  role: 'user' | 'assistant';
  content: Block[];
}

const IDS: IdRule = { legal: /^[a-zA-Z0-9_-]{1,64}$/, make: (n) => `toolu_${String(n)}` };

const MARK = { cache_control: { type: 'ephemeral' } };
/** What the API can look at. */
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/**
 * The body of a streaming Messages request, with cache marks on tools, system and the last two messages of the person or their tools. A
 * temperature is never sent: since its version 2026-10-21 the API answers 400 to any.
 */
export function messagesBody(request: ModelRequest, model: string): Record<string, unknown> {
  const { tools, system } = request;
  const maxTokens = Math.min(request.maxTokens, knownFacts(model)?.maxOutput ?? Infinity);
  return {
    model,
    max_tokens: maxTokens,
    ...messagesThinking(request, model, maxTokens),
    ...(system.trim() === '' ? {} : { system: [{ type: 'text', text: system, ...MARK }] }),
    ...(tools.length > 0 ? { tools: wireTools(request) } : {}),
    ...(tools.length > 0 && request.toolChoice ? { tool_choice: { type: request.toolChoice } } : {}),
    messages: withMarks(wireMessages(toTurns(request.messages, IDS))),
    stream: true,
  };
}

function wireTools({ tools }: ModelRequest): Record<string, unknown>[] {
  return tools.map((tool, at) => ({
    name: tool.name,
    description: tool.description,
    input_schema: { type: 'object', ...tool.parameters },
    ...(at === tools.length - 1 ? MARK : {}),
  }));
}

function wireMessages(turns: readonly Turn[]): WireMessage[] {
  const messages: WireMessage[] = [];
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      const content = assistantBlocks(turn);
      if (content.length > 0) messages.push({ role: 'assistant', content });
      continue;
    }
    const content = turn.role === 'tool' ? [resultBlock(turn)] : turn.parts.map(partBlock);
    const last = messages.at(-1);
    // Results and what the person says after them are one user message, results first.
    if (last?.role === 'user') last.content.push(...content);
    else messages.push({ role: 'user', content });
  }
  return messages;
}

function assistantBlocks(turn: Extract<Turn, { role: 'assistant' }>): Block[] {
  const blocks: Block[] = turn.thinkingBlocks.filter(isReplayable).map((block) => ({ ...block }));
  // The API refuses blank text, and white space at the end of a last message.
  if (turn.text.trim() !== '') blocks.push({ type: 'text', text: turn.text.trimEnd() });
  for (const call of turn.calls) {
    blocks.push({ type: 'tool_use', id: call.id, name: call.name, input: inputOf(call.arguments) });
  }
  return blocks;
}

/** A thought that was cut off has no signature, and one without is refused. */
function isReplayable(block: ThinkingBlock): boolean {
  return block.type === 'redacted_thinking' || block.signature !== '';
}

function inputOf(args: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(args);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>;
  } catch {
    // The call was made with broken arguments and failed for it: its text is kept as it was.
  }
  return { arguments: args };
}

function resultBlock(turn: Extract<Turn, { role: 'tool' }>): Block {
  const content =
    turn.images.length === 0 ? turn.text : [{ type: 'text', text: turn.text }, ...turn.images.map(partBlock)];
  return { type: 'tool_result', tool_use_id: turn.id, content, ...(turn.failed ? { is_error: true } : {}) };
}

function partBlock(part: Part): Block {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const data = /^data:([^;,]+);base64,(.*)$/s.exec(part.url);
  if (!data) return { type: 'image', source: { type: 'url', url: part.url } };
  const [, mediaType = '', base64 = ''] = data;
  if (!IMAGE_TYPES.has(mediaType))
    return { type: 'text', text: `(an image of type ${mediaType}, which cannot be shown)` };
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64 } };
}

/** Marks the end of the last two user messages: the next request begins with the same text up to there. */
function withMarks(messages: WireMessage[]): WireMessage[] {
  const marked = messages.filter((message) => message.role === 'user').slice(-2);
  return messages.map((message) => {
    const last = message.content.at(-1);
    if (!marked.includes(message) || !last) return message;
    return { ...message, content: [...message.content.slice(0, -1), { ...last, ...MARK }] };
  });
}
