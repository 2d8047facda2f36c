import { t } from '@vscode/l10n';
import type { InboundMessage, MessageBus } from '../bus/bus.js';
import type { Notice } from '../protocol/event.js';
import type { ErrorInfo } from '../protocol/message.js';
import type { Conversation } from './conversation.js';

/** Why a message cannot wait for the running turn. */
export function full(): ErrorInfo {
  const message = t('Twenty messages wait already. Remove one, or wait for the turn.');
  return { code: 'full', message, next: [] };
}
/** The same of one that nobody typed: it may not become a part of a turn that a person watches. */
export function busy(): ErrorInfo {
  const message = t('Somebody was at work in the chat of this schedule, so it did not run.');
  return { code: 'busy', message, next: [] };
}

/** The same of one that brings text from outside: that may not join a turn that has begun without it. */
export function running(): ErrorInfo {
  const message = t(
    'A turn runs, and the text that goes with this message cannot wait: send it again when the turn has ended.',
  );
  return { code: 'running', message, next: [] };
}

/** Gives a message back with the reason. One from the queue stays there, so its words are not given back as well. */
export function giveBack(
  conversation: Conversation,
  message: Pick<InboundMessage, 'id' | 'text' | 'sender'> | undefined,
  { message: reason, next }: ErrorInfo,
): void {
  const isQueued = conversation.state.queue.some((entry) => entry.id === message?.id);
  if (message && !isQueued) conversation.emit({ type: 'rejected', ...refused(message, reason) });
  // Who sent it says itself what became of it.
  if (message?.sender) return;
  conversation.notice('rejected', 'warning', reason, next);
}

/** The same where the session cannot even be read. */
export function giveBackUnread(bus: MessageBus, message: InboundMessage, { message: reason, next }: ErrorInfo): void {
  const { sessionKey } = message;
  bus.emit({ sessionKey, event: { type: 'rejected', ...refused(message, reason) } });
  if (message.sender) return;
  const notice: Notice = { id: 'rejected', level: 'warning', text: reason, next };
  bus.emit({ sessionKey, event: { type: 'notice', notice } });
}

function refused({ id, text, sender }: Pick<InboundMessage, 'id' | 'text' | 'sender'>, reason: string) {
  return { id, text, reason, ...(sender ? { sender } : {}) };
}
