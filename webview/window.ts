import { WINDOW, type ChatState } from '../src/protocol/chatState.js';
import type { HostMessage } from '../src/protocol/wire.js';

/** True if the loaded messages reach the end of the conversation, so that new ones are shown as they come. */
export function reachesEnd(state: ChatState): boolean {
  return state.first + state.messages.length >= state.total;
}

/**
 * Adds messages that were asked for and drops as many at the other end as are over the limit. Messages that do not join the loaded ones
 * (the window has moved since they were asked for) are ignored.
 */
export function mergeLoaded(state: ChatState, loaded: Extract<HostMessage, { type: 'loaded' }>): ChatState {
  const { direction, first, total, messages } = loaded;
  if (direction === 'around') return { ...state, first, total, messages: messages.slice(0, WINDOW) };
  if (direction === 'older') {
    if (first + messages.length !== state.first) return state;
    return { ...state, first, total, messages: [...messages, ...state.messages].slice(0, WINDOW) };
  }
  if (first !== state.first + state.messages.length) return { ...state, total };
  const all = [...state.messages, ...messages];
  const extra = Math.max(0, all.length - WINDOW);
  return { ...state, first: state.first + extra, total, messages: all.slice(extra) };
}
