import type { Disposable } from '../../platform/ports.js';
import type { ModelInfo } from '../../protocol/event.js';
import type { ErrorInfo } from '../../protocol/message.js';
import type { ModelRequest } from '../../providers/provider.js';
import type { RunStreamEvent } from '../../runner/run.js';
import type { Tool } from '../../runner/tool.js';
import type { DreamFacts } from '../memoryCommit.js';
import type { GitStore } from '../gitStore.js';
import type { HistoryEntry } from '../historyEntry.js';
import type { Workbench } from './workbench.js';

/** What Dream needs of history.jsonl: the entries behind a cursor, oldest first, and the cursor itself. */
export interface DreamHistory {
  after(cursor: number, limit: number): Promise<HistoryEntry[]>;
  undigested(): Promise<number>;
  dreamCursor(): Promise<number>;
  setDreamCursor(cursor: number): Promise<void>;
  onChange(listener: () => void): Disposable;
}

/** What Dream needs of the memory's git history. */
export type DreamGit = Pick<GitStore, 'ensure' | 'commitByHand' | 'commit' | 'log' | 'restore' | 'rejections'>;

/** A model ready to be asked by Dream. */
export interface DreamModel {
  info: ModelInfo;
  /** Tokens a request may have, answer included; tokens of one answer at most. */
  contextWindow: number;
  maxTokens: number;
  /** It may not be used by Dream that nobody asked for. */
  onlyAsked?: boolean;
  /** What its commits have to say of it. */
  mark?: Partial<DreamFacts>;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<RunStreamEvent>;
}

/** What the person set for Dream. */
export interface DreamSettings {
  /** Whether Dream runs by itself. */
  enabled: boolean;
  intervalHours: number;
  /** Tokens of all Dreams of a day together; 0 is no limit. */
  maxTokensPerDay: number;
}

/** The editors of this window, as far as they hold files of the home. */
export interface DreamEditors {
  /** Those of these files that hold changes which are not saved. */
  unsaved(paths: string[]): Promise<string[]>;
  /** Saves them; rejects where one cannot be saved. */
  save(paths: string[]): Promise<void>;
}

/** The chats of this home, as far as their facts do not stand in the history yet. */
export interface DreamChats {
  /**
   * Notes them now. `begun` is called once there is something to note. Resolves with what kept it from being done, if anything did; what was noted until
   * then stays. Never rejects.
   */
  noteNow(signal: AbortSignal, begun: () => void): Promise<ErrorInfo | undefined>;
}

/** The turns of this window. */
export interface RunningTurns {
  any(): boolean;
  /** Resolves when none runs; rejects with the signal's reason. */
  quiet(signal: AbortSignal): Promise<void>;
}

export type ModelFor = (options: { asked: boolean }) => Promise<DreamModel | { error: ErrorInfo }>;

/** Makes the tools of the second phase over the copies it works on. */
export type ToolsFor = (workbench: Workbench) => Tool[];
