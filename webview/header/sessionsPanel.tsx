import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { TextField } from '../ui/fields.js';
import { SessionItem, stateOf, type RowMode } from './sessionItem.js';
import { inGroups } from './sessionsState.js';

/** Rows drawn at first, and more each time the end comes near: a thousand would take a moment. */
const ROWS = 60;
/** CSS pixels from the end at which more are drawn. */
const NEAR_END = 200;

/**
 * Switches sessions: type to search, ↑ ↓ and Enter to open, Ctrl+Enter to open in an editor tab, Alt+P to pin, F2 to rename, Delete to delete, Escape to close.
 */
export function SessionsPanel(): VNode {
  const page = usePage();
  const { sessions } = page;
  // By its key, since news move rows; by its place where that row is gone.
  const [active, setActive] = useState<{ key?: string; at: number }>({ at: 0 });
  const [mode, setMode] = useState<RowMode>('shown');
  const [limit, setLimit] = useState(ROWS);
  /** Whether the arrows have chosen the row: the focus stays in the search box, so it is read out. */
  const [isMoved, setMoved] = useState(false);
  const panel = useRef<HTMLDivElement>(null);
  const query = sessions.query.value;
  const listed = inGroups(sessions.rows.value ?? [], query);
  const known = listed.findIndex(({ row }) => row.key === active.key);
  const index = known >= 0 ? known : Math.min(active.at, listed.length - 1);
  const row = listed[index]?.row;
  useLayoutEffect(() => {
    panel.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [row?.key]);
  const wasShown = useRef(true);
  useLayoutEffect(() => {
    // What had the focus is gone; without it the panel would not hear its keys any more.
    if (mode === 'shown' && !wasShown.current) focusSearch(panel.current);
    wasShown.current = mode === 'shown';
  }, [mode]);
  const close = () => {
    sessions.close();
    page.composer.focus();
  };
  const select = (at: number) => {
    const next = Math.max(0, Math.min(at, listed.length - 1));
    const key = listed[next]?.row.key;
    setActive(key === undefined ? { at: next } : { key, at: next });
    if (next >= limit - 1) setLimit(next + ROWS);
  };
  const move = (at: number) => {
    select(at);
    setMoved(true);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing || event.keyCode === 229) return;
    const isSearching = (event.target as Element).closest('[data-search]') !== null;
    if (event.key === 'Escape' && mode === 'shown') close();
    else if (event.key === 'Escape') setMode('shown');
    else if (mode !== 'shown') return;
    else if (event.key === 'ArrowDown') move(index + 1);
    else if (event.key === 'ArrowUp') move(index - 1);
    else if (!row) return;
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) sessions.openInEditor(row.key);
    else if (event.key === 'Enter' && isSearching) sessions.openSession(row.key);
    else if (event.altKey && event.code === 'KeyP') pin(index);
    else if (event.key === 'F2') change(index, 'renamed');
    else if (event.key === 'Delete' && query === '') change(index, 'deleted');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const change = (at: number, next: RowMode) => {
    setMoved(false);
    select(at);
    setMode(next);
  };
  const pin = (at: number) => {
    const pinned = listed[at]?.row;
    if (!pinned) return;
    select(at);
    sessions.pin(pinned.key, !pinned.pinned);
    // The row moves to another group, and what was pressed is not in the document any more.
    focusSearch(panel.current);
  };
  return (
    <div class="sessions" role="dialog" aria-label={strings.sessions} ref={panel} onKeyDown={onKey}>
      <div data-search>
        <TextField
          label={strings.searchSessions}
          placeholder={strings.searchSessions}
          value={query}
          onType={(next) => {
            setActive({ at: 0 });
            setMoved(false);
            setLimit(ROWS);
            sessions.search(next);
          }}
          autofocus
        />
      </div>
      <ul
        aria-label={strings.sessions}
        aria-busy={sessions.isSearching.value}
        onScroll={({ currentTarget: list }) => {
          if (list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_END && limit < listed.length)
            setLimit(limit + ROWS);
        }}
      >
        {listed.slice(0, limit).map(({ row: session, heading }, at) => [
          heading && (
            <li key={heading} class="group" role="presentation">
              {strings.sessionGroups[heading]}
            </li>
          ),
          <SessionItem
            key={session.key}
            row={session}
            isActive={at === index}
            mode={at === index ? mode : 'shown'}
            onMode={(next) => change(at, next)}
            onPin={() => pin(at)}
          />,
        ])}
      </ul>
      {sessions.rows.value === null && <p class="note">{strings.loading}</p>}
      {sessions.rows.value?.length === 0 && (
        <p class="note">{sessions.isSearching.value ? strings.searchingTexts : strings.noSessions}</p>
      )}
      <div class="sr-only" role="status">
        {isMoved && row ? spokenRow(strings.title(row.title), stateOf(row, sessions.active.value)) : ''}
      </div>
    </div>
  );
}

function spokenRow(title: string, state: keyof typeof strings.sessionStates | undefined): string {
  return state ? `${title}, ${strings.sessionStates[state]}` : title;
}

function focusSearch(panel: HTMLElement | null): void {
  panel?.querySelector<HTMLElement>('[data-search] vscode-text-field')?.focus();
}
