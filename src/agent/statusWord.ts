import { t } from '@vscode/l10n';

/** How a tool call ended, in a word for people. */
export function statusWord(status: 'ok' | 'error' | 'denied' | 'aborted'): string {
  if (status === 'ok') return t({ message: 'ok', comment: 'how a tool call ended' });
  if (status === 'error') return t({ message: 'error', comment: 'how a tool call ended' });
  if (status === 'denied') return t({ message: 'denied', comment: 'how a tool call ended' });
  return t({ message: 'aborted', comment: 'how a tool call ended' });
}
