import { t } from '@vscode/l10n';
import { reasonOf } from '../../platform/reason.js';
import { emptyState, type ChatState } from '../../protocol/chatState.js';
import type { Notice } from '../../protocol/event.js';

/** What is shown of a chat whose file cannot be read: why, and what leads on. */
export function unreadable(key: string, cause: unknown): { state: ChatState } {
  const reason = reasonOf(cause);
  const text = t('This chat could not be read: {0}', reason);
  const notice: Notice = { id: 'unreadable', level: 'error', text, next: ['newChat', 'openLog'] };
  return { state: { ...emptyState(key, t('Unreadable chat')), notices: [notice] } };
}
