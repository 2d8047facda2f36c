import type { ChatHandle, Handlers } from './chatHandle.js';

/** What becomes of the files that a turn changed. */
export function changeHandlers(chat: ChatHandle): Pick<Handlers, 'undoTurn' | 'keepTurn'> {
  const { loop } = chat.app;
  return {
    undoTurn: ({ turnId }) => loop.undo(chat.sessionKey, turnId),
    keepTurn: ({ turnId }) => loop.keep(chat.sessionKey, turnId),
  };
}
