import type { App } from '../../app.js';
import type { Conversation } from '../../agent/conversation.js';
import type { Attachment } from '../../protocol/message.js';
import type { HostMessage, PageMessage } from '../../protocol/wire.js';
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

/** One chat page, as what answers its messages sees it. */
export interface ChatHandle {
  readonly app: App;
  readonly actions: ChatActions;
  readonly storage: ChatStorage;
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
}

/** A handler for each type that the page posts; a type without one does not compile. */
export type Handlers = {
  [T in PageMessage['type']]: (message: Extract<PageMessage, { type: T }>) => void | Promise<void>;
};
