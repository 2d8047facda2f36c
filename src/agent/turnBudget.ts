import { RUN_TOKENS } from '../cron/dayBudget.js';
import { isScheduledTurn } from '../cron/jobSession.js';

/** Fewer tokens than this are no help to a subagent. */
const LEAST = 10_000;

/** Tokens a turn may use, 0 for no limit: what the person set, and never more than a schedule's run may where nobody watches one. */
export function turnTokens(setting: number, sessionKey: string, watched: boolean, allowance?: number): number {
  const limit = allowance ?? (isScheduledTurn(sessionKey, watched) ? RUN_TOKENS : 0);
  if (limit === 0) return setting;
  return setting === 0 ? limit : Math.min(setting, limit);
}

/**
 * What the subagents of a turn that nobody watches may use together: as much as the turn itself. Each is granted half of what is left when it is
 * started, and gives back what it did not use.
 */
export class SharedBudget {
  private readonly left = new Map<string, number>();

  /** Tokens for one more subagent of a turn; undefined where too little is left. */
  grant(turnId: string): number | undefined {
    const left = this.left.get(turnId) ?? RUN_TOKENS;
    const granted = Math.floor(left / 2);
    if (granted < LEAST) return undefined;
    this.left.set(turnId, left - granted);
    return granted;
  }

  /** A subagent ended that was granted so many tokens and used so many. */
  settle(turnId: string, granted: number, used: number): void {
    this.left.set(turnId, (this.left.get(turnId) ?? RUN_TOKENS) + Math.max(0, granted - used));
  }
}
