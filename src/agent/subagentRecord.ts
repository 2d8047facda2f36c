import type { Subagent, SubagentStatus } from '../protocol/event.js';
import type { StoredMessage } from '../protocol/message.js';
import { INTERRUPTED_RESULT } from '../runner/govern.js';
import { shorten } from '../runner/toolCalls.js';
import type { Session } from '../session/session.js';
import { inherited, type ModelChoice } from './modelChoice.js';

/** The channel of subagents, and with it what their sessions' keys begin with. */
export const SUBAGENT_CHANNEL = 'subagent';
const PREFIX = `${SUBAGENT_CHANNEL}:`;

/** Steps of a subagent's turn (agent.md § Subagents). */
const MAX_STEPS = 50;
/** Subagents of one session that are remembered as such: the newest. */
const MAX_REMEMBERED = 100;
/** Characters of a task and of a result that a card shows; the whole stands in the transcript. */
const SHOWN_TASK = 500;
const SHOWN_RESULT = 4_000;

/** What a subagent never has: it talks to nobody but the one it works for, remembers nothing, and starts nothing that outlives it. */
const WITHHELD = new Set(['spawn', 'message', 'cron', 'ask_user', 'todo', 'remember', 'recall']);

/** What a subagent's session says of it, in `metadata.subagent`; written anew only when its status changes. */
export interface SubagentRecord {
  /** The session it came from, the turn and the call there. */
  parent: string;
  turnId?: string;
  callId: string;
  label: string;
  task: string;
  /** `provider/model`; absent for the one that is set. */
  model?: string;
  /** The call waits for the result, so it is not sent as a message. */
  wait: boolean;
  /** Whether somebody watched the turn it came from. */
  watched: boolean;
  /** Tokens it may use where nobody watched that turn. */
  allowance?: number;
  /** Text from outside had entered that turn. */
  untrusted?: true;
  status: SubagentStatus;
  startedAt: number;
  endedAt?: number;
  steps: number;
  tokens?: number;
  /** Its opening and end. */
  result?: string;
  error?: string;
}

/** How a subagent's turns differ from a person's. */
export interface TurnProfile {
  /** The channel whose prompt it gets. */
  channel: string;
  model?: string;
  maxIterations: number;
  /** Tokens its turn may use. */
  allowance?: number;
  /** The turn to which its file changes belong, where that is not its own: it waits for them. */
  changesOf?: string;
}

export function subagentSession(id: string): string {
  return `${PREFIX}${id}`;
}

/** The id of the subagent whose session this is. */
export function subagentOf(sessionKey: string): string | undefined {
  return sessionKey.startsWith(PREFIX) ? sessionKey.slice(PREFIX.length) : undefined;
}

/** Whether a session never has this tool: for the `ToolRegistry`. */
export function isWithheld(tool: string, sessionKey: string): boolean {
  return WITHHELD.has(tool) && subagentOf(sessionKey) !== undefined;
}

/** What a subagent's session begins with: its record, and what of the choice of the chat it works for holds for it. */
export function metadataFor(record: SubagentRecord, choice: ModelChoice): Record<string, unknown> {
  // Facts come from the conversation that gets the result: to those who note them, everything here is noted.
  return { title: record.label, archivedTo: Number.MAX_SAFE_INTEGER, subagent: record, ...inherited(choice) };
}

/** The record in a session's metadata; undefined where there is none, or a damaged one. */
export function recordIn(metadata: Record<string, unknown>): SubagentRecord | undefined {
  const value = metadata['subagent'] as Partial<SubagentRecord> | null | undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const { parent, callId, label, task } = value;
  if (typeof parent !== 'string' || typeof callId !== 'string') return undefined;
  if (typeof label !== 'string' || typeof task !== 'string') return undefined;
  return {
    wait: false,
    watched: true,
    status: 'running',
    startedAt: 0,
    steps: 0,
    ...value,
    parent,
    callId,
    label,
    task,
  };
}

/** What holds for the turns of a subagent's session; undefined for every other session. */
export function profileOf(session: Pick<Session, 'key' | 'metadata'>): TurnProfile | undefined {
  if (subagentOf(session.key) === undefined) return undefined;
  const record = recordIn(session.metadata.metadata);
  return {
    channel: SUBAGENT_CHANNEL,
    maxIterations: MAX_STEPS,
    ...(record?.model ? { model: record.model } : {}),
    ...(record?.wait && record.turnId !== undefined ? { changesOf: record.turnId } : {}),
    ...(record?.allowance === undefined ? {} : { allowance: record.allowance }),
  };
}

/** What its card shows. */
export function cardOf(id: string, record: SubagentRecord, status: SubagentStatus = record.status): Subagent {
  const { callId, label, task, startedAt, endedAt, steps, tokens, result, error } = record;
  return {
    id,
    label,
    task: task.length > SHOWN_TASK ? `${task.slice(0, SHOWN_TASK - 1)}…` : task,
    status,
    sessionKey: subagentSession(id),
    callId,
    steps,
    startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  };
}

/** The ids of the subagents that a session started, oldest first. */
export function startedBy(session: Pick<Session, 'metadata'>): string[] {
  const ids = session.metadata.metadata['subagents'];
  return Array.isArray(ids) ? (ids as unknown[]).filter((id) => typeof id === 'string') : [];
}

/** Puts one more among them, on disk. Calls for the same session must not overlap. */
export function noteStarted(session: Session, id: string): Promise<void> {
  return session.setMetadata({ subagents: [...startedBy(session), id].slice(-MAX_REMEMBERED) }, { flush: true });
}

/** Whether the session it came from has its result: as a message, in the queue, or as what the call that waited gave. */
export function isHandedOn(
  parent: Pick<Session, 'messages' | 'metadata'>,
  id: string,
  record: SubagentRecord,
): boolean {
  const holds = ({ sender }: { sender?: StoredMessage['sender'] }) => sender?.kind === 'subagent' && sender.id === id;
  const queue = parent.metadata.metadata['queue'];
  if (Array.isArray(queue) && (queue as StoredMessage[]).some(holds)) return true;
  return parent.messages.some(
    (message) =>
      holds(message) ||
      (record.wait && message.tool_call_id === record.callId && message.content !== INTERRUPTED_RESULT),
  );
}

/** The record of one that has ended. */
export function endedRecord(
  record: SubagentRecord,
  { status, text, error }: { status: SubagentStatus; text: string; error?: string },
  more: { tokens: number; endedAt: number },
): SubagentRecord {
  return {
    ...record,
    status,
    ...more,
    ...(text === '' ? {} : { result: shorten(text, SHOWN_RESULT) }),
    ...(error === undefined || status === 'stopped' ? {} : { error }),
  };
}

/** How many results have come to a session since somebody typed something there. */
export function resultsInARow({ messages }: Pick<Session, 'messages'>): number {
  const typed = messages.findLastIndex(({ role, sender }) => role === 'user' && !sender);
  return messages.slice(typed + 1).filter(({ sender }) => sender?.kind === 'subagent').length;
}
