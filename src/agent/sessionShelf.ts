import { basename } from 'node:path';
import type { Log } from '../platform/ports.js';
import type { Mark, SessionRow } from '../protocol/wire.js';
import type { Session } from '../session/session.js';
import type { SessionHit, SessionStore, SessionSummary } from '../session/store.js';
import { findTitles } from '../session/titleSearch.js';
import type { AgentLoop } from './loop.js';
import type { SubagentManager } from './subagent.js';
import { subagentOf } from './subagentRecord.js';

/** Milliseconds after which a search of all chats ends with what it has. */
const SEARCH_MS = 10_000;
/** Chats found by their titles at most. */
const MAX_TITLES = 50;

export interface ShelfDeps {
  sessions: SessionStore;
  loop: AgentLoop;
  subagents: SubagentManager;
  log: Log;
  /** The folders of this window. */
  folders(): readonly { path: string }[];
  /** Ends what a session's commands left running. */
  endCommands(key: string): Promise<void>;
  /** Forgets the approvals that held for a session. */
  endRules(key: string): void;
}

export interface ListOptions {
  /** Ends the search; it rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Told what matches by its title, as soon as that is known and before texts are looked through. */
  byTitle?(rows: SessionRow[]): void;
}

/** What a person does with the chats as a whole: look for one, name it, pin it, delete it. */
export function sessionShelf({ sessions, loop, subagents, log, folders, endCommands, endRules }: ShelfDeps) {
  const remove = async (key: string) => {
    await loop.forget(key);
    await endCommands(key);
    await sessions.remove(key);
    endRules(key);
  };
  const rowOf = (summary: SessionSummary): SessionRow => {
    const { key, title, updatedAt, messages, busy, pinned, workspace } = summary;
    const here = folders().some(({ path }) => path === workspace);
    return {
      ...{ key, title, updatedAt, messages, busy, running: loop.isBusy(key) },
      ...(pinned ? { pinned } : {}),
      ...(here ? { here } : workspace === undefined ? {} : { project: basename(workspace) }),
    };
  };
  return {
    /** The newest first, without those of subagents; with a query those whose title has its letters, then those in which its words occur. */
    listSessions: async (query: string, { signal, byTitle }: ListOptions = {}): Promise<SessionRow[]> => {
      const all = (await sessions.list()).filter(({ key }) => subagentOf(key) === undefined);
      signal?.throwIfAborted();
      if (query.trim() === '') return all.map(rowOf);
      const titled = findTitles(all, query, MAX_TITLES).map(({ row, marks }) => ({
        ...rowOf(row),
        titleMarks: marks,
      }));
      byTitle?.(titled);
      const limit = AbortSignal.timeout(SEARCH_MS);
      const either = signal ? AbortSignal.any([signal, limit]) : limit;
      const isSubagents = (key: string) => subagentOf(key) !== undefined;
      const said = (await sessions.search(query, either, isSubagents)).filter(({ count }) => count > 0);
      return merged(titled, said, (hit) => ({ ...rowOf(hit), ...matchOf(hit, query.trim()) }));
    },
    /** Throws `SessionBusy` where another window writes it. */
    renameSession: (key: string, title: string): Promise<void> => mark(key, { title, titled: 'person' }),
    /** Throws `SessionBusy` where another window writes it. */
    pinSession: (key: string, pinned: boolean): Promise<void> => mark(key, { pinned: pinned || undefined }),
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

  async function mark(key: string, patch: Record<string, unknown>): Promise<void> {
    await withLeaseAsBefore(await sessions.open(key), (session) => session.setMetadata(patch));
    loop.loadedConversation(key)?.announceSession();
  }
}

/** Writes into a session that may not be shown here: its lease is given back where it was not ours before. */
export async function withLeaseAsBefore(session: Session, write: (session: Session) => Promise<void>): Promise<void> {
  const before = session.leaseState;
  try {
    await write(session);
  } finally {
    // One that another process holds was not taken.
    if (before === 'none') await session.release();
  }
}

/** Those found by their titles, with the line that matches where there is one, then those found in texts alone. */
function merged(
  titled: readonly SessionRow[],
  said: readonly SessionHit[],
  rowOf: (hit: SessionHit) => SessionRow,
): SessionRow[] {
  const found = new Map(said.map((hit) => [hit.key, rowOf(hit)]));
  const keys = new Set(titled.map(({ key }) => key));
  return [
    ...titled.map((row) => ({ ...found.get(row.key), ...row })),
    ...[...found.values()].filter(({ key }) => !keys.has(key)),
  ];
}

function matchOf({ excerpt }: SessionHit, words: string): { match: string; matchMarks: Mark[] } {
  const marks: Mark[] = [];
  const [text, wanted] = [excerpt.toLowerCase(), words.toLowerCase().replace(/\s+/g, ' ')];
  // In some scripts small letters are more characters than capitals: places would be off.
  const isComparable = text.length === excerpt.length;
  for (let at = isComparable ? text.indexOf(wanted) : -1; at >= 0; at = text.indexOf(wanted, at + wanted.length))
    marks.push([at, at + wanted.length]);
  return { match: excerpt, matchMarks: marks };
}
