import type { QueuedMessage } from '../protocol/event.js';
import { SessionBusy } from '../session/errors.js';
import type { Conversation } from './conversation.js';
import type { TurnDeps } from './turn.js';
import { userMessage } from './userMessage.js';

/** Characters of a title made from the first message. */
const MAX_TITLE = 60;

interface Received {
  turnId: string;
  channel: string;
  /** Absent where the newest stored message is to be answered. */
  message: (Omit<QueuedMessage, 'armed'> & { quoted?: string }) | undefined;
}

/**
 * Begins a turn on disk: takes the session's lease, closes an interrupted turn, and stores the person's message before anything else happens.
 * Throws `SessionBusy` or the disk's error; the message is not stored then, and has not been shown.
 */
export async function receive(
  conversation: Conversation,
  deps: Pick<TurnDeps, 'context' | 'clock' | 'log'>,
  { turnId, channel, message }: Received,
): Promise<void> {
  const { session } = conversation;
  const lease = await session.acquire();
  if (lease !== 'held') throw new SessionBusy(conversation.key, lease.by);
  const closed = await session.settle();
  // What a failed save left on the page and not on the disk goes as well.
  if (closed.length > 0 || conversation.state.total !== session.articleCount()) await conversation.refresh();
  if (!message) return;
  const { id, text, attachments, quoted } = message;
  await conversation.append([await userMessage(deps, { id, text, attachments, turnId, channel, quoted })]);
  conversation.emit({ type: 'user_message', id, text, attachments, at: deps.clock.now() });
  await conversation.dequeue([id]);
  if (conversation.title() === 'New chat') {
    await session.setMetadata({ title: titleFrom(text) }).catch((cause: unknown) => {
      // The message is stored, and that is what counts; the next one names the chat.
      deps.log.warn(`The chat ${conversation.key} could not be named: ${String(cause)}`);
    });
  }
  conversation.announceSession();
}

function titleFrom(text: string): string {
  const line = text.trim().split('\n')[0]?.trim() ?? '';
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
}
