import type { ChatHandle, Handlers } from './chatHandle.js';

/** Articles sent for one step of scrolling. */
const PAGE_SIZE = 40;
/** Hits of a search in the conversation. */
const MAX_HITS = 500;

/** What a reader of a long conversation does: scroll, search, go to a hit. */
export function readingHandlers(chat: ChatHandle): Pick<Handlers, 'load' | 'find' | 'goTo'> {
  return {
    load: async ({ direction, at }) => {
      const first = direction === 'older' ? Math.max(0, at - PAGE_SIZE) : at;
      const count = direction === 'older' ? at - first : PAGE_SIZE;
      const shown = (await chat.conversation()).transcript();
      chat.post({ type: 'loaded', direction, first, total: shown.total, messages: shown.slice(first, count) });
    },
    find: async ({ n, query }) => {
      const hits = (await chat.conversation()).transcript().find(query, MAX_HITS);
      chat.post({ type: 'found', n, query, hits });
    },
    goTo: async ({ index }) => {
      const shown = await (await chat.conversation()).window(Math.max(0, index - PAGE_SIZE / 2), PAGE_SIZE);
      chat.post({ type: 'loaded', direction: 'around', focus: index, ...shown });
    },
  };
}
