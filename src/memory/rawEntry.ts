import { textOf, wordsOf, type StoredMessage } from '../protocol/message.js';

/** What an entry begins with that no model has summarised. */
export const RAW = '[RAW]';

/** Characters of such an entry, and of one message in it. */
const MAX_RAW = 10_000;
const MAX_MESSAGE = 1_500;
const MIN_MESSAGE = 80;
/** Characters of time, speaker and tools before and after the words. */
const LEAD = 60;
/** Characters of what stands in the prompt for messages without a summary, and of one request in it. */
const MAX_DIGEST = 1_200;
const MAX_REQUEST = 160;

/**
 * The messages in short as they are, for history.jsonl: what the person and the agent said, and which tools ran. Results of tools are left out: they
 * are large, and text from outside must not come into the history as if somebody had said it. At most about 10,000 characters; the whole stands in the
 * session's file.
 */
export function rawEntry(messages: readonly StoredMessage[]): string {
  const said = messages.filter((message) => message.role !== 'tool' && !(message.sender && message.untrusted));
  const share = Math.floor(MAX_RAW / Math.max(1, said.length)) - LEAD;
  const each = Math.max(MIN_MESSAGE, Math.min(MAX_MESSAGE, share));
  const lines = said.map((message) => `${stamp(message)}${speaker(message)}: ${wordsIn(message, each)}`);
  const kept: string[] = [];
  let length = 0;
  for (const line of lines) {
    if (length + line.length > MAX_RAW) break;
    length += line.length;
    kept.push(line);
  }
  const missing = lines.length - kept.length;
  return [
    `${RAW} ${String(said.length)} messages that could not be summarised`,
    ...kept,
    ...(missing > 0 ? [`… and ${String(missing)} more, in the session's file`] : []),
  ].join('\n');
}

/**
 * What stands in the prompt for messages that the model gave no usable summary of: what the person asked, the first and the newest before those in
 * between, and how the last answer began.
 */
export function rawDigest(messages: readonly StoredMessage[]): string {
  const asked = messages
    .filter((message) => message.role === 'user' && !message.sender)
    .map((message) => wordsIn(message, MAX_REQUEST));
  const [first, ...others] = asked;
  const newest: string[] = [];
  let length = first?.length ?? 0;
  for (const words of others.toReversed()) {
    length += words.length;
    if (length > MAX_DIGEST) break;
    newest.unshift(words);
  }
  const shown = [...(first === undefined ? [] : [first]), ...(newest.length < others.length ? ['…'] : []), ...newest];
  const answer = messages.findLast((message) => message.role === 'assistant' && textOf(message.content) !== '');
  return [
    '(These messages could not be summarised. What the person wrote in them, in short:)',
    ...shown.map((words) => `- ${words}`),
    ...(answer ? [`The last answer began: ${wordsIn(answer, MAX_REQUEST)}`] : []),
  ].join('\n');
}

/** A person's own words, without what was attached to them; none where no person typed the message. */
export function ownWords(message: StoredMessage): string {
  return message.sender ? '' : wordsOf(message);
}

/** What a message says: a person's own words, and the text of everybody else's. */
export function saidIn(message: StoredMessage): string {
  return message.role === 'user' && !message.sender ? ownWords(message) : textOf(message.content);
}

function wordsIn(message: StoredMessage, most: number): string {
  const words = saidIn(message);
  const calls = (message.tool_calls ?? []).map((call) => call.function.name);
  const ran = calls.length > 0 ? ` [${calls.join(', ')}]` : '';
  return `${headAndTail(words.replace(/\s+/g, ' ').trim(), most)}${ran}`.trim();
}

/** On one line, unlike what is shown of a tool's output. */
function headAndTail(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.floor(most * 0.7);
  return `${text.slice(0, head)} … ${text.slice(text.length - (most - head))}`;
}

function speaker({ role, sender }: StoredMessage): string {
  if (sender) return 'SUBAGENT';
  return role === 'user' ? 'PERSON' : 'AGENT';
}

function stamp({ timestamp }: StoredMessage): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(timestamp) ? `[${timestamp.slice(0, 16).replace('T', ' ')}] ` : '';
}
