import type { ChatHandle, Handlers } from './chatHandle.js';

/** What becomes of the files that a turn changed. */
export function changeHandlers(chat: ChatHandle): Pick<Handlers, 'undoTurn' | 'keepTurn' | 'reviewTurn'> {
  const { app, actions } = chat;
  return {
    undoTurn: async ({ turnId, paths }) => void (await app.changes.undo(chat.sessionKey, turnId, paths)),
    keepTurn: ({ turnId, paths }) => app.changes.keep(chat.sessionKey, turnId, paths),
    reviewTurn: ({ turnId, path }) => actions.reviewTurn(turnId, path),
  };
}
