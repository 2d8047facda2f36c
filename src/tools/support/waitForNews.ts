import type { RunningCommand } from './runningCommand.js';

/** Milliseconds after the first new output in which the rest of it may come, so that a line is not told in pieces. */
const REST_MS = 100;

/** Resolves when the command has written something new or ended, `ms` milliseconds are over or the signal aborts. Counts as a poll. */
export async function waitForNews(command: RunningCommand, ms: number, signal: AbortSignal): Promise<void> {
  if (!(await command.isLive())) return;
  command.polled();
  // A shell that ended earlier may have left a server running, whose output is the only news there can be.
  const wasEnded = command.ending !== undefined;
  const ended = () => !wasEnded && command.ending !== undefined;
  await command.wait(() => command.hasNews || ended(), ms, signal);
  if (command.hasNews) await command.wait(ended, Math.min(ms, REST_MS), signal);
}
