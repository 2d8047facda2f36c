import type { MessageBus } from '../bus/bus.js';
import type { Dream } from '../memory/dream.js';
import type { GitStore } from '../memory/gitStore.js';
import type { HistoryFile } from '../memory/history.js';
import type { Notes } from '../memory/notes.js';
import type { Recall } from '../memory/recall.js';
import type { MemoryStore } from '../memory/store.js';
import type { Clock, Log } from '../platform/ports.js';
import type { SessionRow } from '../protocol/wire.js';

/** What the surfaces of memory need of the app. */
export interface MemoryApp {
  home: string;
  bus: MessageBus;
  clock: Clock;
  log: Log;
  history: Pick<HistoryFile, 'newest' | 'dreamCursor' | 'onChange'>;
  git: Pick<GitStore, 'log' | 'show'>;
  dream: Pick<Dream, 'run' | 'restore' | 'state' | 'onChange'>;
  recall: Pick<Recall, 'search'>;
  notes: Pick<Notes, 'recent'>;
  memory: Pick<MemoryStore, 'createHome' | 'path'>;
  /** Writes a sentence into today's note. */
  remember(text: string): Promise<{ path: string }>;
  listSessions(query: string): Promise<SessionRow[]>;
}
