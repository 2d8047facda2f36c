import { UNTITLED } from './chatTitle.js';
import type {
  AgentEvent,
  ApprovalRequest,
  Compaction,
  ContextUsage,
  ModelInfo,
  Notice,
  Question,
  QueuedMessage,
  Subagent,
  TodoItem,
} from './event.js';
import {
  outcomeOf,
  type Attachment,
  type ErrorInfo,
  type FileChange,
  type FileRef,
  type Sender,
  type Usage,
} from './message.js';
import { sumOf } from './usage.js';

export type ToolStatus = 'running' | 'ok' | 'error' | 'denied' | 'waiting' | 'aborted';

/** A piece of an answer, in the order it came. */
export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'thinking'; text: string }
  | {
      kind: 'tool';
      callId: string;
      name: string;
      status: ToolStatus;
      summary: string;
      args: string;
      /** Epoch milliseconds. */
      startedAt: number;
      ms?: number;
      tail?: string;
      output?: string;
      files?: FileRef[];
      diff?: string;
    };
export type ToolPart = Extract<Part, { kind: 'tool' }>;

export interface ChatMessage {
  id: string;
  role: 'user' | 'assistant';
  status: 'streaming' | 'done' | 'error' | 'aborted';
  parts: Part[];
  /** Epoch milliseconds. */
  at: number;
  attachments?: Attachment[];
  /** Where no person typed it. */
  sender?: Sender;
  error?: ErrorInfo;
  /** On the last message of a turn. */
  turn?: { id: string; ms: number; steps?: number; usage?: Usage; changes?: FileChange[]; settled?: 'undone' | 'kept' };
}

/** Whether nothing can be sent from here: another window has the session, or it is what a subagent works in. */
export function isClosed({ readOnly, parent }: ChatState['session']): boolean {
  return readOnly || parent !== undefined;
}

/** Everything the chat page shows of one session. Host and page hold the same value, made by the same `reduce`. */
export interface ChatState {
  /** `parent`: the session that a subagent works for. */
  session: { key: string; title: string; readOnly: boolean; interrupted: boolean; parent?: string };
  /** A window on the conversation: messages `first` … `first + messages.length - 1` of `total`. Live events need the window to reach the end. */
  messages: ChatMessage[];
  first: number;
  total: number;
  turn: { id: string; startedAt: number; steps: number } | null;
  queue: QueuedMessage[];
  approvals: ApprovalRequest[];
  questions: Question[];
  todo: TodoItem[];
  notices: Notice[];
  retry: { until: number; attempt: number; reason: string } | null;
  context: ContextUsage | null;
  /** What all turns of the session used together, those taken out of the conversation too; subagents have sessions of their own. */
  spent: Usage | null;
  model: ModelInfo | null;
  /** The newest compaction: its card stands behind the message `after`. */
  compaction: Compaction | null;
  /** Those that calls of this session started, each shown at its call. */
  subagents: Subagent[];
}

/** Loaded messages kept at most; older ones are dropped from the window while new ones arrive. */
export const WINDOW = 80;

export function emptyState(key = '', title = UNTITLED): ChatState {
  return {
    session: { key, title, readOnly: false, interrupted: false },
    messages: [],
    first: 0,
    total: 0,
    turn: null,
    queue: [],
    approvals: [],
    questions: [],
    todo: [],
    notices: [],
    retry: null,
    context: null,
    spent: null,
    model: null,
    compaction: null,
    subagents: [],
  };
}

/**
 * The fold of the chat. Pure; returns the same object where nothing changes, and keeps the identity of every message and part that an event
 * does not touch, so that a page can skip what is finished. Events that do not fit the state (a delta without a message) are ignored.
 */
export function reduce(state: ChatState, event: AgentEvent): ChatState {
  switch (event.type) {
    case 'turn_start':
      return {
        ...state,
        turn: { id: event.turnId, startedAt: event.at, steps: 0 },
        session: state.session.interrupted ? { ...state.session, interrupted: false } : state.session,
      };
    case 'turn_step':
      return state.turn ? { ...state, turn: { ...state.turn, steps: event.steps } } : state;
    case 'turn_end':
      return endTurn(state, event);
    case 'user_message':
      return pushMessage(state, {
        id: event.id,
        role: 'user',
        status: 'done',
        parts: [{ kind: 'text', text: event.text }],
        at: event.at,
        ...(event.attachments.length > 0 ? { attachments: event.attachments } : {}),
        ...(event.sender ? { sender: event.sender } : {}),
      });
    case 'message_start':
      return pushMessage(state, { id: event.id, role: 'assistant', status: 'streaming', parts: [], at: event.at });
    case 'text':
    case 'thinking':
      return changeLast(state, (message) => ({ ...message, parts: appendText(message.parts, event.type, event.text) }));
    case 'message_reset':
      return changeMessage(state, event.id, (message) => ({ ...message, parts: [] }));
    case 'message_end':
      return changeMessage(state, event.id, (message) => ({
        ...message,
        status: event.status,
        ...(event.error ? { error: event.error } : {}),
      }));
    case 'tool_start':
      return startTool(state, event);
    case 'tool_update':
      return changeTool(state, event.callId, (part) => ({ ...part, tail: event.tail }));
    case 'tool_end':
      return changeTool(state, event.callId, (part) => finishTool(part, event));
    case 'approval_start':
      return changeTool(
        { ...state, approvals: [...state.approvals, event.approval] },
        event.approval.callId,
        (part) => ({
          ...part,
          status: 'waiting',
        }),
      );
    case 'approval_end':
      return endApproval(state, event.id);
    case 'question_start':
      return { ...state, questions: [...state.questions, event.question] };
    case 'question_end':
      return { ...state, questions: state.questions.filter((question) => question.id !== event.id) };
    case 'todo':
      return { ...state, todo: event.items };
    case 'queue':
      return { ...state, queue: event.queue };
    case 'retry_wait':
      return { ...state, retry: { until: event.until, attempt: event.attempt, reason: event.reason } };
    case 'retry_end':
      return state.retry ? { ...state, retry: null } : state;
    case 'notice':
      return { ...state, notices: [...state.notices.filter((notice) => notice.id !== event.notice.id), event.notice] };
    case 'notice_end':
      return { ...state, notices: state.notices.filter((notice) => notice.id !== event.id) };
    case 'context':
      return { ...state, context: event.usage };
    case 'model':
      return { ...state, model: event.model };
    case 'session':
      return { ...state, session: sessionOf(event) };
    case 'reload':
    case 'rejected':
    case 'switch_session':
      return state;
    case 'compaction': {
      const { type: _type, ...compaction } = event;
      return { ...state, compaction };
    }
    case 'subagent': {
      const { type: _type, ...subagent } = event;
      const at = state.subagents.findIndex(({ id }) => id === subagent.id);
      return { ...state, subagents: at < 0 ? [...state.subagents, subagent] : state.subagents.with(at, subagent) };
    }
    case 'changes_settled':
      return settleChanges(state, event);
  }
}

function sessionOf({ type: _type, ...session }: Extract<AgentEvent, { type: 'session' }>): ChatState['session'] {
  return session;
}

function pushMessage(state: ChatState, message: ChatMessage): ChatState {
  const atEnd = state.first + state.messages.length >= state.total;
  if (!atEnd) return { ...state, total: state.total + 1 };
  const messages = [...state.messages, message];
  const extra = Math.max(0, messages.length - WINDOW);
  return {
    ...state,
    messages: extra > 0 ? messages.slice(extra) : messages,
    first: state.first + extra,
    total: state.total + 1,
  };
}

/** Changes the newest assistant message; tools may start after it has ended (`evenEnded`), text may not. */
function changeLast(state: ChatState, change: (message: ChatMessage) => ChatMessage, evenEnded = false): ChatState {
  const last = newestAnswer(state);
  if (!last || (!evenEnded && last.status !== 'streaming')) return state;
  return changeMessage(state, last.id, change);
}

/** The assistant's newest message, if the window reaches the end: in one that does not, the last loaded answer is an older one. */
function newestAnswer(state: ChatState): ChatMessage | undefined {
  if (state.first + state.messages.length < state.total) return undefined;
  return state.messages.findLast((message) => message.role === 'assistant');
}

function changeMessage(state: ChatState, id: string, change: (message: ChatMessage) => ChatMessage): ChatState {
  const index = state.messages.findLastIndex((message) => message.id === id);
  const found = state.messages[index];
  if (!found) return state;
  return { ...state, messages: state.messages.with(index, change(found)) };
}

function changeTool(state: ChatState, callId: string, change: (part: ToolPart) => ToolPart): ChatState {
  const holds = (part: Part) => part.kind === 'tool' && part.callId === callId;
  const message = state.messages.findLast((candidate) => candidate.parts.some(holds));
  if (!message) return state;
  return changeMessage(state, message.id, (found) => ({
    ...found,
    parts: found.parts.map((part) => (part.kind === 'tool' && part.callId === callId ? change(part) : part)),
  }));
}

/** A call is announced when the model begins it and again, whole, before it runs: the second replaces the first. */
function startTool(state: ChatState, event: Extract<AgentEvent, { type: 'tool_start' }>): ChatState {
  const started: ToolPart = {
    kind: 'tool',
    callId: event.callId,
    name: event.name,
    status: 'running',
    summary: event.summary,
    args: event.args,
    startedAt: event.at,
  };
  return changeLast(
    state,
    (message) => {
      const known = message.parts.findIndex((part) => part.kind === 'tool' && part.callId === event.callId);
      return { ...message, parts: known < 0 ? [...message.parts, started] : message.parts.with(known, started) };
    },
    true,
  );
}

function appendText(parts: Part[], kind: 'text' | 'thinking', text: string): Part[] {
  const last = parts.at(-1);
  if (last?.kind === kind) return parts.with(-1, { kind, text: last.text + text });
  return [...parts, { kind, text }];
}

function finishTool(part: ToolPart, event: Extract<AgentEvent, { type: 'tool_end' }>): ToolPart {
  const { tail: _tail, ...rest } = part;
  return {
    ...rest,
    status: event.status,
    summary: event.summary,
    ms: event.ms,
    output: event.output,
    ...(event.files ? { files: event.files } : {}),
    ...(event.diff ? { diff: event.diff } : {}),
  };
}

function endApproval(state: ChatState, id: string): ChatState {
  const approval = state.approvals.find((candidate) => candidate.id === id);
  if (!approval) return state;
  const approvals = state.approvals.filter((candidate) => candidate.id !== id);
  return changeTool({ ...state, approvals }, approval.callId, (part) => ({ ...part, status: 'running' }));
}

function endTurn(state: ChatState, event: Extract<AgentEvent, { type: 'turn_end' }>): ChatState {
  const ended: ChatState = {
    ...{ ...state, turn: null, retry: null, approvals: [], questions: [] },
    spent: sumOf(state.spent ?? undefined, event.usage) ?? null,
  };
  const last = newestAnswer(ended);
  if (!last) return ended;
  const turn = {
    id: event.turnId,
    ms: event.ms,
    ...(state.turn && state.turn.steps > 0 ? { steps: state.turn.steps } : {}),
    ...(event.usage ? { usage: event.usage } : {}),
    ...(event.changes ? { changes: event.changes } : {}),
  };
  return changeMessage(ended, last.id, (message) => ({ ...message, turn }));
}

function settleChanges(
  state: ChatState,
  { turnId, outcome, paths }: Extract<AgentEvent, { type: 'changes_settled' }>,
): ChatState {
  const message = state.messages.find((candidate) => candidate.turn?.id === turnId);
  if (!message?.turn) return state;
  const { turn } = message;
  if (!paths) return changeMessage(state, message.id, (found) => ({ ...found, turn: { ...turn, settled: outcome } }));
  const changes = (turn.changes ?? []).map((change) =>
    paths.includes(change.path) ? { ...change, settled: outcome } : change,
  );
  const { settled: _former, ...open } = turn;
  const whole = outcomeOf(changes);
  const next = { ...open, changes, ...(whole ? { settled: whole } : {}) };
  return changeMessage(state, message.id, (found) => ({ ...found, turn: next }));
}
