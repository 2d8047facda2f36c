import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { CompactionCard } from '../cards/compaction.js';
import { clearHighlight, highlight } from '../find/highlight.js';
import { usePage } from '../pageContext.js';
import type { ChatMessage, ChatState } from '../../src/protocol/chatState.js';
import type { Compaction } from '../../src/protocol/event.js';
import type { PendingPrompt } from '../pending.js';
import type { Page, ScrollTarget } from '../state.js';
import { strings } from '../strings.js';
import { Icon } from '../ui/icon.js';
import { reachesEnd } from '../window.js';
import { createBars, type Bars } from './bars.js';
import { EmptyState } from './emptyState.js';
import { follow } from './links.js';
import { Message } from './message.js';
import { Scroller, type Anchor } from './scroller.js';

/** The conversation: a window of its messages, then what was sent and is not confirmed yet. */
export function Transcript(): VNode {
  const page = usePage();
  const chat = page.chat.value;
  const log = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [tools, setTools] = useState<{ scroller: Scroller; bars: Bars } | null>(null);
  useLayoutEffect(() => {
    if (!log.current || !content.current) return;
    const scroller = new Scroller(log.current, content.current, scrollerOptions(page));
    setTools({ scroller, bars: createBars(page) });
    return () => scroller.dispose();
  }, []);
  useKeptPlace(page, tools?.scroller);

  // While a turn runs, what is sent waits over the composer.
  const pending = chat.turn ? [] : page.pending.value;
  const isEmpty = chat.messages.length === 0 && pending.length === 0 && page.setup.value !== null;
  const { compaction } = chat;
  const place = compaction && placeOf(compaction, chat);
  return (
    <main>
      <div
        class="transcript"
        role="log"
        aria-label={strings.conversation}
        aria-live="off"
        tabIndex={0}
        ref={log}
        onScroll={() => tools?.scroller.onScroll()}
        onMouseOver={(event) => tools?.bars.show(event.target as Element)}
        onMouseLeave={() => tools?.bars.hide()}
        onFocusIn={(event) => tools?.bars.show(event.target as Element)}
        onClick={(event) => onClick(page, event)}
        onKeyDown={(event) => onKey(page, event)}
      >
        <div class="content" ref={content}>
          {chat.first > 0 && (
            <button type="button" class="link note" onClick={() => page.loadMore('older')}>
              {strings.earlier}
            </button>
          )}
          {isEmpty && <EmptyState />}
          {chat.messages.flatMap((message) => {
            const shown = <Message key={message.id} message={message} isPending={false} />;
            if (!compaction || message.id !== place) return [shown];
            return [shown, <CompactionCard key={compaction.id} compaction={compaction} />];
          })}
          {pending.map((prompt) => (
            <Message key={prompt.id} message={asMessage(prompt)} isPending />
          ))}
        </div>
      </div>
      {tools && <JumpToEnd scroller={tools.scroller} onPress={page.goToEnd} />}
    </main>
  );
}

/** The message the card stands behind: the newest when it began; while it runs it is shown at the end where that one is out of sight. */
function placeOf({ after, status }: Compaction, chat: ChatState): string | undefined {
  const isLoaded = chat.messages.some((message) => message.id === after);
  return isLoaded || status === 'done' ? after : chat.messages.at(-1)?.id;
}

function asMessage({ id, text, attachments }: PendingPrompt): ChatMessage {
  const parts = [{ kind: 'text' as const, text }];
  return { id, role: 'user', status: 'done', parts, at: 0, ...(attachments.length > 0 ? { attachments } : {}) };
}

function JumpToEnd({ scroller, onPress }: { scroller: Scroller; onPress: () => void }): VNode | null {
  if (scroller.isAtEnd.value) return null;
  return (
    <button type="button" class="jump" aria-label={strings.jumpToEnd} title={strings.jumpToEnd} onClick={onPress}>
      <Icon name="down" />
    </button>
  );
}

function scrollerOptions(page: Page) {
  return {
    loadMore: page.loadMore,
    reachesEnd: () => reachesEnd(page.chat.peek()),
    after: page.ports.after,
    save: (anchor: Anchor | null) => {
      const { key } = page.chat.peek().session;
      page.composer.scroll.value = anchor
        ? { sessionKey: key, messageId: anchor.id, offset: anchor.offset }
        : undefined;
    },
  };
}

/** Keeps the reader's place when messages come or go above it, restores a saved one, and goes where the page asks. */
function useKeptPlace(page: Page, scroller: Scroller | undefined): void {
  const chat = page.chat.value;
  const target = page.scrollTarget.value;
  const isFinding = page.find.isOpen.value;
  const seen = useRef<{ first: number; key: string | null; target: ScrollTarget | null }>({
    first: 0,
    key: null,
    target: null,
  });
  // The nodes are still the former ones here: this is the last moment to see where the reader is.
  const moved = seen.current.first !== chat.first && scroller?.isAtEnd.peek() === false;
  const anchor = moved ? scroller?.capture() : null;
  useLayoutEffect(() => {
    if (!scroller) return;
    const { key } = chat.session;
    if (seen.current.key !== key && chat.messages.length > 0) openAt(page, scroller, key);
    else if (anchor) scroller.restore(anchor);
    seen.current.first = chat.first;
    if (chat.messages.length > 0) seen.current.key = key;
    if (target && seen.current.target !== target && goTo(scroller, target)) seen.current.target = target;
  });
  useLayoutEffect(() => {
    if (!isFinding) clearHighlight();
  }, [isFinding]);
}

/** Another session is shown at its end; the same one after a reload where it was left. */
function openAt(page: Page, scroller: Scroller, key: string): void {
  const saved = page.composer.scroll.peek();
  if (saved?.sessionKey !== key || !scroller.find(saved.messageId)) return scroller.toEnd();
  scroller.leaveEnd();
  scroller.restore(saved);
}

/** False while the message is not in the page yet. */
function goTo(scroller: Scroller, target: ScrollTarget): boolean {
  if (target.to === 'end') {
    scroller.toEnd();
    return true;
  }
  const article = scroller.find(target.id);
  if (!article) return false;
  scroller.leaveEnd();
  const range = target.mark === undefined ? null : highlight(article, target.mark);
  (range?.startContainer.parentElement ?? article).scrollIntoView({ block: 'center' });
  return true;
}

function onClick(page: Page, event: MouseEvent): void {
  // A click that ends a selection is none on the link under it.
  if (!(event.target instanceof Element) || getSelection()?.isCollapsed === false) return;
  if (!follow(page, event.target)) return;
  event.preventDefault();
  event.stopPropagation();
}

function onKey(page: Page, event: KeyboardEvent): void {
  if (!(event.target instanceof HTMLElement)) return;
  if (event.key === 'Enter' && event.target.getAttribute('role') === 'link') follow(page, event.target);
  const isUp = event.key === 'ArrowUp';
  if (!isUp && event.key !== 'ArrowDown') return;
  if (!event.target.matches('article, [role="log"]')) return;
  const articles = Array.from(document.querySelectorAll<HTMLElement>('[role="log"] article'));
  const index = articles.indexOf(event.target);
  const next = index < 0 ? articles.length - 1 : index + (isUp ? -1 : 1);
  const article = articles[next];
  if (!article) return;
  event.preventDefault();
  article.focus();
}
