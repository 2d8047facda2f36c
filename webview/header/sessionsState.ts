import { signal, type ReadonlySignal } from '@preact/signals';
import type { HostMessage, SessionRow } from '../../src/protocol/wire.js';
import type { PagePorts } from '../ports.js';

/** Milliseconds of rest after a key before the sessions are searched. */
const TYPING_MS = 120;

/** The panel that switches, renames and deletes sessions. */
export interface SessionsState {
  isOpen: ReadonlySignal<boolean>;
  query: ReadonlySignal<string>;
  /** Null until the first list is there. */
  rows: ReadonlySignal<SessionRow[] | null>;
  open(): void;
  close(): void;
  search(query: string): void;
  openSession(key: string): void;
  rename(key: string, title: string): void;
  remove(key: string): void;
  listed(message: Extract<HostMessage, { type: 'sessions' }>): void;
}

/** Rename and delete change the shown list at once; the host's next list decides. */
export function createSessions(ports: PagePorts): SessionsState {
  const isOpen = signal(false);
  const query = signal('');
  const rows = signal<SessionRow[] | null>(null);
  let cancel = () => {};
  const ask = () => ports.post({ type: 'listSessions', query: query.value });
  const close = () => {
    cancel();
    isOpen.value = false;
  };

  return {
    isOpen,
    query,
    rows,
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
    rename: (key, title) => {
      rows.value = rows.value?.map((row) => (row.key === key ? { ...row, title } : row)) ?? null;
      ports.post({ type: 'renameSession', key, title });
    },
    remove: (key) => {
      rows.value = rows.value?.filter((row) => row.key !== key) ?? null;
      ports.post({ type: 'deleteSession', key });
    },
    listed: (message) => {
      if (message.query === query.value) rows.value = message.rows;
    },
  };
}
