import type { Attachment, ErrorInfo, FileChange, FileRef, NextStep, Sender, Usage } from './message.js';

/** What an approval asks for, and what "Allow always…" can offer. */
export interface ApprovalRequest {
  id: string;
  callId: string;
  tool: string;
  /** "Run a command", "Edit a file outside the workspace". */
  title: string;
  /** The command, the path or the address, whole. */
  detail: string;
  /** Why it is asked although a mode or rule might have allowed it, such as "Deletes recursively". Empty for the ordinary case. */
  reasons: string[];
  /** A diff of a proposed edit, when edits are approved first. */
  diff?: string;
  /** Files whose proposed text can be looked at, and changed, in VS Code's diff editor before it is allowed. */
  proposals?: { path: string; label: string }[];
  /** Rules a person can choose under "Allow always…"; empty where only this once is offered. */
  rules: ApprovalRule[];
}

/** One choice under "Allow always…". */
export interface ApprovalRule {
  id: string;
  /** "`npm test` exactly", "commands that start with `git status`", "every use of write_file". */
  label: string;
}

export type ApprovalScope = 'session' | 'workspace' | 'everywhere';

/** What a person answered. */
export type ApprovalDecision =
  { kind: 'allow' } | { kind: 'always'; ruleId: string; scope: ApprovalScope } | { kind: 'deny'; reason?: string };

/** A question of the `ask_user` tool; free text is always possible. */
export interface Question {
  id: string;
  callId: string;
  text: string;
  options: string[];
}

export interface TodoItem {
  text: string;
  status: 'pending' | 'in_progress' | 'done';
}

/** A message that waits for a running turn's next step. */
export interface QueuedMessage {
  id: string;
  text: string;
  attachments: Attachment[];
  /** False after Stop: it stays in the composer's list until the person sends it again. */
  armed: boolean;
  /** Where no person typed it. */
  sender?: Sender;
  /** It holds text from outside. */
  untrusted?: true;
}

/** How full the model's window is, with the parts a tooltip shows. Tokens, estimated until a provider reported usage. */
export interface ContextUsage {
  used: number;
  window: number;
  system: number;
  memory: number;
  skills: number;
  history: number;
  tools: number;
}

/** The model in use, as the picker shows it. */
export interface ModelInfo {
  /** `provider/model`. */
  id: string;
  label: string;
  /** Context window in tokens. */
  window: number;
  /** True for the offline practice model. */
  practice?: boolean;
  /** Chosen for this chat alone. */
  own?: boolean;
  /** How much it is told to think, where it is told. */
  thinking?: string;
  /** The profile that was picked for this chat, by its name, and what it asks at least. */
  profile?: string;
  approval?: string;
}

/** Something a person should know that belongs to no message. Same id replaces. */
export interface Notice {
  id: string;
  level: 'info' | 'warning' | 'error';
  text: string;
  next: NextStep[];
}

/**
 * Earlier messages that gave way to a summary so that the conversation fits the model's window. They stay in the chat and in the file; only the
 * prompt begins with the summary in their place.
 */
export interface Compaction {
  id: string;
  /** `failed`: the model could not be asked; the oldest messages are left out of requests until it can. */
  status: 'running' | 'done' | 'failed';
  /** Messages of the person and the agent that the summary stands for; while it runs, those it is about to take in. */
  messages: number;
  /** Id of the message that was the newest when it began: the card stands behind it. */
  after: string;
  /** Epoch milliseconds. */
  at: number;
  /** What the prompt begins with in their place. */
  summary?: string;
  /** How many of the messages were kept in short as they are, since the model gave no usable summary of them. */
  raw?: number;
  /** The model that wrote it, where that has to be said. */
  by?: string;
  error?: ErrorInfo;
}

export type SubagentStatus = 'queued' | 'running' | 'done' | 'error' | 'stopped' | 'interrupted';

/** A subagent as the card of its spawn call shows it. */
export interface Subagent {
  id: string;
  label: string;
  /** The opening of its task. */
  task: string;
  status: SubagentStatus;
  /** Its transcript. */
  sessionKey: string;
  /** The spawn call it came from. */
  callId: string;
  steps: number;
  /** Epoch milliseconds; of one that waits, when it began to. */
  startedAt: number;
  endedAt?: number;
  /** Sent and received, all requests together. */
  tokens?: number;
  /** Head and tail of what it found. */
  result?: string;
  error?: string;
  /** Another window runs it: here it can only be looked at. */
  elsewhere?: true;
}

/**
 * Everything that happens in one session, bracketed: a start is always followed by its end. Text deltas carry no id: they belong to the
 * message that started last (one turn a session, so there is never a second), which keeps the bytes a long answer costs small.
 */
export type AgentEvent =
  | { type: 'turn_start'; turnId: string; at: number }
  | { type: 'turn_step'; steps: number }
  | {
      type: 'turn_end';
      turnId: string;
      status: 'done' | 'error' | 'aborted';
      usage?: Usage;
      changes?: FileChange[];
      ms: number;
    }
  | { type: 'user_message'; id: string; text: string; at: number; attachments: Attachment[]; sender?: Sender }
  | { type: 'message_start'; id: string; at: number; model?: string }
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  /** A broken stream is retried as a new segment: what the message showed so far is replaced by nothing. */
  | { type: 'message_reset'; id: string }
  | { type: 'message_end'; id: string; status: 'done' | 'error' | 'aborted'; error?: ErrorInfo }
  | { type: 'tool_start'; callId: string; name: string; summary: string; args: string; at: number }
  /** The live tail of a running call: the last lines of a command, a progress line. Replaces the former tail. */
  | { type: 'tool_update'; callId: string; tail: string }
  | {
      type: 'tool_end';
      callId: string;
      status: 'ok' | 'error' | 'denied' | 'aborted';
      summary: string;
      ms: number;
      /** Head and tail of what the model got. */
      output: string;
      files?: FileRef[];
      diff?: string;
    }
  | { type: 'approval_start'; approval: ApprovalRequest }
  | { type: 'approval_end'; id: string; decision: 'allowed' | 'denied' | 'aborted' }
  | { type: 'question_start'; question: Question }
  | { type: 'question_end'; id: string; answer: string }
  | { type: 'todo'; items: TodoItem[] }
  | { type: 'queue'; queue: QueuedMessage[] }
  /** A provider asked us to wait; the page counts down to `until` (epoch ms). */
  | { type: 'retry_wait'; until: number; attempt: number; reason: string }
  | { type: 'retry_end' }
  | { type: 'notice'; notice: Notice }
  | { type: 'notice_end'; id: string }
  | { type: 'context'; usage: ContextUsage }
  | { type: 'model'; model: ModelInfo }
  /** `parent`: the session that a subagent works for. */
  | { type: 'session'; key: string; title: string; readOnly: boolean; interrupted: boolean; parent?: string }
  /** The conversation changed as a whole (another window wrote it, messages were taken out of it): channels show it anew. */
  | { type: 'reload' }
  /** A person's message was not taken (queue full, session held elsewhere, disk full): its words go back to the composer. */
  | { type: 'rejected'; id: string; text: string; reason: string; sender?: Sender }
  /** `/new`: the channel goes on with this session; `id` is the message that said so. */
  | { type: 'switch_session'; key: string; id?: string }
  /** A compaction began, went on or ended; it replaces the one that is shown. */
  | ({ type: 'compaction' } & Compaction)
  /** A subagent of this session began, went on or ended; replaces what was known of it. */
  | ({ type: 'subagent' } & Subagent)
  /** The changes of a turn, or those of the files at `paths`, were undone or kept: the change list shows it. */
  | { type: 'changes_settled'; turnId: string; outcome: 'undone' | 'kept'; paths?: string[] };

/** An event with the session it belongs to. */
export interface SessionEvent {
  sessionKey: string;
  event: AgentEvent;
}
