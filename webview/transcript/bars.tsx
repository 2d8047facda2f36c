import { isClosed } from '../../src/protocol/chatState.js';
import { render, type VNode } from 'preact';
import type { Page } from '../state.js';
import { strings } from '../strings.js';
import { IconButton } from '../ui/button.js';
import { CodeBar } from './codeBar.js';
import { CopyButton } from './copyButton.js';
import { plainText } from './message.js';

/** Puts the buttons of messages and code blocks into the one that is pointed at or focused, so that the others stay light. */
export interface Bars {
  show(target: Element): void;
  hide(): void;
}

export function createBars(page: Page): Bars {
  const messageBar = createHost('bar', strings.messageActions);
  const codeBar = createHost('code-bar', strings.codeActions);
  return {
    show: (target) => {
      const article = target.closest<HTMLElement>('article[data-message-id]');
      const id = article?.dataset['messageId'] ?? '';
      place(messageBar, article, () => <MessageBar page={page} id={id} />);
      const figure = target.closest<HTMLElement>('figure.code');
      place(codeBar, figure, () => figure && <CodeBar page={page} figure={figure} />);
    },
    hide: () => {
      place(messageBar, null, () => null);
      place(codeBar, null, () => null);
    },
  };
}

function createHost(className: string, label: string): HTMLElement {
  const host = document.createElement('div');
  host.className = className;
  host.setAttribute('role', 'toolbar');
  host.setAttribute('aria-label', label);
  return host;
}

function place(host: HTMLElement, parent: HTMLElement | null, draw: () => VNode | null): void {
  if (host.parentElement === parent) return;
  // A mouse that passes by must not take the buttons from under the keyboard.
  if (host.querySelector(':focus-visible') && !parent?.contains(document.activeElement)) return;
  host.remove();
  // The buttons keep what they say from one place to the next unless they are drawn anew.
  render(null, host);
  if (!parent) return;
  render(draw(), host);
  parent.append(host);
}

function MessageBar({ page, id }: { page: Page; id: string }): VNode | null {
  const { turn, session, messages } = page.chat.value;
  const message = messages.find((candidate) => candidate.id === id);
  if (!message || page.editing.value === id) return null;
  const mayChange = turn === null && !isClosed(session);
  const facts = message.turn ? strings.turnFacts(message.turn) : '';
  return (
    <>
      {facts !== '' && <span>{facts}</span>}
      {mayChange && message.role === 'assistant' && (
        <IconButton icon="retry" label={strings.retry} onPress={() => page.post({ type: 'retry', messageId: id })} />
      )}
      {mayChange && message.role === 'user' && !message.sender && (
        <>
          <IconButton icon="edit" label={strings.editAndResend} onPress={() => startEdit(page, id)} />
          <IconButton
            icon="restore"
            label={strings.restoreTo}
            onPress={() => page.post({ type: 'planRestore', messageId: id, for: 'restore' })}
          />
        </>
      )}
      {!isClosed(session) && (
        <IconButton icon="fork" label={strings.fork} onPress={() => page.post({ type: 'fork', messageId: id })} />
      )}
      <CopyButton page={page} text={() => plainText(message.parts)} />
    </>
  );
}

/** The editor offers to put files back, so it has to be known which. */
function startEdit(page: Page, id: string): void {
  page.editing.value = id;
  page.post({ type: 'planRestore', messageId: id, for: 'edit' });
}
