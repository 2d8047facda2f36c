import type * as vscode from 'vscode';
import type { ChatStorage, Draft } from './chatHandle.js';

/** What outlives the page, kept with the workspace. */
export function storageOf({ workspaceState }: vscode.ExtensionContext): ChatStorage {
  return {
    session: () => workspaceState.get<string>('nanobot.session'),
    setSession: (key) => void workspaceState.update('nanobot.session', key),
    draft: (key) => workspaceState.get<Record<string, Draft>>('nanobot.drafts')?.[key] ?? { text: '', at: 0 },
    setDraft: (key, draft) => {
      const drafts = Object.entries(workspaceState.get<Record<string, Draft>>('nanobot.drafts') ?? {});
      const others = drafts.filter(([other, { text }]) => other !== key && text !== '');
      // An empty one is kept while its chat is shown: a page's own copy may be older.
      void workspaceState.update('nanobot.drafts', Object.fromEntries([...others, [key, draft]]));
    },
  };
}

/**
 * What outlives the page of an editor tab: its session is kept by the page itself, since there may be many tabs, and its drafts apart from those of the
 * view, which may show the same session.
 */
export function editorStorage(view: ChatStorage, session: string | undefined): ChatStorage {
  let shown = session;
  const own = (key: string) => `editor ${key}`;
  return {
    session: () => shown,
    setSession: (key) => {
      shown = key;
    },
    draft: (key) => view.draft(own(key)),
    setDraft: (key, draft) => {
      view.setDraft(own(key), draft);
    },
  };
}
