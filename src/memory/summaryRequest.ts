import { textOf, type StoredMessage, type ToolCall } from '../protocol/message.js';
import type { ToolSpec } from '../providers/provider.js';
import { LEFT_OUT } from '../runner/govern.js';
import { shorten } from '../runner/toolCalls.js';
import FACTS from '../templates/consolidateFacts.md';
import MERGE from '../templates/consolidateMerge.md';
import SUMMARY from '../templates/consolidateSummary.md';
import FRAME from '../templates/consolidate.md';
import { saidIn } from './rawEntry.js';

/**
 * What a model is asked for facts and summary with: the session's own prompt (the same system text, tools and messages, so that the provider's
 * cache hits) and one last message, the instruction.
 */
export interface SummaryRequest {
  system: string;
  messages: StoredMessage[];
  tools: ToolSpec[];
  instruction: string;
  maxTokens: number;
}

/** What one round is to bring. */
export interface RoundTask {
  /** Facts of all its messages, of none, or of those from this one on. */
  facts: 'all' | 'none' | { from: StoredMessage };
  /** A summary beside the earlier one, one that takes the earlier one in, or none. */
  summary: 'beside' | 'merged' | 'none';
  /** Whether an earlier summary stands before the messages. */
  hasEarlier: boolean;
}

const TOO_LONG =
  'The conversation above has grown too long for the prompt: its messages will be taken out, and what you write now will stand in their place.';
const PUT_BY = 'What matters of the conversation above is kept for later ones.';

/** The last message of a request: what to write, and by which rules. `date` is today as a person writes it. */
export function instructionFor({ facts, summary, hasEarlier }: RoundTask, date: string): string {
  const form: string[] = [];
  const what: string[] = [];
  if (facts !== 'none') {
    form.push('<facts>\n- …\n</facts>');
    what.push(FACTS.trim().replace('{{date}}', () => date));
    if (facts !== 'all') what.push(onlyFrom(facts.from));
  }
  if (summary !== 'none') {
    form.push('<summary>\n…\n</summary>');
    what.push(SUMMARY.trim().replace('{{which}}', () => (hasEarlier ? 'these messages' : 'the messages')));
    if (summary === 'merged') what.push(MERGE.trim());
    else if (hasEarlier)
      what.push('The earlier summary at the top stays, before yours: do not repeat it, say what has come since.');
  }
  return FRAME.trim()
    .replace('{{why}}', () => (summary === 'none' ? PUT_BY : TOO_LONG))
    .replace('{{form}}', () => form.join('\n\n'))
    .replace('{{what}}', () => what.join('\n\n'));
}

/** Names the message from which on facts have not been noted yet. */
function onlyFrom(message: StoredMessage): string {
  const opening = saidIn(message).replace(/\s+/g, ' ').trim().slice(0, 120);
  const who = message.role === 'user' ? "the person's message" : 'your message';
  return `The facts of what comes before ${who} that begins "${opening}" have been noted already: write only those that come from there on.`;
}

type Weigh = (message: StoredMessage) => number;

/**
 * The messages as they are where they fit, so that they are the same bytes as in the prompt; else in the part that does: without the oldest results,
 * and where that is not enough with every text shortened. No message is dropped, so calls keep their results.
 */
export function partThatFits(messages: StoredMessage[], room: number, weigh: Weigh): StoredMessage[] {
  let total = sum(messages, weigh);
  if (total <= room) return messages;
  const part = [...messages];
  for (const [at, message] of messages.entries()) {
    if (total <= room) return part;
    if (message.role !== 'tool') continue;
    const without = { ...message, content: LEFT_OUT };
    total -= weigh(message) - weigh(without);
    part[at] = without;
  }
  if (total <= room) return part;
  for (let share = Math.floor((room * 3) / part.length); ; share = Math.floor(share / 2)) {
    const short = part.map((message) => shortened(message, share));
    if (share < 40 || sum(short, weigh) <= room) return short;
  }
}

/** A message whose words, thoughts and arguments take at most so many characters each. Arguments stay JSON: long ones are left out. */
function shortened(message: StoredMessage, most: number): StoredMessage {
  const {
    reasoning_content: _thoughts,
    thinking_blocks: _blocks,
    extra_content: _extra,
    tool_calls,
    ...rest
  } = message;
  const text = textOf(message.content);
  return {
    ...rest,
    content: text.length <= most && typeof message.content === 'string' ? text : shorten(text, most),
    ...(tool_calls ? { tool_calls: tool_calls.map((call) => withShortArguments(call, most)) } : {}),
  };
}

function withShortArguments(call: ToolCall, most: number): ToolCall {
  if (call.function.arguments.length <= most) return call;
  return { ...call, function: { ...call.function, arguments: '{}' } };
}

function sum(messages: readonly StoredMessage[], weigh: Weigh): number {
  return messages.reduce((total, message) => total + weigh(message), 0);
}
