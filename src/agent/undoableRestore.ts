import { t } from '@vscode/l10n';
import type { Session } from '../session/session.js';
import { keptMs } from '../tools/support/snapshotStore.js';
import type { Conversation } from './conversation.js';

/** What can be taken back of a restore; in the session's metadata as `restore`, for as long as the files are kept. */
export interface UndoableRestore {
  /** The turn under which the files were kept as they stood before it; absent where they stayed. */
  undoId?: string | undefined;
  /** The hidden messages as the metadata had them; absent where the conversation stayed. */
  hidden?: { before?: unknown } | undefined;
  /** How many messages there were. */
  stored: number;
  /** Epoch milliseconds. */
  at: number;
}

/** The restore of a session that can still be taken back. */
export function undoableIn(session: Pick<Session, 'metadata'>, now: number): UndoableRestore | undefined {
  const found = session.metadata.metadata['restore'] as Partial<UndoableRestore> | null | undefined;
  if (typeof found !== 'object' || found === null) return undefined;
  const { undoId, hidden, stored, at } = found;
  if (typeof stored !== 'number' || typeof at !== 'number' || now - at > keptMs) return undefined;
  return {
    ...{ stored, at },
    ...(typeof undoId === 'string' ? { undoId } : {}),
    ...(typeof hidden === 'object' ? { hidden } : {}),
  };
}

/** Offers in a conversation that has just been read what can still be taken back: files, and messages as long as nothing was said since. */
export function remindOfRestore(conversation: Conversation, now: number): Conversation {
  const { session } = conversation;
  const found = session.leaseState === 'other' ? undefined : undoableIn(session, now);
  if (found && (found.undoId !== undefined || found.stored === session.messages.length))
    conversation.notice('restore', 'info', t('This chat was restored to before a message. That can still be undone.'), [
      'undoRestore',
    ]);
  return conversation;
}
