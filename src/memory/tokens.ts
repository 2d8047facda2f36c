import type { StoredMessage, ToolCall } from '../protocol/message.js';

/** Characters a token stands for on average: in Latin text and code, and in scripts whose characters take three bytes. */
const CHARS_PER_TOKEN = 3.6;
const WIDE_CHARS_PER_TOKEN = 1.2;
/** What an image costs about, whatever its size: providers scale it down first. */
const IMAGE_TOKENS = 1_600;
/** Role, separators and ids of one message, or of one call. */
const MESSAGE_TOKENS = 6;

/**
 * An estimate of the tokens of a text, from its length in characters and in bytes alone: a megabyte takes a fraction of a millisecond, so no
 * text can hold the thread. Within about a quarter of the truth for prose and code in Latin, Cyrillic or Chinese script, up to 40 % too low for
 * some others; what a provider reports corrects it.
 */
export function estimateText(text: string): number {
  const wide = (Buffer.byteLength(text) - text.length) / 2;
  return Math.ceil((text.length - wide) / CHARS_PER_TOKEN + wide / WIDE_CHARS_PER_TOKEN);
}

/** What is known of a message's tokens: the estimate at first, the tokenizer's number once it is `exact`. */
interface Known {
  tokens: number;
  exact: boolean;
}

const known = new WeakMap<StoredMessage, Known>();

/**
 * Tokens of a message with its calls, images and runtime context: as counted by the `TokenCounter`, and until then an estimate, made once. The
 * message must not change afterwards.
 */
export function estimateMessage(message: StoredMessage): number {
  return knownOf(message).tokens;
}

/** Whether `noteTokens` was called for this message. */
export function isCounted(message: StoredMessage): boolean {
  return known.get(message)?.exact ?? false;
}

/** Keeps what the texts of a message (`textsOf`) were counted to, for as long as the message lives. */
export function noteTokens(message: StoredMessage, textTokens: number): void {
  Object.assign(knownOf(message), { tokens: textTokens + extraTokens(message), exact: true });
}

/** Two objects stand for one message, as before and after it was stored: what is counted for one holds for both. */
export function shareTokens(message: StoredMessage, stored: StoredMessage): void {
  known.set(stored, knownOf(message));
}

/** Everything of a message that is text for the model. Empty texts are left out. */
export function textsOf(message: StoredMessage): string[] {
  const { content } = message;
  const blocks = Array.isArray(content) ? content.map((block) => (block.type === 'text' ? block.text : '')) : [content];
  const calls = callsOf(message).map((call) => call.function.name + call.function.arguments);
  return [...blocks, ...calls, message.runtime_context].filter(isText);
}

function knownOf(message: StoredMessage): Known {
  const found = known.get(message);
  if (found) return found;
  const tokens = textsOf(message).reduce((sum, text) => sum + estimateText(text), extraTokens(message));
  const made = { tokens, exact: false };
  known.set(message, made);
  return made;
}

/** What a message costs besides its texts. */
function extraTokens(message: StoredMessage): number {
  const { content } = message;
  const images = Array.isArray(content) ? content.filter((block) => block.type === 'image_url').length : 0;
  return MESSAGE_TOKENS * (1 + callsOf(message).length) + IMAGE_TOKENS * images;
}

/** The calls that can be sent: a session file may hold lines of other programs. */
function callsOf({ tool_calls: calls }: StoredMessage): ToolCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter((call: Partial<ToolCall> | null) => typeof call?.function?.name === 'string');
}

function isText(text: unknown): text is string {
  return typeof text === 'string' && text !== '';
}
