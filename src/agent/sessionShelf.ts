import type { Log } from '../platform/ports.js';
import type { SessionRow } from '../protocol/wire.js';
import type { SessionStore } from '../session/store.js';
import type { AgentLoop } from './loop.js';
import type { SubagentManager } from './subagent.js';
import { subagentOf } from './subagentRecord.js';

/** Milliseconds after which a search of all chats ends with what it has. */
const SEARCH_MS = 10_000;

export interface ShelfDeps {
  sessions: SessionStore;
  loop: AgentLoop;
  subagents: SubagentManager;
  log: Log;
  /** Ends what a session's commands left running. */
  endCommands(key: string): Promise<void>;
  /** Forgets the approvals that held for a session. */
  endRules(key: string): void;
}

/** What a person does with the chats as a whole: look for one, name it, delete it. */
export function sessionShelf({ sessions, loop, subagents, log, endCommands, endRules }: ShelfDeps) {
  const remove = async (key: string) => {
    await loop.forget(key);
    await endCommands(key);
    await sessions.remove(key);
    endRules(key);
  };
  return {
    /** The newest first, without those of subagents; with a query those in which its words occur. */
    listSessions: async (query: string): Promise<SessionRow[]> => {
      const isSubagents = (key: string) => subagentOf(key) !== undefined;
      const found =
        query === ''
          ? (await sessions.list()).filter(({ key }) => !isSubagents(key))
          : await sessions.search(query, AbortSignal.timeout(SEARCH_MS), isSubagents);
      return found.map((row) => ({
        key: row.key,
        title: row.title,
        updatedAt: row.updatedAt,
        messages: row.messages,
        busy: row.busy,
        running: loop.isBusy(row.key),
        ...('excerpt' in row && typeof row.excerpt === 'string' ? { match: row.excerpt } : {}),
      }));
    },
    renameSession: async (key: string, title: string): Promise<void> => {
      const conversation = await loop.conversation(key);
      await conversation.session.setMetadata({ title });
      conversation.announceSession();
    },
    /** Ends what runs in it, and its subagents; their files go to the trash with its own. */
    deleteSession: async (key: string): Promise<void> => {
      const theirs = await subagents.forget(key);
      await remove(key);
      for (const each of theirs)
        await remove(each).catch((cause: unknown) => {
          log.warn(`${each} stays: ${String(cause)}`);
        });
    },
  };
}
