/** A row is the keys, with ` / ` between those that do the same or belong together, and what they do. */
export const KEY_GROUPS: { title: string; keys: [names: string, what: string][] }[] = [
  {
    title: 'Writing',
    keys: [
      ['Enter', 'Send; while a turn runs: add to it'],
      ['Shift+Enter', 'New line'],
      ['Escape', 'Stop the turn'],
      ['↑ / ↓', 'In an empty box: former messages'],
      ['@', 'Add context: files, symbols, problems, chats, …'],
      ['Alt+S', 'Add what is selected in the editor'],
      ['Backspace', 'In an empty box: to the last attachment, again: remove it'],
      ['/', 'Commands and skills'],
      ['Tab / Enter', 'Take the suggestion'],
      ['?', 'In an empty box: this list'],
    ],
  },
  {
    title: 'Reading',
    keys: [
      ['↑ / ↓', 'From message to message'],
      ['Tab', 'To links, code blocks and their buttons'],
      ['Ctrl+F', 'Find in the conversation'],
      ['Enter / Shift+Enter', 'In find: previous and next match'],
    ],
  },
  {
    title: 'What waits',
    keys: [
      ['Alt+A', 'To the buttons of an approval'],
      ['Alt+↑ / Alt+↓', 'Move a queued message'],
    ],
  },
  {
    title: 'Sessions',
    keys: [
      ['↑ / ↓', 'Choose'],
      ['Enter', 'Open'],
      ['F2', 'Rename'],
      ['Ctrl+Enter', 'Open in an editor tab'],
      ['Alt+P', 'Pin'],
      ['Delete', 'Delete'],
    ],
  },
  {
    title: 'In VS Code',
    keys: [
      ['Ctrl+Alt+N', 'Open the chat'],
      ['Ctrl+Alt+Y', 'Keep or apply the change that is shown'],
      ['Ctrl+Alt+U', 'Undo or discard the change that is shown'],
      ['Ctrl+Alt+J', 'To the next change'],
      ['Ctrl+Alt+K', 'To the previous change'],
      ['Ctrl+Enter', 'Apply a code block that is shown as a change'],
    ],
  },
];
