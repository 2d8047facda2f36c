import type { Clock } from '../platform/ports.js';
import type { Attachment, StoredMessage } from '../protocol/message.js';
import type { ContextBuilder } from './context.js';

/** A person's message as it is stored: their words and attachments, and apart from them the runtime context with what they had a server write. */
export async function userMessage(
  deps: { context: Pick<ContextBuilder, 'userContent' | 'messageContext'>; clock: Clock },
  message: {
    id: string;
    text: string;
    attachments: Attachment[];
    turnId: string;
    channel: string;
    /** Text from outside that goes with it: the turn counts as one that has read such text. */
    quoted?: string | undefined;
  },
): Promise<StoredMessage> {
  const { id, text, attachments, turnId, channel, quoted } = message;
  const context = await deps.context.messageContext(channel, text);
  return {
    role: 'user',
    content: await deps.context.userContent(text, attachments),
    timestamp: new Date(deps.clock.now()).toISOString(),
    id,
    turn_id: turnId,
    runtime_context: quoted === undefined ? context : `${quoted}\n\n${context}`,
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(quoted === undefined ? {} : { untrusted: true }),
  };
}
