import type { StoredMessage } from '../protocol/message.js';
import type { Session } from '../session/session.js';
import { ownWords } from './rawEntry.js';
import type { Item } from './rounds.js';
import { notedUpTo, owedSpans, type Span } from './sessionMarks.js';

/** What is next to be noted: what left the prompt with `/new`, else up to the end of the last finished turn. */
export function owedSpan(session: Session): Span | undefined {
  const [owed] = owedSpans(session);
  if (owed) return owed;
  const { messages } = session;
  const newest = session.interrupted() ? messages.findLastIndex((message) => message.role === 'user') : messages.length;
  const from = notedUpTo(session);
  return from < newest ? [from, newest] : undefined;
}

/** The beginning of a turn whose rest stands in the next span, so that the rest can be understood and sent. */
export function leadOf(before: readonly Item[]): Item[] {
  const start = before.findLastIndex(({ message }) => message.role === 'user');
  return start < 0 ? [] : before.slice(start);
}

/** Words of a person that are more than a command for Nanobot itself. */
export function isSaid(message: StoredMessage): boolean {
  const words = ownWords(message).trim();
  return message.role === 'user' && words !== '' && !/^\/[a-z][\w-]*$/i.test(words);
}
