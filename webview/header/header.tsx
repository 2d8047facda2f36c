import type { VNode } from 'preact';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { IconButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Named } from '../ui/named.js';
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
        title={strings.title(title)}
        aria-haspopup="dialog"
        aria-expanded={sessions.isOpen.value}
        onClick={() => (sessions.isOpen.value ? sessions.close() : sessions.open())}
      >
        <Named words={strings.title(title)} around={strings.switchSession} />
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
  const states = [...new Set(others.map(({ state }) => state))];
  const counts = states.map((state) => others.filter((other) => other.state === state).length);
  const words = states.map((state, at) => strings.sessionsInState(state, counts[at] ?? 0)).join(', ');
  const waiting = others.filter(({ state }) => state !== 'running').length;
  const shown = waiting > 0 ? waiting : others.length;
  // The name holds the number that is seen, which may be a sum of those in it.
  const label = counts.includes(shown) ? words : `${shown}: ${words}`;
  return (
    <button
      type="button"
      class={`activity ${waiting > 0 ? 'needed' : ''}`}
      aria-label={label}
      title={label}
      onClick={() => (sessions.isOpen.value ? sessions.close() : sessions.open())}
    >
      {shown}
    </button>
  );
}
