import { textOf, type ContentBlock, type StoredMessage, type ThinkingBlock } from '../protocol/message.js';

export type Part = { type: 'text'; text: string } | { type: 'image'; url: string };

/** A call with an id that is legal on the wire. */
export interface TurnCall {
  id: string;
  name: string;
  arguments: string;
  extra?: Record<string, unknown>;
}

/** The transcript as both wires need it: roles that alternate, ids that pair up, nothing empty. */
export type Turn =
  | { role: 'user'; parts: Part[] }
  | {
      role: 'assistant';
      text: string;
      calls: TurnCall[];
      reasoning: string;
      thinkingBlocks: ThinkingBlock[];
      /** What the provider that wrote it wants back with it. */
      extra?: Record<string, unknown>;
    }
  | { role: 'tool'; id: string; name: string; text: string; images: Part[]; failed: boolean };

/** Which call ids an API takes, and how one is made from a number where the stored one is not legal. */
export interface IdRule {
  legal: RegExp;
  make(n: number): string;
}

const NO_OUTPUT = '(tool completed with no output)';
const NO_TEXT = '(no text)';

/**
 * The stored transcript as turns. Messages for people only (an error without content) and results without their call are left out; empty
 * contents get words; neighbours of one role are merged; it starts and ends with what an API accepts there. The stored messages are not changed.
 */
export function toTurns(messages: readonly StoredMessage[], rule: IdRule): Turn[] {
  const turns: Turn[] = [];
  const ids = new CallIds(rule);
  for (const message of messages) {
    if (message.role === 'user') addUser(turns, userParts(message));
    else if (message.role === 'assistant') addAssistant(turns, message, ids);
    else addResult(turns, message, ids);
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', parts: [{ type: 'text', text: '(conversation)' }] });
  if (turns.at(-1)?.role === 'assistant') addUser(turns, [{ type: 'text', text: 'Go on.' }]);
  return turns;
}

/** Whether any message of the request holds an image. */
export function hasImages(messages: readonly StoredMessage[]): boolean {
  return messages.some((message) => imagesOf(message.content).length > 0);
}

/** A copy in which every image is replaced by the note; messages without images are the same objects. */
export function withoutImages(messages: readonly StoredMessage[], note: string): StoredMessage[] {
  return messages.map((message) => {
    if (!Array.isArray(message.content) || imagesOf(message.content).length === 0) return message;
    const content = message.content.map((block): ContentBlock =>
      block.type === 'image_url' ? { type: 'text', text: note } : block,
    );
    return { ...message, content };
  });
}

/** The addresses of a content's images, in order. */
export function imagesOf(content: StoredMessage['content']): string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => (block.type === 'image_url' ? [block.image_url.url] : []));
}

function userParts(message: StoredMessage): Part[] {
  const parts: Part[] = [];
  const blocks: ContentBlock[] = Array.isArray(message.content)
    ? message.content
    : [{ type: 'text', text: message.content ?? '' }];
  for (const block of blocks) {
    if (block.type === 'image_url') parts.push({ type: 'image', url: block.image_url.url });
    else if (block.text.trim() !== '') parts.push({ type: 'text', text: block.text });
  }
  if (parts.length === 0) parts.push({ type: 'text', text: NO_TEXT });
  // Last, so that everything before it stays the same from request to request and the provider's cache hits.
  if (message.runtime_context) parts.push({ type: 'text', text: message.runtime_context });
  return parts;
}

function addUser(turns: Turn[], parts: Part[]): void {
  const last = turns.at(-1);
  if (last?.role === 'user') last.parts.push(...parts);
  else turns.push({ role: 'user', parts });
}

function addAssistant(turns: Turn[], message: StoredMessage, ids: CallIds): void {
  const text = textOf(message.content);
  const calls = (message.tool_calls ?? []).map((call): TurnCall => {
    const extra = call.extra_content;
    return {
      id: ids.ofCall(call.id),
      name: call.function.name,
      arguments: call.function.arguments.trim() === '' ? '{}' : call.function.arguments,
      ...(extra ? { extra } : {}),
    };
  });
  if (text.trim() === '' && calls.length === 0) return;
  const reasoning = message.reasoning_content ?? '';
  const thinkingBlocks = message.thinking_blocks ?? [];
  const last = turns.at(-1);
  if (last?.role === 'assistant' && last.calls.length === 0) {
    last.text = [last.text, text].filter((piece) => piece.trim() !== '').join('\n\n');
    last.calls = calls;
    last.reasoning = [last.reasoning, reasoning].filter((piece) => piece !== '').join('\n\n');
    last.thinkingBlocks = [...last.thinkingBlocks, ...thinkingBlocks];
    // It describes one answer, and these are two.
    delete last.extra;
  } else {
    const extra = message.extra_content;
    turns.push({ role: 'assistant', text, calls, reasoning, thinkingBlocks, ...(extra ? { extra } : {}) });
  }
}

function addResult(turns: Turn[], message: StoredMessage, ids: CallIds): void {
  const id = ids.ofResult(message.tool_call_id);
  if (id === undefined) return;
  const text = textOf(message.content);
  turns.push({
    role: 'tool',
    id,
    name: message.name ?? 'tool',
    text: text.trim() === '' ? NO_OUTPUT : text,
    images: imagesOf(message.content).map((url) => ({ type: 'image', url })),
    failed: message.tool?.status !== undefined && message.tool.status !== 'ok',
  });
}

/**
 * Gives calls legal ids and results the ids of their calls. Transcripts of other programs use an id again in every answer or leave it out:
 * a result belongs to the newest call of its id that has none yet, one without id to the oldest open call.
 */
class CallIds {
  readonly #rule: IdRule;
  readonly #used = new Set<string>();
  #open: { stored: string; wire: string }[] = [];
  #made = 0;

  constructor(rule: IdRule) {
    this.#rule = rule;
  }

  ofCall(stored: string | undefined): string {
    let wire = stored ?? '';
    while (!this.#rule.legal.test(wire) || this.#used.has(wire)) wire = this.#rule.make(this.#made++);
    this.#used.add(wire);
    this.#open.push({ stored: stored ?? '', wire });
    return wire;
  }

  ofResult(stored: string | undefined): string | undefined {
    const at = stored
      ? this.#open.findLastIndex((call) => call.stored === stored)
      : this.#open.findIndex((call) => call.stored === '');
    return at < 0 ? undefined : this.#open.splice(at, 1)[0]?.wire;
  }
}
