import type { ChatHandle, Handlers } from './chatHandle.js';

/** What the switcher of sessions does. */
export function sessionHandlers(
  chat: ChatHandle,
): Pick<Handlers, 'newChat' | 'listSessions' | 'openSession' | 'renameSession' | 'deleteSession'> {
  const { app } = chat;
  const list = async (query: string) => {
    chat.post({ type: 'sessions', query, rows: await app.listSessions(query) });
  };
  return {
    newChat: () => chat.newChat(),
    listSessions: ({ query }) => list(query),
    openSession: ({ key }) => chat.open(key),
    renameSession: async ({ key, title }) => {
      await app.renameSession(key, title);
      await list('');
    },
    deleteSession: async ({ key }) => {
      await app.deleteSession(key);
      if (key === chat.sessionKey) await chat.open(app.newSessionKey('vscode'));
      await list('');
    },
  };
}
