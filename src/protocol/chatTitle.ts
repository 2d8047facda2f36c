import { t } from '@vscode/l10n';

/** The title of a chat that has none yet, as it is stored and sent. */
export const UNTITLED = 'New chat';

/** A title as people see it. */
export function shownTitle(title: string): string {
  return title === UNTITLED ? t({ message: 'New chat', comment: 'title of a chat' }) : title;
}
