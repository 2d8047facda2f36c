import type { VNode } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Approvals } from './cards/approval.js';
import { Notices, Progress, StateBars } from './cards/notices.js';
import { Questions } from './cards/question.js';
import { Restore } from './cards/restore.js';
import { Todo } from './cards/todo.js';
import { Composer } from './composer/composer.js';
import { ContextPanel } from './composer/contextPanel.js';
import { DropZone } from './composer/dropZone.js';
import { Queue } from './composer/queue.js';
import { Dialogs } from './dialogs/dialogs.js';
import { FindBar } from './find/findBar.js';
import { Header } from './header/header.js';
import { PageContext, usePage, type PageTools } from './pageContext.js';
import type { Page } from './state.js';
import { Transcript } from './transcript/transcript.js';

/** The chat page: header, conversation, what waits for the person, composer. */
export function App({ tools }: { tools: PageTools }): VNode {
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => onPageKey(tools.page, event);
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [tools]);
  return (
    <PageContext.Provider value={tools}>
      <Header />
      <FindBar />
      <Transcript />
      <div class="dock">
        <Notices />
        <StateBars />
        <Todo />
        <Questions />
        <Restore />
        <Approvals />
        <Queue />
        <Progress />
      </div>
      <ContextPanel />
      <Composer />
      <DropZone />
      <Dialogs />
      <Announcements />
    </PageContext.Provider>
  );
}

function Announcements(): VNode {
  return (
    <div class="sr-only" role="status" aria-live="polite">
      {usePage().announcement.value}
    </div>
  );
}

/** Ctrl+F finds; Alt+A goes to the buttons of the approval that waits; ? shows the keys, where nothing is written. */
function onPageKey(page: Page, event: KeyboardEvent): void {
  if (event.isComposing || event.keyCode === 229 || page.dialog.value !== null) return;
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'f') {
    event.preventDefault();
    page.find.open();
    // A bar that is open already takes the focus back.
    document.querySelector<HTMLElement>('.find vscode-text-field')?.focus();
  }
  const target = event.composedPath()[0];
  const isWriting = target instanceof Element && target.matches('input, textarea');
  if (event.key === '?' && !isWriting) {
    event.preventDefault();
    page.dialog.value = 'keys';
  }
  if (event.altKey && !event.ctrlKey && !event.metaKey && event.code === 'KeyA') {
    const first = document.querySelector<HTMLElement>('.approval vscode-button, .approval input');
    if (!first) return;
    event.preventDefault();
    first.focus();
  }
}
