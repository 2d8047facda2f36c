import type * as vscode from 'vscode';
import type { EarlyChoices, ModelChoice } from '../../agent/modelChoice.js';
import type { ChatStorage, Draft } from './chatHandle.js';

type Kept = Pick<vscode.ExtensionContext, 'workspaceState'>;

/** Chats that have not begun for which a choice is kept: the newest. */
const MAX_CHOICES = 20;

/** What outlives the page, kept with the workspace. */
export function storageOf({ workspaceState }: Kept): ChatStorage {
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

/** What was chosen for chats that have not begun, kept with the workspace. */
export function earlyChoicesOf({ workspaceState }: Kept): EarlyChoices {
  const kept = () => workspaceState.get<Record<string, ModelChoice>>('nanobot.earlyChoices') ?? {};
  return {
    load: (key) => ({ ...kept()[key] }),
    save: (key, choice) => {
      const others = Object.entries(kept()).filter(([other]) => other !== key);
      const entries = choice ? [...others, [key, choice] as const] : others;
      void workspaceState.update('nanobot.earlyChoices', Object.fromEntries(entries.slice(-MAX_CHOICES)));
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
