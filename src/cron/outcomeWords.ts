import { t } from '@vscode/l10n';
import type { RunRecord } from './runs.js';

/** What a run came to, for those who tell the person. */
export interface Outcome {
  /** The job's, or `heartbeat`. */
  id: string;
  name: string;
  /** What was to be done. */
  message: string;
  /** Whether the person wants to be told of a run that went well. */
  deliver: boolean;
  record: RunRecord;
  /** It failed so often that it was disabled. */
  disabled: boolean;
  /** It will be tried again soon. */
  retries: boolean;
}

const LONGEST = 400;

/** What to tell the person of a run; undefined where nothing has to be said: it went well and waits in its session, or is tried again. */
export function outcomeText(outcome: Outcome): { level: 'info' | 'warning'; text: string } | undefined {
  const { name, record, deliver, disabled, retries } = outcome;
  const denied =
    record.denied &&
    t(
      'Not allowed, since nobody could be asked: {0}. A rule can allow it: run it in a chat and choose "Allow always…".',
      record.denied.join('; '),
    );
  if (record.status === 'error') {
    if (retries && !disabled) return undefined;
    const failed = t('“{0}” failed: {1}', name, record.error ?? t('no reason given.'));
    const end = disabled ? t('It failed ten times in a row and was disabled.') : undefined;
    const what = deliver ? t('It was to do: {0}', shortened(outcome.message)) : undefined;
    return { level: 'warning', text: [failed, end, what, denied].filter(Boolean).join(' ') };
  }
  if (record.status === 'skipped' || (!deliver && denied === undefined)) return undefined;
  const isLate = record.late === true && record.dueAt !== undefined;
  const said = shortened(record.text ?? t('done.'));
  const done = isLate ? t('{0} (late): {1}', name, said) : t('{0}: {1}', name, said);
  return denied === undefined ? { level: 'info', text: done } : { level: 'warning', text: `${done} ${denied}` };
}

function shortened(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length > LONGEST ? `${flat.slice(0, LONGEST - 1)}…` : flat;
}
