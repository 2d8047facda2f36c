import type { ChatMessage, ChatState } from './chatState.js';
import type { AgentEvent, ApprovalDecision } from './event.js';
import type { Attachment, NextStep } from './message.js';

/** What the page posts. Enter posts one `prompt` and asks for nothing else. */
export type PageMessage =
  /** The page is loaded, or was reloaded: the host answers with one snapshot. */
  | { type: 'ready' }
  /** A frame was drawn. */
  | { type: 'ack'; n: number }
  | { type: 'prompt'; id: string; text: string; attachments: Attachment[] }
  | { type: 'stop' }
  | { type: 'approval'; id: string; decision: ApprovalDecision }
  /** Shows what an approval would write in VS Code's diff editor, where it can be changed. */
  | { type: 'openProposal'; id: string; path: string }
  | { type: 'answer'; id: string; text: string }
  | { type: 'queueEdit'; id: string; text: string }
  | { type: 'queueRemove'; id: string }
  /** Send what stayed queued after Stop. */
  | { type: 'queueSend' }
  /** Run the turn again from the person's message before this answer. */
  | { type: 'retry'; messageId: string }
  /** Start anew from this message of the person with another text; what followed stays in the file, out of the conversation. */
  | { type: 'resend'; messageId: string; text: string; /** Put the files back first. */ files?: boolean }
  /** Asks what going back to before this message would do; `restorePlan` is the answer. */
  | { type: 'planRestore'; messageId: string }
  /** Shows what would become of the files, in VS Code's diff editors. */
  | { type: 'reviewRestore'; messageId: string }
  | { type: 'restore'; messageId: string; what: RestoreWhat }
  /** Goes on in a new chat that has the messages up to an answer, or before a person's message. */
  | { type: 'fork'; messageId: string }
  | { type: 'cancelRetry' }
  | { type: 'next'; step: NextStep; noticeId?: string }
  | { type: 'dismissNotice'; id: string }
  | { type: 'newChat' }
  | { type: 'listSessions'; query: string }
  | { type: 'openSession'; key: string }
  | { type: 'renameSession'; key: string; title: string }
  | { type: 'deleteSession'; key: string }
  | { type: 'selectModel' }
  | { type: 'attach' }
  | { type: 'mention'; n: number; query: string }
  | { type: 'openFile'; path: string; line?: number }
  | { type: 'openLink'; href: string }
  /** Mermaid and math: the source opens in VS Code's own Markdown preview. */
  | { type: 'openPreview'; markdown: string }
  | { type: 'openMemory' }
  /** All files of a turn, or those at `paths`. */
  | { type: 'undoTurn'; turnId: string; paths?: string[] }
  | { type: 'keepTurn'; turnId: string; paths?: string[] }
  /** Shows what a turn changed in VS Code's own diff editors: all files, or the one at `path`. */
  | { type: 'reviewTurn'; turnId: string; path?: string }
  | { type: 'subagentStop'; id: string }
  | { type: 'subagentOpen'; id: string }
  | { type: 'subagentResume'; id: string }
  | { type: 'copy'; text: string }
  /** Messages before the first or after the last loaded one. */
  | { type: 'load'; direction: 'older' | 'newer'; at: number }
  | { type: 'find'; n: number; query: string }
  /** Show the conversation around this message (a hit of `find`). */
  | { type: 'goTo'; index: number }
  /** The composer's text, kept by the host so that a reload finds it. At most one every 300 ms; `at` is the page's time of the change. */
  | { type: 'draft'; text: string; at: number };

/** What a restore puts back to before a message. */
export type RestoreWhat = 'files' | 'conversation' | 'both';

/** What going back to before a message would do. */
export interface RestorePlan {
  messageId: string;
  /** Messages that would leave the conversation, this one among them. */
  messages: number;
  files: RestoredFile[];
}

export interface RestoredFile {
  path: string;
  label: string;
  kind: 'put back' | 'brought back' | 'removed';
  /** Somebody else changed it after: that would go, too. */
  changedSince: boolean;
}

export interface SessionRow {
  key: string;
  title: string;
  /** Epoch milliseconds of the last message. */
  updatedAt: number;
  messages: number;
  /** True while another window or process writes it. */
  busy: boolean;
  running: boolean;
  /** A line of the conversation that matches the search. */
  match?: string;
}

export interface MentionItem {
  path: string;
  label: string;
}

export interface CommandItem {
  name: string;
  description: string;
}

/** What the page needs once and what does not change by events. */
export interface PageSetup {
  /** Three example prompts for the empty state, taken from the workspace. */
  examples: string[];
  /** One line on what is remembered, such as "Nothing yet". */
  remembered: string;
  /** Where home lies. */
  home: string;
  commands: CommandItem[];
  draft: string;
  /** The page's own time of the draft, in epoch milliseconds; 0 where there is none. */
  draftAt: number;
  trusted: boolean;
}

/** What the host posts. */
export type HostMessage =
  | { type: 'snapshot'; n: number; state: ChatState; setup: PageSetup }
  /** Numbered from the snapshot's `n` + 1; a gap means: post `ready` again. */
  | { type: 'frame'; n: number; events: AgentEvent[] }
  | {
      type: 'loaded';
      direction: 'older' | 'newer' | 'around';
      first: number;
      total: number;
      messages: ChatMessage[];
      focus?: number;
    }
  | { type: 'found'; n: number; query: string; hits: FindHit[] }
  | { type: 'sessions'; query: string; rows: SessionRow[] }
  | { type: 'mentions'; n: number; items: MentionItem[] }
  /** What `/` completes now: the skills there are have changed. */
  | { type: 'commands'; items: CommandItem[] }
  | { type: 'attached'; attachments: Attachment[] }
  | { type: 'insert'; text: string }
  /** Send this as the person would: a command wrote it for them. What is in the composer stays. */
  | { type: 'send'; text: string; attachments: Attachment[] }
  | { type: 'focus' }
  | { type: 'restorePlan'; plan: RestorePlan }
  /**
   * The prompt with this id was not taken (queue full, read-only): its text goes back to the composer. With an empty reason it was a command
   * that has been carried out: the pending bubble goes and nothing comes back.
   */
  | { type: 'rejected'; id: string; reason: string };

/** `index` counts from the start of the conversation. */
export interface FindHit {
  index: number;
  messageId: string;
  excerpt: string;
}

/** Milliseconds between frames while the page keeps up, and while it is behind. An answer of 67 chunks a second is sent chunk by chunk. */
export const FRAME_MS = 12;
export const SLOW_FRAME_MS = 50;
/** Milliseconds between acknowledgements: each crosses three processes, so the newest stands for those before it. */
export const ACK_MS = 100;
/** Frames a page may have unacknowledged before it counts as behind: twice what it gets between two acknowledgements. */
export const MAX_UNACKED = 16;
/** Characters of a prompt; a longer one is refused with a word about files. */
export const MAX_PROMPT = 1_000_000;
