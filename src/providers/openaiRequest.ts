import type { ModelRequest } from './provider.js';
import { knownFacts } from './modelFacts.js';
import { COMMON_IDS, replaysToolTurns, type Dialect } from './openaiDialects.js';
import { chatThinking } from './thinking.js';
import { toTurns, type Part, type Turn, type TurnCall } from './transcript.js';

type ChatPart =
  | { type: 'text'; text: string; cache_control?: { type: 'ephemeral' } }
  | { type: 'image_url'; image_url: { url: string } };

interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | ChatPart[] | null;
  tool_calls?: Record<string, unknown>[];
  tool_call_id?: string;
  reasoning_content?: string;
  reasoning?: string;
  reasoning_details?: unknown;
}

/** Accepted by Gemini in place of a signature that a call from another model does not have. */
const ANY_SIGNATURE = 'skip_thought_signature_validator';
/** Some APIs take a missing and an empty reasoning for the same mistake. */
const NO_REASONING = ' ';

/** The body of a streaming chat completion in this dialect, legal for it whatever the transcript holds. */
export function chatBody(request: ModelRequest, model: string, dialect: Dialect): Record<string, unknown> {
  const tools = offeredTools(request, dialect);
  const mostTokens = knownFacts(model)?.maxOutput ?? Infinity;
  return {
    model,
    messages: chatMessages(request, model, dialect),
    ...(tools.length > 0 ? { tools: tools.map((tool) => ({ type: 'function', function: tool })) } : {}),
    ...(tools.length > 0 && request.toolChoice ? { tool_choice: request.toolChoice } : {}),
    stream: true,
    ...(dialect.streamUsage ? { stream_options: { include_usage: true } } : {}),
    [dialect.maxTokensField]: Math.min(request.maxTokens, mostTokens),
    ...(request.temperature !== undefined && takesTemperature(model) ? { temperature: request.temperature } : {}),
    ...chatThinking(dialect.name, model, request.thinking),
    ...(dialect.reasoningOffWithTools && tools.length > 0 && reasonsByDefault(model)
      ? { reasoning_effort: 'none' }
      : {}),
    ...(dialect.cacheKey ? { prompt_cache_key: request.sessionKey.slice(0, 64) } : {}),
  };
}

/** The tools a request offers: none where none is to be called and the endpoint does not take that in words. */
export function offeredTools({ toolChoice, tools }: ModelRequest, dialect: Dialect): ModelRequest['tools'] {
  return toolChoice === 'none' && dialect.noToolChoice ? [] : tools;
}

/** OpenAI's reasoning models and newer Claude and Kimi models answer 400 to any temperature but their own. */
export function takesTemperature(model: string): boolean {
  return !/(^|\/)(o\d|gpt-[5-9]|kimi-k[2-9]|claude-(fable|mythos|(opus|sonnet|haiku)-([5-9]|4[.-][7-9])))/i.test(model);
}

function reasonsByDefault(model: string): boolean {
  return /^gpt-(5\.[4-9]|[6-9])/i.test(model);
}

function chatMessages(request: ModelRequest, model: string, dialect: Dialect): ChatMessage[] {
  const turns = toTurns(request.messages, dialect.ids ?? COMMON_IDS);
  const withCalls = turnsWithCalls(turns);
  const messages: ChatMessage[] = request.system === '' ? [] : [{ role: 'system', content: request.system }];
  let images: Part[] = [];
  turns.forEach((turn, at) => {
    if (turn.role === 'tool') {
      messages.push({ role: 'tool', tool_call_id: turn.id, content: turn.text });
      images.push(...labelled(turn));
      // Chat completions take images from the person only, so they follow the results as if the person had sent them.
      if (turns[at + 1]?.role === 'tool') return;
      if (images.length > 0 && turns[at + 1]?.role !== 'user') addUser(messages, images, dialect);
      else return;
    } else if (turn.role === 'user') addUser(messages, [...images, ...turn.parts], dialect);
    else messages.push(assistantMessage(turn, { model, dialect, inToolTurn: withCalls.has(turn) }));
    images = [];
  });
  return dialect.cacheMarks && /claude/i.test(model) ? withCacheMarks(messages) : messages;
}

/** The images of a result as a person would send them, with words that say where they come from. */
export function labelled(turn: Extract<Turn, { role: 'tool' }>): Part[] {
  return turn.images.length === 0
    ? []
    : [{ type: 'text', text: `(image from the result of ${turn.name})` }, ...turn.images];
}

function addUser(messages: ChatMessage[], parts: Part[], dialect: Dialect): void {
  if (dialect.noUserAfterTool && messages.at(-1)?.role === 'tool') messages.push({ role: 'assistant', content: 'OK.' });
  const textOnly = parts.every((part) => part.type === 'text');
  messages.push({
    role: 'user',
    content: textOnly ? parts.map((part) => part.text).join('\n\n') : parts.map(chatPart),
  });
}

function chatPart(part: Part): ChatPart {
  return part.type === 'text' ? part : { type: 'image_url', image_url: { url: part.url } };
}

interface AssistantPlace {
  model: string;
  dialect: Dialect;
  inToolTurn: boolean;
}

function assistantMessage(turn: Extract<Turn, { role: 'assistant' }>, place: AssistantPlace): ChatMessage {
  const { dialect, model } = place;
  const message: ChatMessage = { role: 'assistant', content: turn.text === '' ? null : turn.text };
  if (turn.calls.length > 0) {
    const sign = dialect.thoughtSignatures === true && /gemini-[3-9]/i.test(model);
    message.tool_calls = turn.calls.map((call, at) => wireCall(call, sign && at === 0, dialect));
  }
  if (replaysToolTurns(dialect, model)) {
    if (place.inToolTurn) message.reasoning_content = turn.reasoning || NO_REASONING;
  } else if (dialect.reasoning === 'think_tag' && turn.reasoning) {
    message.content = `<think>\n${turn.reasoning}\n</think>\n\n${turn.text}`;
  } else if (dialect.reasoning === 'details') addDetails(message, turn);
  return message;
}

function wireCall(call: TurnCall, sign: boolean, dialect: Dialect): Record<string, unknown> {
  const google = call.extra?.['google'];
  const signed = google ?? (sign ? { thought_signature: ANY_SIGNATURE } : undefined);
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
    ...(dialect.thoughtSignatures && signed ? { extra_content: { google: signed } } : {}),
  };
}

/** OpenRouter wants a reasoning model's own objects back unchanged; plain text stands in where they were not kept. */
function addDetails(message: ChatMessage, turn: Extract<Turn, { role: 'assistant' }>): void {
  const details = turn.calls.map((call) => call.extra?.['reasoning_details']).find((value) => value !== undefined);
  if (details !== undefined) message.reasoning_details = details;
  else if (turn.reasoning && turn.calls.length > 0) message.reasoning = turn.reasoning;
}

/** Assistant turns that stand in the same exchange (from one user message to the next) as a tool call. */
function turnsWithCalls(turns: readonly Turn[]): Set<Turn> {
  const found = new Set<Turn>();
  let exchange: Turn[] = [];
  const close = () => {
    if (exchange.some((turn) => turn.role === 'tool')) exchange.forEach((turn) => found.add(turn));
    exchange = [];
  };
  for (const turn of turns) {
    if (turn.role === 'user') close();
    else exchange.push(turn);
  }
  close();
  return found;
}

/** Marks the system prompt and the last two messages that are not the model's, for Claude behind OpenRouter. */
function withCacheMarks(messages: ChatMessage[]): ChatMessage[] {
  const last = messages
    .map((message, at) => ({ message, at }))
    .filter(({ message }) => message.role === 'user' || message.role === 'tool')
    .slice(-2)
    .map(({ at }) => at);
  return messages.map((message, at) =>
    message.role === 'system' || last.includes(at) ? { ...message, content: marked(message.content) } : message,
  );
}

function marked(content: ChatMessage['content']): ChatMessage['content'] {
  const parts: ChatPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : [...(content ?? [])];
  const at = parts.findLastIndex((part) => part.type === 'text');
  const part = parts[at];
  if (part?.type === 'text') parts[at] = { ...part, cache_control: { type: 'ephemeral' } };
  return parts;
}
