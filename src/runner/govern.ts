import type { StoredMessage, ToolCall } from '../protocol/message.js';

/** Text of a result that is missing because the process ended while the call ran. */
export const INTERRUPTED_RESULT = 'Error: interrupted before this finished; its effect is unknown';

/** Characters of a tool result that a request carries at most; longer ones were spilled to a file before, this is the last guard. */
const MAX_RESULT = 20_000;

/**
 * Makes a stored transcript legal to send, on a copy: malformed calls and results without a call are dropped, missing results filled, results
 * put in the order of their calls and directly behind them, messages that are for people only left out. The stored transcript is never
 * touched. The same input always gives the same output, so the request's prefix stays the same from turn to turn.
 */
export function govern(messages: readonly StoredMessage[]): StoredMessage[] {
  const results = indexResults(messages);
  const used = new Set<string>();
  const governed: StoredMessage[] = [];
  messages.forEach((message, index) => {
    if (message.role === 'user') governed.push(message);
    if (message.role !== 'assistant') return;
    const calls = distinct((message.tool_calls ?? []).filter(isCall));
    if (calls.length === 0 && isEmpty(message.content)) return;
    const renamed = calls.map((call) => ({ call, id: uniqueId(call.id, used) }));
    governed.push(
      withCalls(
        message,
        renamed.map(({ call, id }) => (call.id === id ? call : { ...call, id })),
      ),
    );
    for (const { call, id } of renamed)
      governed.push(resultFor(call, id, takeResult(results, call.id, index), message));
  });
  return governed;
}

type Results = Map<string, { index: number; message: StoredMessage }[]>;

function indexResults(messages: readonly StoredMessage[]): Results {
  const results: Results = new Map();
  messages.forEach((message, index) => {
    if (message.role !== 'tool' || !message.tool_call_id) return;
    const list = results.get(message.tool_call_id) ?? [];
    list.push({ index, message });
    results.set(message.tool_call_id, list);
  });
  return results;
}

/** The first result behind the call that no earlier call has taken: some models use the same id again in every turn. */
function takeResult(results: Results, id: string, after: number): StoredMessage | undefined {
  const list = results.get(id);
  const at = list?.findIndex((entry) => entry.index > after) ?? -1;
  return at < 0 ? undefined : list?.splice(at, 1)[0]?.message;
}

function distinct(calls: ToolCall[]): ToolCall[] {
  return calls.filter((call, index) => calls.findIndex((other) => other.id === call.id) === index);
}

function uniqueId(id: string, used: Set<string>): string {
  let unique = id;
  for (let n = 2; used.has(unique); n++) unique = `${id}_${String(n)}`;
  used.add(unique);
  return unique;
}

function isCall(call: unknown): call is ToolCall {
  if (typeof call !== 'object' || call === null) return false;
  const { id, function: named } = call as Partial<ToolCall>;
  return typeof id === 'string' && id !== '' && typeof named?.name === 'string' && named.name !== '';
}

function isEmpty(content: StoredMessage['content'] | undefined): boolean {
  if (content === null || content === undefined) return true;
  return typeof content === 'string' ? content.trim() === '' : content.length === 0;
}

function withCalls(message: StoredMessage, calls: ToolCall[]): StoredMessage {
  const former = message.tool_calls ?? [];
  if (former.length === calls.length && calls.every((call, index) => call === former[index])) return message;
  const { tool_calls: _former, ...rest } = message;
  return calls.length === 0 ? rest : { ...rest, tool_calls: calls };
}

function resultFor(call: ToolCall, id: string, found: StoredMessage | undefined, parent: StoredMessage): StoredMessage {
  if (!found) {
    return {
      role: 'tool',
      tool_call_id: id,
      name: call.function.name,
      content: INTERRUPTED_RESULT,
      timestamp: parent.timestamp,
    };
  }
  const named = found.tool_call_id === id ? found : { ...found, tool_call_id: id };
  if (typeof found.content !== 'string' || found.content.length <= MAX_RESULT) return named;
  const cut = found.content.length - MAX_RESULT;
  return { ...named, content: `${found.content.slice(0, MAX_RESULT)}\n… ${String(cut)} more characters left out` };
}

/**
 * The messages from a cut on, so that a long conversation costs a request no more than what is sent of it. A cut always stands at a person's
 * message: no call before it has its result behind it. A cut whose message is gone begins at the start.
 */
export function fromCut(messages: readonly StoredMessage[], { from }: WindowCut): readonly StoredMessage[] {
  if (from === undefined) return messages;
  const start = messages.findLastIndex((message) => message.id === from);
  return start > 0 ? messages.slice(start) : messages;
}

/** Stands for a result that was left out of a request because its turn alone is longer than the window. */
export const LEFT_OUT = '(this result was left out to fit the window; call again if it is needed)';

/** Where a conversation was cut to fit the window, kept by the caller between requests so that the prefix does not slide with each message. */
export interface WindowCut {
  /** Id of the first message that is sent; undefined sends all. */
  from?: string;
  /** Id of the message up to which results are left out, where one turn alone is too long. */
  leftOut?: string;
}

type Estimate = (message: StoredMessage) => number;

/**
 * Leaves out the oldest whole turns when the messages exceed `budget` tokens, down to half of it, always beginning at a person's message. Of the
 * newest turn all messages are kept; where it alone exceeds the budget its oldest results are left out, those of its last answer never. Returns
 * the messages to send and the cut to pass next time.
 */
export function fitWindow(
  messages: StoredMessage[],
  budget: number,
  cut: WindowCut,
  estimate: Estimate,
): { messages: StoredMessage[]; cut: WindowCut } {
  const start = Math.max(0, indexOf(messages, cut.from));
  const kept = withoutResults(messages.slice(start), cut.leftOut);
  if (sum(kept, estimate) <= budget) return { messages: kept, cut };
  const turn = fromUser(kept, budget / 2, estimate);
  const from = turn[0]?.id === undefined ? {} : { from: turn[0].id };
  const more = sum(turn, estimate) > budget ? lastToLeaveOut(turn, budget / 2, estimate) : undefined;
  const leftOut = more ?? cut.leftOut;
  const next = { ...from, ...(leftOut === undefined ? {} : { leftOut }) };
  return { messages: withoutResults(turn, leftOut), cut: next };
}

/** From the first person's message on from which the rest fits, else from the newest one. */
function fromUser(messages: StoredMessage[], budget: number, estimate: Estimate): StoredMessage[] {
  let total = sum(messages, estimate);
  let from = 0;
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user' && index > 0) {
      from = index;
      if (total <= budget) break;
    }
    total -= estimate(message);
  }
  return messages.slice(from);
}

function withoutResults(messages: StoredMessage[], upTo: string | undefined): StoredMessage[] {
  const end = indexOf(messages, upTo);
  if (end < 0) return messages;
  return messages.map((message, index) =>
    index <= end && isLong(message) ? { ...message, content: LEFT_OUT } : message,
  );
}

function lastToLeaveOut(messages: StoredMessage[], budget: number, estimate: Estimate): string | undefined {
  const end = messages.findLastIndex((message) => message.role === 'assistant');
  let total = sum(messages, estimate);
  let last: string | undefined;
  for (const message of messages.slice(0, Math.max(0, end))) {
    if (total <= budget) break;
    if (!isLong(message)) continue;
    total -= estimate(message) - estimate({ ...message, content: LEFT_OUT });
    last = message.id ?? last;
  }
  return last;
}

function isLong({ role, content }: StoredMessage): boolean {
  return role === 'tool' && (typeof content !== 'string' || content.length > LEFT_OUT.length);
}

function indexOf(messages: StoredMessage[], id: string | undefined): number {
  return id === undefined ? -1 : messages.findIndex((message) => message.id === id);
}

function sum(messages: StoredMessage[], estimate: Estimate): number {
  return messages.reduce((total, message) => total + estimate(message), 0);
}
