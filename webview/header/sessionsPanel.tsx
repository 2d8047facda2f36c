import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SessionRow } from '../../src/protocol/wire.js';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { Button, IconButton } from '../ui/button.js';
import { TextField } from '../ui/fields.js';

type RowMode = 'shown' | 'renamed' | 'deleted';

/** Switches sessions: type to search, ↑ ↓ and Enter to open, F2 to rename, Delete to delete, Escape to close. */
export function SessionsPanel(): VNode {
  const page = usePage();
  const { sessions } = page;
  const [active, setActive] = useState(0);
  const [mode, setMode] = useState<RowMode>('shown');
  const panel = useRef<HTMLDivElement>(null);
  const rows = sessions.rows.value ?? [];
  const index = Math.min(active, rows.length - 1);
  const row = rows[index];
  useLayoutEffect(() => {
    panel.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [index]);
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
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing || event.keyCode === 229) return;
    const isSearching = (event.target as Element).closest('[data-search]') !== null;
    if (event.key === 'Escape' && mode === 'shown') close();
    else if (event.key === 'Escape') setMode('shown');
    else if (mode !== 'shown') return;
    else if (event.key === 'ArrowDown') setActive(Math.min(index + 1, rows.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(index - 1, 0));
    else if (event.key === 'Enter' && isSearching && row) sessions.openSession(row.key);
    else if (event.key === 'F2' && row) setMode('renamed');
    else if (event.key === 'Delete' && row && sessions.query.value === '') setMode('deleted');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const change = (at: number, next: RowMode) => {
    setActive(at);
    setMode(next);
  };
  return (
    <div class="sessions" role="dialog" aria-label={strings.sessions} ref={panel} onKeyDown={onKey}>
      <div data-search>
        <TextField
          label={strings.searchSessions}
          placeholder={strings.searchSessions}
          value={sessions.query.value}
          onType={sessions.search}
          autofocus
        />
      </div>
      <ul aria-label={strings.sessions}>
        {rows.map((session, at) => (
          <SessionItem
            key={session.key}
            row={session}
            isActive={at === index}
            mode={at === index ? mode : 'shown'}
            onMode={(next) => change(at, next)}
          />
        ))}
      </ul>
      {sessions.rows.value === null && <p class="note">{strings.loading}</p>}
      {sessions.rows.value?.length === 0 && <p class="note">{strings.noSessions}</p>}
    </div>
  );
}

function focusSearch(panel: HTMLElement | null): void {
  panel?.querySelector<HTMLElement>('[data-search] vscode-text-field')?.focus();
}

interface SessionItemProps {
  row: SessionRow;
  isActive: boolean;
  mode: RowMode;
  onMode: (mode: RowMode) => void;
}

function SessionItem({ row, isActive, mode, onMode }: SessionItemProps): VNode {
  const page = usePage();
  const isOpen = page.chat.value.session.key === row.key;
  return (
    <li aria-current={isActive} class={isOpen ? 'open' : ''}>
      {mode === 'renamed' && <Rename row={row} onEnd={() => onMode('shown')} />}
      {mode === 'deleted' && <Delete row={row} onEnd={() => onMode('shown')} />}
      {mode === 'shown' && (
        <>
          <button type="button" class="row" onClick={() => page.sessions.openSession(row.key)}>
            <span>{row.title}</span>
            <small>{row.match ?? describe(row, page.ports.now())}</small>
          </button>
          <IconButton
            icon="edit"
            label={strings.renameSession(row.title)}
            keys="F2"
            onPress={() => onMode('renamed')}
          />
          <IconButton
            icon="trash"
            label={strings.deleteSession(row.title)}
            keys="Delete"
            onPress={() => onMode('deleted')}
          />
        </>
      )}
    </li>
  );
}

function describe(row: SessionRow, now: number): string {
  const state = row.running ? strings.running : row.busy ? strings.busy : '';
  return [strings.ago(now - row.updatedAt), strings.messages(row.messages), state].filter(Boolean).join(' · ');
}

function Rename({ row, onEnd }: { row: SessionRow; onEnd: () => void }): VNode {
  const { sessions } = usePage();
  const [title, setTitle] = useState(row.title);
  const save = () => {
    if (title.trim() !== '' && title.trim() !== row.title) sessions.rename(row.key, title.trim());
    onEnd();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    save();
  };
  return (
    <div class="own">
      <TextField label={strings.rename} value={title} onType={setTitle} onKey={onKey} autofocus select />
      <Button label={strings.rename} appearance="primary" onPress={save} />
    </div>
  );
}

function Delete({ row, onEnd }: { row: SessionRow; onEnd: () => void }): VNode {
  const { sessions } = usePage();
  const remove = () => {
    sessions.remove(row.key);
    // The next session moves into this place, and nobody asked to delete that one.
    onEnd();
  };
  return (
    <div class="confirm" role="alertdialog" aria-label={strings.deleteSession(row.title)}>
      <p>{strings.confirmDelete(row.title)}</p>
      <div class="buttons">
        <Button label={strings.delete} appearance="primary" onPress={remove} />
        <Button label={strings.cancel} onPress={onEnd} />
      </div>
    </div>
  );
}
