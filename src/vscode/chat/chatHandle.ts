import type { App } from '../../app.js';
import type { Conversation } from '../../agent/conversation.js';
import type { Attachment } from '../../protocol/message.js';
import type { ActiveSession, HostMessage, PageMessage } from '../../protocol/wire.js';
import type { ChatActions } from './chatActions.js';

/** What was typed and not sent; `at` is the page's time of the last change, 0 where there is none. */
export interface Draft {
  text: string;
  at: number;
}

/** What outlives the page: the session shown last and drafts. */
export interface ChatStorage {
  session(): string | undefined;
  setSession(key: string): void;
  draft(key: string): Draft;
  setDraft(key: string, draft: Draft): void;
}

/** The pages of this window, as one of them sees the others. */
export interface PageGroup {
  /** What is active in sessions of this window. */
  activity(): ActiveSession[];
  /** Approvals and questions that wait, in whatever session. */
  waitingForPerson(): number;
  /** The person has this session before them. */
  saw(key: string): void;
  /** Whether another page shows a session. */
  isShownElsewhere(key: string, page: object): boolean;
  /** Whether another page sent the message with this id. */
  isSentElsewhere(id: string, page: object): boolean;
  /** A session was deleted: whatever page shows it goes on with a new one. */
  deleted(key: string): Promise<void>;
  focused(page: object): void;
  closed(page: object): void;
}

/** One chat page, as what answers its messages sees it. */
export interface ChatHandle {
  readonly app: App;
  readonly actions: ChatActions;
  readonly storage: ChatStorage;
  readonly group: PageGroup;
  /** The session that is shown. */
  readonly sessionKey: string;
  /** The conversation that is shown; rejects where its file cannot be read. */
  conversation(): Promise<Conversation>;
  post(message: HostMessage): void;
  /** Puts attachments into the composer. */
  attach(attachments: Attachment[]): void;
  /** Shows another session. */
  open(key: string): Promise<void>;
  newChat(): Promise<void>;
  /** Notes that this page sent the message with this id. */
  sent(id: string): void;
}

/** A handler for each type that the page posts; a type without one does not compile. */
export type Handlers = {
  [T in PageMessage['type']]: (message: Extract<PageMessage, { type: T }>) => void | Promise<void>;
};
