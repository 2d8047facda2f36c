import { t } from './l10n.js';

/** A row is the keys, with ` / ` between those that do the same or belong together, and what they do. */
export const KEY_GROUPS: { title: string; keys: [names: string, what: string][] }[] = [
  {
    title: t('Writing'),
    keys: [
      ['Enter', t('Send; while a turn runs: add to it')],
      ['Shift+Enter', t('New line')],
      ['Escape', t('Stop the turn')],
      ['↑ / ↓', t('In an empty box: former messages')],
      ['@', t('Add context: files, symbols, problems, chats, …')],
      ['Alt+S', t('Add what is selected in the editor')],
      ['Backspace', t('In an empty box: to the last attachment, again: remove it')],
      ['/', t('Commands and skills')],
      ['Tab / Enter', t('Take the suggestion')],
      ['?', t('In an empty box: this list')],
    ],
  },
  {
    title: t('Reading'),
    keys: [
      ['↑ / ↓', t('From message to message')],
      ['Tab', t('To links, code blocks and their buttons')],
      ['Ctrl+F', t('Find in the conversation')],
      ['Enter / Shift+Enter', t('In find: previous and next match')],
    ],
  },
  {
    title: t('What waits'),
    keys: [
      ['Alt+A', t('To the buttons of an approval')],
      ['Alt+↑ / Alt+↓', t('Move a queued message')],
    ],
  },
  {
    title: t('Sessions'),
    keys: [
      ['↑ / ↓', t('Choose')],
      ['Enter', t('Open')],
      ['F2', t('Rename')],
      ['Ctrl+Enter', t('Open in an editor tab')],
      ['Alt+P', t('Pin')],
      ['Delete', t('Delete')],
    ],
  },
  {
    title: t('In VS Code'),
    keys: [
      ['Ctrl+Alt+N', t('Open the chat')],
      ['Ctrl+Alt+Y', t('Keep or apply the change that is shown')],
      ['Ctrl+Alt+U', t('Undo or discard the change that is shown')],
      ['Ctrl+Alt+J', t('To the next change')],
      ['Ctrl+Alt+K', t('To the previous change')],
      ['Ctrl+Enter', t('Apply a code block that is shown as a change')],
    ],
  },
];
