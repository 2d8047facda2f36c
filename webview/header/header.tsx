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
      <Activity />
      <IconButton icon="search" label={strings.find} keys="Ctrl+F" onPress={find.open} />
      <IconButton icon="add" label={strings.newChat} onPress={() => page.post({ type: 'newChat' })} />
      {sessions.isOpen.value && <SessionsPanel />}
    </header>
  );
}

/** What is going on in other sessions; opens the switcher. */
function Activity(): VNode | null {
  const { sessions, chat } = usePage();
  const others = sessions.active.value.filter(({ key }) => key !== chat.value.session.key);
  if (others.length === 0) return null;
  const label = [...new Set(others.map(({ state }) => state))]
    .map((state) => strings.sessionsInState(state, others.filter((other) => other.state === state).length))
    .join(', ');
  const waiting = others.filter(({ state }) => state !== 'running').length;
  return (
    <button
      type="button"
      class={`activity ${waiting > 0 ? 'needed' : ''}`}
      aria-label={label}
      title={label}
      onClick={() => (sessions.isOpen.value ? sessions.close() : sessions.open())}
    >
      {waiting > 0 ? waiting : others.length}
    </button>
  );
}
