import type { Child } from './ports.js';

/** The person's own shell, in a terminal of the editor: one for each session. */
export interface TerminalShell {
  /**
   * Runs a command in a folder. What it gives instead of a child is why that cannot be, as the end of a sentence: then nothing has run. Killing the child
   * also ends its terminal; the next command gets a new one. Rejects with the signal's reason where it was aborted before anything ran.
   */
  start(sessionKey: string, command: string, cwd: string, signal?: AbortSignal): Promise<Child | string>;
  /** Closes the session's terminal. */
  end(sessionKey: string): void;
}
