import { UNTITLED } from '../protocol/chatTitle.js';
import { reasonOf } from '../platform/reason.js';
import { SessionBusy } from '../session/errors.js';
import type { Conversation } from './conversation.js';
import { laterChanges } from './laterChanges.js';
import type { TurnDeps } from './turn.js';
import { userMessage, type Incoming } from './userMessage.js';

/** Characters of a title made from the first message. */
const MAX_TITLE = 60;

interface Received {
  turnId: string;
  channel: string;
  /** Absent where the newest stored message is to be answered. */
  message: Incoming | undefined;
}

/**
 * Begins a turn on disk: takes the session's lease, closes an interrupted turn, and stores the person's message before anything else happens.
 * Throws `SessionBusy` or the disk's error; the message is not stored then, and has not been shown.
 */
export async function receive(
  conversation: Conversation,
  deps: Pick<TurnDeps, 'context' | 'clock' | 'log' | 'snapshots' | 'folder' | 'workspace'>,
  { turnId, channel, message }: Received,
): Promise<void> {
  const { session } = conversation;
  const lease = await session.acquire();
  if (lease !== 'held') throw new SessionBusy(conversation.key, lease.by);
  const closed = await session.settle();
  // What a failed save left on the page and not on the disk goes as well.
  if (closed.length > 0 || conversation.state.total !== session.articleCount()) await conversation.refresh();
  if (!message) return;
  const later = await laterChanges(conversation.state.messages, deps).catch((cause: unknown) => {
    // What became of former changes is worth telling, and not worth losing the message.
    deps.log.warn(`What was changed since could not be told: ${reasonOf(cause)}`);
    return undefined;
  });
  await conversation.append([await userMessage(deps, message, { turnId, channel, later: later?.text })]);
  await later?.noted().catch((cause: unknown) => {
    deps.log.warn(`What was changed since will be told again: ${reasonOf(cause)}`);
  });
  conversation.announceMessage(message, deps.clock.now());
  await conversation.dequeue([message.id]);
  const isNew = conversation.title() === UNTITLED;
  const choice = conversation.earlyChoice;
  if (isNew || Object.keys(choice).length > 0) {
    const workspace = session.metadata.metadata['workspace'] ?? deps.folder();
    await session
      .setMetadata({ ...(isNew ? { title: titleFrom(message.text), workspace } : {}), ...choice })
      .then(() => {
        conversation.earlyStored();
      })
      .catch((cause: unknown) => {
        // The message is stored, and that is what counts; the next one names the chat.
        deps.log.warn(`The chat ${conversation.key} could not be named: ${String(cause)}`);
      });
  }
  conversation.announceSession();
}

/** The first words of a chat, by which it goes until somebody names it. */
export function titleFrom(text: string): string {
  const line = text.trim().split('\n')[0]?.trim() ?? '';
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
}
