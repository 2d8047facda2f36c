import type { VNode } from 'preact';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { IconButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { SessionsPanel } from './sessionsPanel.js';

/** The session's title, which opens the switcher, and what concerns the whole conversation. */
export function Header(): VNode {
  const page = usePage();
  const { sessions, chat, find } = page;
  const { title } = chat.value.session;
  return (
    <header class="header">
      <button
        type="button"
        class="title"
        aria-label={strings.switchSession(title)}
        title={title}
        aria-haspopup="dialog"
        aria-expanded={sessions.isOpen.value}
        onClick={() => (sessions.isOpen.value ? sessions.close() : sessions.open())}
      >
        <span>{title}</span>
        <Icon name="next" />
      </button>
      <IconButton icon="search" label={strings.find} keys="Ctrl+F" onPress={find.open} />
      <IconButton icon="add" label={strings.newChat} onPress={() => page.post({ type: 'newChat' })} />
      {sessions.isOpen.value && <SessionsPanel />}
    </header>
  );
}
