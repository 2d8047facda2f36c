import { signal, type ReadonlySignal } from '@preact/signals';
import type { ActiveSession, HostMessage, SessionRow } from '../../src/protocol/wire.js';
import type { PagePorts } from '../ports.js';

/** Milliseconds of rest after a key before the sessions are searched. */
const TYPING_MS = 120;

/** The panel that switches, pins, renames and deletes sessions. */
export interface SessionsState {
  isOpen: ReadonlySignal<boolean>;
  query: ReadonlySignal<string>;
  /** Null until the first list is there. */
  rows: ReadonlySignal<SessionRow[] | null>;
  /** Texts are still looked through. */
  isSearching: ReadonlySignal<boolean>;
  /** In which sessions something runs, waits or has ended, those that need the person first. */
  active: ReadonlySignal<ActiveSession[]>;
  open(): void;
  close(): void;
  search(query: string): void;
  openSession(key: string): void;
  openInEditor(key: string): void;
  rename(key: string, title: string): void;
  pin(key: string, pinned: boolean): void;
  remove(key: string): void;
  listed(message: Extract<HostMessage, { type: 'sessions' }>): void;
  /** Takes what is active now, and returns what is news to the person. */
  activity(message: Extract<HostMessage, { type: 'activity' }>): ActiveSession[];
}

/** Changes of a row show in the list at once; the host's next list decides. */
export function createSessions(ports: PagePorts): SessionsState {
  const isOpen = signal(false);
  const query = signal('');
  const rows = signal<SessionRow[] | null>(null);
  const isSearching = signal(false);
  const active = signal<ActiveSession[]>([]);
  let cancel = () => {};
  const ask = () => ports.post({ type: 'listSessions', query: query.value });
  const change = (key: string, changed: (row: SessionRow) => SessionRow) =>
    void (rows.value = rows.value?.map((row) => (row.key === key ? changed(row) : row)) ?? null);
  const close = () => {
    cancel();
    isOpen.value = false;
  };

  return {
    isOpen,
    query,
    rows,
    isSearching,
    active,
    open: () => {
      query.value = '';
      isOpen.value = true;
      ask();
    },
    close,
    search: (next) => {
      query.value = next;
      cancel();
      cancel = ports.after(TYPING_MS, ask);
    },
    openSession: (key) => {
      close();
      ports.post({ type: 'openSession', key });
    },
    openInEditor: (key) => {
      close();
      ports.post({ type: 'openInEditor', key });
    },
    rename: (key, title) => {
      change(key, ({ titleMarks: _marks, ...row }) => ({ ...row, title }));
      ports.post({ type: 'renameSession', key, title });
    },
    pin: (key, pinned) => {
      change(key, ({ pinned: _pinned, ...row }) => (pinned ? { ...row, pinned } : row));
      ports.post({ type: 'pinSession', key, pinned });
    },
    remove: (key) => {
      rows.value = rows.value?.filter((row) => row.key !== key) ?? null;
      ports.post({ type: 'deleteSession', key });
    },
    listed: (message) => {
      if (message.query !== query.value) return;
      rows.value = message.rows;
      isSearching.value = message.isPart === true;
    },
    activity: ({ sessions }) => {
      const before = new Map(active.value.map(({ key, state }) => [key, state]));
      const news = sessions.filter(({ key, state }) => state !== 'running' && before.get(key) !== state);
      active.value = sessions;
      for (const { key, title } of sessions) if (title !== '') change(key, (row) => ({ ...row, title }));
      // A chat that has just begun, or one with a newer message, has another place in the list.
      if (isOpen.value && query.value === '' && sessions.some(({ key }) => !before.has(key))) ask();
      return news;
    },
  };
}

/** A row of the list, with the heading that stands above it where a group begins. */
export interface ListedRow {
  row: SessionRow;
  heading?: 'pinned' | 'here' | 'others';
}

/** The rows in the order in which they are shown: pinned ones first, then those of this workspace. What was found stays as it was found. */
export function inGroups(rows: readonly SessionRow[], query: string): ListedRow[] {
  if (query.trim() !== '') return rows.map((row) => ({ row }));
  const groups = {
    pinned: rows.filter(({ pinned }) => pinned),
    here: rows.filter(({ pinned, here }) => !pinned && here),
    others: rows.filter(({ pinned, here }) => !pinned && !here),
  };
  const filled = Object.entries(groups).filter(([, group]) => group.length > 0);
  const isGrouped = filled.length > 1;
  return filled.flatMap(([heading, group]) =>
    group.map((row, at) => ({
      row,
      ...(isGrouped && at === 0 ? { heading: heading as keyof typeof groups } : {}),
    })),
  );
}
