const PREFIX = 'cron:';

/** The session that the heartbeat's turns belong to, and the id of its run history. */
export const HEARTBEAT_ID = 'heartbeat';

/** The session that the runs of a job belong to. */
export function jobSession(jobId: string): string {
  return `${PREFIX}${jobId}`;
}

/** Whether a turn is a schedule's or the heartbeat's own: in their session, and with nobody watching. */
export function isScheduledTurn(sessionKey: string, watched: boolean): boolean {
  return !watched && (sessionKey.startsWith(PREFIX) || sessionKey === HEARTBEAT_ID);
}
