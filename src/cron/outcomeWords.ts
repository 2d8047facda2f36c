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
    record.denied === undefined
      ? ''
      : ` Not allowed, since nobody could be asked: ${record.denied.join('; ')}. A rule can allow it: run it in a chat and choose "Allow always…".`;
  if (record.status === 'error') {
    if (retries && !disabled) return undefined;
    const end = disabled ? ' It failed ten times in a row and was disabled.' : '';
    const what = deliver ? ` It was to do: ${shortened(outcome.message)}` : '';
    return { level: 'warning', text: `“${name}” failed: ${record.error ?? 'no reason given.'}${end}${what}${denied}` };
  }
  if (record.status === 'skipped' || (!deliver && denied === '')) return undefined;
  const late = record.late === true && record.dueAt !== undefined ? ' (late)' : '';
  const said = shortened(record.text ?? 'done.');
  return { level: denied === '' ? 'info' : 'warning', text: `${name}${late}: ${said}${denied}` };
}

function shortened(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length > LONGEST ? `${flat.slice(0, LONGEST - 1)}…` : flat;
}
