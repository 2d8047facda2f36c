import type { Attachment } from '../src/protocol/message.js';
import type { PageMessage } from '../src/protocol/wire.js';

/** Where the reader was: at the end, or with this message's upper edge `offset` CSS pixels below the transcript's. */
export interface SavedScroll {
  sessionKey: string;
  messageId: string;
  offset: number;
}

/** What the page keeps for itself, so that a reload finds it before the host has answered. */
export interface SavedPage {
  draft: string;
  /** When the draft was changed last, in epoch milliseconds. */
  at: number;
  attachments: Attachment[];
  /** Absent while the reader is at the end. */
  scroll?: SavedScroll;
}

/** Everything the page's logic needs from the outside. */
export interface PagePorts {
  post(message: PageMessage): void;
  /** Epoch milliseconds. */
  now(): number;
  newId(): string;
  /** Runs once before the next picture is drawn. */
  onFrame(run: () => void): void;
  /** Runs once after `ms` milliseconds unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
  /** Runs every `ms` milliseconds until the returned function is called. */
  every(ms: number, run: () => void): () => void;
  saved(): SavedPage | undefined;
  save(page: SavedPage): void;
  /** Notes which session is shown, so that an editor tab shows it again after the window was loaded anew. */
  rememberSession(key: string): void;
}
