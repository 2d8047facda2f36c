import { RUN_TOKENS } from '../cron/dayBudget.js';
import { isScheduledTurn } from '../cron/jobSession.js';

/** Tokens a turn may use, 0 for no limit: what the person set, and never more than a schedule's run may where nobody watches one. */
export function turnTokens(setting: number, sessionKey: string, watched: boolean): number {
  if (!isScheduledTurn(sessionKey, watched)) return setting;
  return setting === 0 ? RUN_TOKENS : Math.min(setting, RUN_TOKENS);
}
