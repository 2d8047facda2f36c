import type { ChatMessage, ChatState } from './chatState.js';
import type { AgentEvent, ApprovalDecision } from './event.js';
import type { Attachment, AttachmentKind, NextStep } from './message.js';

/** What the page posts. Enter posts one `prompt` and asks for nothing else. */
export type PageMessage =
  /** The page is loaded, or was reloaded: the host answers with one snapshot. */
  | { type: 'ready' }
  /** The page got the focus: commands that name no chat mean this one. */
  | { type: 'focused' }
  /** A frame was drawn. */
  | { type: 'ack'; n: number }
  /** Something in the page threw: for the log. */
  | { type: 'pageError'; text: string }
  /** `session` is the one it was written for; absent from a page that has not been shown any yet. */
  | { type: 'prompt'; id: string; text: string; attachments: Attachment[]; session?: string }
  | { type: 'stop' }
  | { type: 'approval'; id: string; decision: ApprovalDecision }
  /** Shows what an approval would write in VS Code's diff editor, where it can be changed. */
  | { type: 'openProposal'; id: string; path: string }
  | { type: 'answer'; id: string; text: string }
  | { type: 'queueEdit'; id: string; text: string }
  | { type: 'queueRemove'; id: string }
  /** One place towards the front of the queue (-1) or its end (1). */
  | { type: 'queueMove'; id: string; by: -1 | 1 }
  /** Send what stayed queued after Stop. */
  | { type: 'queueSend' }
  /** Run the turn again from the person's message before this answer. */
  | { type: 'retry'; messageId: string }
  /**
   * Start anew from this message of the person with another text; what followed stays in the file, out of the conversation. With `files` those are
   * put back first. `session` as of a prompt.
   */
  | { type: 'resend'; messageId: string; text: string; files?: boolean; session?: string }
  /** Asks what going back to before this message would do; `restorePlan` is the answer and says what it was asked `for`. */
  | { type: 'planRestore'; messageId: string; for: PlanUse }
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
  | { type: 'pinSession'; key: string; pinned: boolean }
  /** Show this session in an editor tab of its own. */
  | { type: 'openInEditor'; key: string }
  | { type: 'selectModel' }
  | { type: 'attach' }
  /** Make an attachment of what has to be had first; `taken` answers under the same id. */
  | { type: 'take'; id: string; source: AttachmentSource }
  /** Look what these are and how large; `measured` answers. */
  | { type: 'measure'; attachments: Attachment[] }
  /** Put a pasted text back into the composer. */
  | { type: 'unfold'; path: string }
  /** What of the conversation takes the most room; `pieces` answers. */
  | { type: 'listPieces' }
  /** Show where tools of servers or skills are switched off. */
  | { type: 'openView'; view: 'servers' | 'skills' }
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
  /** A button of a code block. `info`: what stands behind the fence's marks; `named`: paths in the text just before the block. */
  | { type: 'code'; action: CodeAction; text: string; info: string; named: string[] }
  /** Messages before the first or after the last loaded one. */
  | { type: 'load'; direction: 'older' | 'newer'; at: number }
  | { type: 'find'; n: number; query: string }
  /** Show the conversation around this message (a hit of `find`). */
  | { type: 'goTo'; index: number }
  /** The composer's text, kept by the host so that a reload finds it. At most one every 300 ms; `at` is the page's time of the change. */
  | { type: 'draft'; text: string; at: number };

/** What a restore puts back to before a message. */
export type RestoreWhat = 'files' | 'conversation' | 'both';

/** Whether a plan is for the message that is being edited, or for the person to choose from. */
export type PlanUse = 'edit' | 'restore';

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

/** What can be done with a code block beside copying it. */
export type CodeAction = 'insert' | 'apply' | 'newFile' | 'run';

export interface SessionRow {
  key: string;
  title: string;
  /** Epoch milliseconds of the last message. */
  updatedAt: number;
  messages: number;
  /** True while another window or process writes it. */
  busy: boolean;
  running: boolean;
  pinned?: true;
  /** It began in a folder of this window. */
  here?: true;
  /** The folder it began in, by its last name, where that is another one. */
  project?: string;
  /** What of the title matches the search. */
  titleMarks?: Mark[];
  /** A line of the conversation that matches the search, and what of it does. */
  match?: string;
  matchMarks?: Mark[];
}

/** A piece of a text: from the first character up to, not including, the second. */
export type Mark = [from: number, to: number];

/** A session in which something runs, waits for the person, or has ended where nobody looked. */
export interface ActiveSession {
  key: string;
  title: string;
  state: 'running' | 'waiting' | 'asks' | 'finished' | 'failed';
}

/** What the host makes an attachment of. `label` is what the chip shows meanwhile. */
export interface AttachmentSource {
  kind: Exclude<AttachmentKind, 'folder' | 'memory' | 'skill'>;
  label: string;
  /** Of a symbol its file, of a page its address, of a chat its key, of an image base64, of a text itself; empty for the others. */
  value: string;
  /** Of a symbol, 1-based. */
  line?: number;
}

/** A row of the list behind `@`: something to attach, or with `narrow` a word that narrows the list to one kind. */
export interface MentionItem {
  /** As `AttachmentSource.value`, or the path; of a row that narrows, the words that come in place of the query. */
  path: string;
  label: string;
  /** Absent for a file. */
  kind?: AttachmentKind | 'narrow';
  /** What the label does not say: where a symbol stands, how old a chat is. */
  detail?: string;
  /** 1-based. */
  line?: number;
}

/** A part of the conversation that takes much room. */
export interface ContextPiece {
  label: string;
  tokens: number;
  /** Which message of the conversation holds it, counted from the start. */
  index: number;
  kind: 'result' | 'attachment' | 'message';
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
  /** `isPart`: found by their titles; what is found in texts follows. */
  | { type: 'sessions'; query: string; rows: SessionRow[]; isPart?: true }
  /** All sessions of this window that are active now; replaces those told before. */
  | { type: 'activity'; sessions: ActiveSession[] }
  | { type: 'mentions'; n: number; items: MentionItem[] }
  /** What `/` completes now: the skills there are have changed. */
  | { type: 'commands'; items: CommandItem[] }
  | { type: 'attached'; attachments: Attachment[] }
  | { type: 'taken'; id: string; attachment: Attachment }
  /** What was to be attached is not there to be named: the chip goes, the reason is shown, and a text comes back. */
  | { type: 'notTaken'; id: string; reason: string }
  /** In the order in which they were asked for; what is gone by then stays gone. */
  | { type: 'measured'; of: Attachment[]; attachments: Attachment[] }
  /** An image file that is too large for a model: the page makes it smaller and posts `take` with this id. */
  | { type: 'shrink'; of: Attachment; data: string }
  /** What is selected in the editor, offered and never added by itself; null where nothing is. */
  | { type: 'selection'; attachment: Attachment | null }
  | { type: 'pieces'; attachments: number; pieces: ContextPiece[] }
  | { type: 'insert'; text: string }
  /** Send this as the person would: a command wrote it for them. What is in the composer stays. */
  | { type: 'send'; text: string; attachments: Attachment[] }
  | { type: 'focus' }
  | { type: 'restorePlan'; plan: RestorePlan; for: PlanUse }
  /** Show which keys there are. */
  | { type: 'keys' }
  /**
   * The prompt with this id was not taken (queue full, read-only): its text goes back to the composer. With an empty reason it was a command
   * that has been carried out: the pending bubble goes and nothing comes back. `words` are its own, where the page may have forgotten it.
   */
  | { type: 'rejected'; id: string; reason: string; words?: { text: string; attachments: Attachment[] } };

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
/** Images that one message carries. */
export const MAX_IMAGES = 20;
/** Bytes of an image, and pixels of its longer side, that models take; a larger one is scaled down. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
export const MAX_IMAGE_PIXELS = 2_000;
/** Characters of a pasted text that becomes an attachment at most, and characters or lines from which on it does. */
export const MAX_PASTED = 5_000_000;
export const LONG_PASTE = { characters: 2_000, lines: 40 };
/** Things that one message carries beside its words. */
export const MAX_ATTACHMENTS = 100;
/** Characters of a text that is copied, and of a code block that something is done with. */
export const MAX_CODE = 20_000_000;
