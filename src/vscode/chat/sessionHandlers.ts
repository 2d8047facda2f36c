import type { SessionRow } from '../../protocol/wire.js';
import type { ChatHandle, Handlers } from './chatHandle.js';

type SessionMessages =
  'newChat' | 'listSessions' | 'openSession' | 'renameSession' | 'deleteSession' | 'pinSession' | 'openInEditor';

/** What the switcher of sessions does. */
export function sessionHandlers(chat: ChatHandle): Pick<Handlers, SessionMessages> {
  const { app, actions, group } = chat;
  let searching = new AbortController();
  let asked = '';
  const list = async (query: string) => {
    asked = query;
    searching.abort();
    searching = new AbortController();
    const { signal } = searching;
    const byTitle = (rows: SessionRow[]) => {
      chat.post({ type: 'sessions', query, rows, isPart: true });
    };
    try {
      const rows = await app.listSessions(query, { signal, byTitle });
      if (!signal.aborted) chat.post({ type: 'sessions', query, rows });
    } catch (cause) {
      // The next question is on its way.
      if (!signal.aborted) throw cause;
    }
  };
  const changed = async (change: Promise<void>) => {
    try {
      await change;
    } finally {
      // Where it failed the list shows how things are.
      await list(asked);
    }
  };
  return {
    newChat: () => chat.newChat(),
    listSessions: ({ query }) => list(query),
    openSession: ({ key }) => chat.open(key),
    renameSession: ({ key, title }) => changed(app.renameSession(key, title)),
    pinSession: ({ key, pinned }) => changed(app.pinSession(key, pinned)),
    deleteSession: ({ key }) => changed(app.deleteSession(key).then(() => group.deleted(key))),
    openInEditor: ({ key }) => actions.openInEditor(key),
  };
}
