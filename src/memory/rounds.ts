import { textOf, type StoredMessage } from '../protocol/message.js';
import { isHidden, rangesOf } from '../session/hidden.js';
import type { Session } from '../session/session.js';
import type { Span } from './sessionMarks.js';

/** Messages that one round takes in at most; a single turn that is longer is taken whole all the same. */
const MAX_ROUND = 60;

/** A message of the conversation with its place in the file. */
export interface Item {
  index: number;
  message: StoredMessage;
  /** Estimated. */
  tokens: number;
}

type Weigh = (message: StoredMessage) => number;

/**
 * The messages of a span that the model may be shown, with their weight: no hidden ones, no failures without words. One after the other, so that
 * of a long conversation only those are weighed that matter.
 */
export function* itemsOf(session: Session, [from, to]: Span, weigh: Weigh): Generator<Item> {
  const isShown = shownIn(session);
  for (let index = from; index < Math.min(to, session.messages.length); index++) {
    const message = session.messages[index];
    if (message && isShown(message, index)) yield { index, message, tokens: weigh(message) };
  }
}

/**
 * From the newest message back, as many as weigh no more than `room` together: the index of the first of them, and what they weigh. All messages of
 * the prompt where they fit.
 */
export function newestThatFit(session: Session, room: number, weigh: Weigh): { from: number; tokens: number } {
  const isShown = shownIn(session);
  const { last_consolidated } = session.metadata;
  let tokens = 0;
  for (let index = session.messages.length - 1; index >= last_consolidated; index--) {
    const message = session.messages[index];
    if (!message || !isShown(message, index)) continue;
    const more = weigh(message);
    if (tokens + more > room) return { from: index + 1, tokens };
    tokens += more;
  }
  return { from: last_consolidated, tokens };
}

export interface RoundLimits {
  /** The index up to which messages should leave the prompt. */
  until: number;
  /** Tokens that one request can carry. */
  room: number;
  /** A message index at which the round should end if it can: what lies before it has been noted. */
  stopAt?: number;
}

/**
 * What one round takes: the oldest whole turns up to the wanted index, at most 60 messages and what a request can carry. A cut stands only before a
 * message of a person, so calls and results stay together and the newest turn stays. One turn that is over the limits alone is taken whole.
 * `end` is the index of the cut; undefined where there is no place to cut.
 */
export function cutAt(
  items: Iterable<Item>,
  { until, room, stopAt }: RoundLimits,
): { items: Item[]; end: number } | undefined {
  const taken: Item[] = [];
  let best: { count: number; end: number } | undefined;
  let tokens = 0;
  for (const item of items) {
    if (taken.length > 0 && item.message.role === 'user') {
      if (best && (taken.length > MAX_ROUND || tokens > room)) break;
      best = { count: taken.length, end: item.index };
      if (item.index >= until || (stopAt !== undefined && item.index >= stopAt)) break;
    }
    // Nothing more can be taken with what is there: the next place to cut would be beyond the limits.
    if (best && (taken.length >= MAX_ROUND || tokens > room)) break;
    taken.push(item);
    tokens += item.tokens;
  }
  return best && { items: taken.slice(0, best.count), end: best.end };
}

/** As `cutAt`, where nothing has to stay: all items if one round can take them. `end` is then undefined. `items` begins anew at each call. */
export function cutOrAll(items: () => Iterable<Item>, room: number): { items: Item[]; end?: number } {
  const all: Item[] = [];
  let tokens = 0;
  for (const item of items()) {
    tokens += item.tokens;
    all.push(item);
    if (all.length > MAX_ROUND || tokens > room)
      return cutAt(items(), { until: Infinity, room }) ?? { items: [...items()] };
  }
  return { items: all };
}

function shownIn(session: Session): (message: StoredMessage, index: number) => boolean {
  const hidden = rangesOf(session.metadata.metadata);
  return (message, index) => !isHidden(hidden, index) && !isForPeopleOnly(message);
}

/** A failure without words is shown to people and never sent to a model. */
function isForPeopleOnly({ role, status, content, tool_calls }: StoredMessage): boolean {
  return role === 'assistant' && status === 'error' && textOf(content) === '' && !tool_calls?.length;
}
