import { t } from '@vscode/l10n';
import type { RunResult } from '../cron/ports.js';
import { textOf } from '../protocol/message.js';
import { tokensIn } from '../runner/usage.js';
import type { Session } from '../session/session.js';
import type { SpawnEnd } from '../tools/spawn.js';
import { SUBAGENT_CHANNEL, type SubagentRecord } from './subagentRecord.js';
import { runUnwatched, type UnwatchedDeps } from './unwatchedTurn.js';

/**
 * Runs a subagent to its end: from its task, from where an interrupted turn stood, or, where the turn had ended and only nobody heard of it, by looking
 * at what it said last. Rejects only where its session cannot be had.
 */
export async function runSubagent(
  deps: UnwatchedDeps,
  session: Session,
  { label, task, untrusted }: SubagentRecord,
  signal: AbortSignal,
): Promise<RunResult> {
  const begun = session.visible().length > 0;
  if (begun && !session.interrupted()) return endedBefore(session);
  const turn = {
    sessionKey: session.key,
    channel: SUBAGENT_CHANNEL,
    title: label,
    text: task,
    sender: { kind: 'agent' as const },
    ...(untrusted ? { untrusted } : {}),
    ...(begun ? { resume: true as const } : {}),
  };
  return runUnwatched(deps, turn, signal);
}

function endedBefore(session: Session): RunResult {
  const last = session.visible().findLast((message) => message.role === 'assistant');
  const tokens = session.visible().reduce((sum, { usage }) => sum + tokensIn(usage), 0);
  const ended = { text: textOf(last?.content), tokens, denied: [] };
  if (last?.status === undefined) return { status: 'ok', ...ended };
  const stopped = last.status === 'aborted';
  return {
    status: 'error',
    ...ended,
    stopped,
    error: last.error?.message ?? t('The turn failed; its session says why.'),
  };
}

/** What a run came to for whoever gets the result. */
export function endOf(session: Session, { status, text, error, denied, stopped, changed = [] }: RunResult): SpawnEnd {
  const refused = denied.length === 0 ? [] : [`(Denied, since nobody watches a subagent: ${denied.join('; ')})`];
  const files = changed.length === 0 ? [] : [`(Files changed, to be undone from its transcript: ${namesOf(changed)})`];
  const words = [text.trim(), ...files, ...refused].filter((part) => part !== '').join('\n\n');
  const untrusted = session.messages.some((message) => message.untrusted);
  if (status === 'ok') return { status: 'done', text: words || '(It ended without a word.)', untrusted };
  return { status: stopped ? 'stopped' : 'error', text: words, error: error ?? 'It failed.', untrusted };
}

/** Files that a result names. */
const NAMED = 20;

function namesOf(changed: readonly string[]): string {
  const more = changed.length > NAMED ? ` and ${String(changed.length - NAMED)} more` : '';
  return `${changed.slice(0, NAMED).join(', ')}${more}`;
}
