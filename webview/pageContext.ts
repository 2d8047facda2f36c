import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { MarkdownTools } from './markdown/stream.js';
import type { Page } from './state.js';

/** What every component may use. */
export interface PageTools {
  page: Page;
  markdown: MarkdownTools;
}

export const PageContext = createContext<PageTools | null>(null);

export function usePageTools(): PageTools {
  const tools = useContext(PageContext);
  if (!tools) throw new Error('A component of the chat page was drawn outside of PageContext.');
  return tools;
}

export function usePage(): Page {
  return usePageTools().page;
}
