import { RUN_TOKENS } from '../cron/dayBudget.js';

/** Tokens a turn may use, 0 for no limit: what the person set, and never more than a schedule's run may where nobody watches one. */
export function turnTokens(setting: number, sessionKey: string, watched: boolean): number {
  const isScheduled = !watched && (sessionKey.startsWith('cron:') || sessionKey === 'heartbeat');
  if (!isScheduled) return setting;
  return setting === 0 ? RUN_TOKENS : Math.min(setting, RUN_TOKENS);
}
