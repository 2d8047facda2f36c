import { t } from '@vscode/l10n';
import type { Conversation } from './conversation.js';
import { Gate } from './gate.js';
import { subagentOf } from './subagentRecord.js';

/** Turns at once, over all sessions. */
const MAX_TURNS = 3;

/**
 * Lets three turns run at once; who waits is told. Subagents pass beside it: they have a limit of their own, and a turn that waits for one must not
 * keep it out.
 */
export class TurnGate {
  private readonly gate = new Gate(MAX_TURNS);

  /** Runs a turn when there is room, or at once when its signal aborts. */
  async through<T>(conversation: Conversation, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
    if (subagentOf(conversation.key) !== undefined) return run();
    if (this.gate.full) {
      const words = t('Three other turns are running; this one begins when one of them has ended.');
      conversation.notice('waiting', 'info', words);
    }
    await this.gate.enter(signal);
    conversation.endNotices('waiting');
    try {
      return await run();
    } finally {
      this.gate.leave();
    }
  }
}
