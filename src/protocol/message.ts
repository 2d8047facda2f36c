/** The stored vocabulary: one line of a session file, in nanobot's form (OpenAI's chat messages plus a timestamp). */

/** A piece of a message whose content is more than plain text. */
export type ContentBlock = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

/** A tool call as the model made it. `arguments` is the model's own text: usually JSON, not always valid. */
export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
  /** What the provider wants back with this call in later requests, such as Gemini's thought signatures. Opaque to everyone else. */
  extra_content?: Record<string, unknown>;
}

/** Anthropic's reasoning, which has to be replayed byte for byte together with its signature. */
export type ThinkingBlock =
  { type: 'thinking'; thinking: string; signature: string } | { type: 'redacted_thinking'; data: string };

/** Tokens as the provider reported them for one request. `cachedTokens` is a part of `inputTokens`. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  /** True where the provider reported nothing and the numbers are our estimate. */
  estimated?: boolean;
  /** US dollars by the list price; absent where that is not known. */
  cost?: number;
}

/** The button an error or a notice offers. The page knows each by its label only; the host knows what it does. */
export type NextStep =
  | 'retry'
  /** Goes on where a limit ended the turn. */
  | 'continue'
  | 'setKey'
  | 'switchModel'
  | 'openLog'
  | 'openSettings'
  | 'resume'
  | 'newChat'
  | 'openFolder'
  | 'continueHere'
  | 'undoRestore';

/** What went wrong, in words for a person, with the step that leads on. Never a stack. */
export interface ErrorInfo {
  /** Stable name for tests and logs, such as `auth`, `rate_limit`, `network`, `context_length`. */
  code: string;
  /** What failed and why, in one or two sentences. */
  message: string;
  /** Buttons, the most helpful first. */
  next: NextStep[];
}

/**
 * What an attachment is where it is not simply a file. Problems, terminal output, changes, pages, chats and pasted texts are kept as a file at the
 * moment they are attached; the others are read when the message is sent.
 */
export type AttachmentKind = (typeof ATTACHMENT_KINDS)[number];

export const ATTACHMENT_KINDS = [
  ...(['folder', 'symbol', 'problems', 'terminal', 'changes', 'url'] as const),
  ...(['session', 'memory', 'skill', 'image', 'text'] as const),
] as const;

/** Something that a person attached to a message: a file, a range of one, or what its `kind` says. */
export interface Attachment {
  /** Absolute path or URI; of what could not be had, what was asked for. */
  path: string;
  /** What is shown, usually the path relative to its folder. */
  label: string;
  /** 1-based, inclusive. */
  startLine?: number;
  endLine?: number;
  /** Absent for a file. */
  kind?: AttachmentKind;
  /** About how many tokens it adds; absent until somebody has looked. */
  tokens?: number;
  /** Why there is nothing to attach, in words for a person. It is sent all the same, so that the model knows what is missing. */
  error?: string;
}

/** A file that a tool call touched or found, so that a click can open it. `line` is 1-based. */
export interface FileRef {
  path: string;
  line?: number;
}

/** Who sent a message that no person typed: a subagent whose work is over, or the agent that gives a subagent its task or added a schedule. */
export type Sender =
  | {
      kind: 'subagent';
      id: string;
      label: string;
      /** The opening of its task. */
      task: string;
      status: 'done' | 'error';
    }
  | { kind: 'agent' };

/** What people see of a finished tool call; the model sees the content of the tool message. */
export interface ToolMeta {
  status: 'ok' | 'error' | 'denied' | 'aborted';
  /** What, on what: one line. */
  summary: string;
  /** Milliseconds the call ran, waiting for an approval not included. */
  ms: number;
  files?: FileRef[];
  /** A unified diff of what the call changed. */
  diff?: string;
}

/** How many lines a turn added to and removed from one file. */
export interface FileChange {
  path: string;
  label: string;
  added: number;
  removed: number;
  kind: 'created' | 'changed' | 'deleted' | 'renamed';
  /** Where it was before, of a renamed one. It may have been changed, too. */
  from?: string;
  /** What the person decided about this file alone. */
  settled?: 'undone' | 'kept';
}

/**
 * A message as stored. Fields below the first group are ours or other programs': whatever else a line carries survives a
 * round trip.
 */
export interface StoredMessage {
  role: 'user' | 'assistant' | 'tool';
  content: string | ContentBlock[] | null;
  /** ISO 8601. */
  timestamp: string;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
  name?: string;
  reasoning_content?: string;
  thinking_blocks?: ThinkingBlock[];
  /** What a provider wants back with this message in later requests, such as reasoning only OpenAI can read. Opaque to everyone else. */
  extra_content?: Record<string, unknown>;

  /** Unique in its session. Lines of other programs get `line-<number>` on load. */
  id?: string;
  /** The turn it belongs to. */
  turn_id?: string;
  /** What the model is told beside the person's words: time, editor, problems. Kept apart from the text. */
  runtime_context?: string;
  attachments?: Attachment[];
  /** Absent means done. A message with `error` and no content is for people only and is never sent to a model. */
  status?: 'error' | 'aborted';
  /** With `aborted`: nobody stopped it, the process ended. The turn can be resumed. */
  interrupted?: boolean;
  error?: ErrorInfo;
  model?: string;
  usage?: Usage;
  tool?: ToolMeta;
  /** On a user message that no person typed. Of a subagent's the content is two texts: what it is, and the result. */
  sender?: Sender;
  /** On a result, or a message with a sender: it holds text from outside (web, MCP, files that are not the project's), which may be quoted and is no source of facts. */
  untrusted?: boolean;
  /** On the last message of a turn that changed files. */
  changes?: FileChange[];
  [key: string]: unknown;
}

/** The plain text of a message's content; images are left out. */
export function textOf(content: StoredMessage['content'] | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/**
 * What a message says, without what stands beside it for the model: the words of a person's message and not what is attached to it, the result of a
 * subagent's and not the text that says what it is.
 */
export function wordsOf({ content, attachments, sender }: StoredMessage): string {
  const hasAttached = attachments !== undefined && attachments.length > 0;
  const at = sender?.kind === 'subagent' ? 1 : hasAttached ? 0 : undefined;
  if (!Array.isArray(content) || at === undefined) return textOf(content);
  const block = content[at];
  return block?.type === 'text' ? block.text : '';
}

/** What became of all files of a turn together: undefined while one is undecided. */
export function outcomeOf(changes: readonly FileChange[]): 'kept' | 'undone' | undefined {
  if (changes.length === 0 || changes.some(({ settled }) => settled === undefined)) return undefined;
  return changes.every(({ settled }) => settled === 'undone') ? 'undone' : 'kept';
}
