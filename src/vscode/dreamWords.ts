import { t } from '@vscode/l10n';
import type { DreamOutcome, DreamState } from '../memory/dream.js';
import { momentWords, type Present } from './dates.js';

/** What the status bar shows of Dream. */
export interface DreamStatusView {
  /** With icons in VS Code's form, `$(name)`. */
  text: string;
  /** For people who hear it. */
  label: string;
  /** Markdown with links to commands. */
  tooltip: string;
  warning: boolean;
}

/** A number for people: `1,200`. */
export function numberWords(count: number): string {
  return count.toLocaleString('en');
}

function entriesWords(count: number): string {
  return count === 1 ? t('1 entry') : t('{0} entries', numberWords(count));
}

/** How a Dream ended, in a sentence or two. */
export function outcomeWords(outcome: DreamOutcome): string {
  switch (outcome.kind) {
    case 'learned': {
      const { commit, entries } = outcome;
      const things = commit.changes === 1 ? t('1 thing') : t('{0} things', numberWords(commit.changes));
      return commit.practice
        ? t('Learned {0} from {1}, with the practice model.', things, entriesWords(entries))
        : t('Learned {0} from {1}.', things, entriesWords(entries));
    }
    case 'skipped':
      return outcome.entries === 1
        ? t('Read 1 entry. Nothing in it is worth keeping.')
        : t('Read {0} entries. Nothing in them is worth keeping.', numberWords(outcome.entries));
    case 'nothing':
      return outcome.entries === 0
        ? t('There is nothing new to read. Dream learns from what is said in chats.')
        : t(
            'Nothing to do yet: you undid what Dream made of {0}, so it waits for newer ones.',
            entriesWords(outcome.entries),
          );
    case 'failed':
    case 'busy':
      return outcome.reason;
    case 'cancelled':
      return t('Dream was stopped. Nothing was changed.');
  }
}

/** What Dream is doing, for a person who waits for it. `turns`: a turn runs, whose end it waits for before it begins. */
export function phaseWords(phase: DreamState['phase'], turns = false): string {
  if (phase === 'noting') return t('Noting what was said just now…');
  if (phase === 'reading') return t('Reading what is new…');
  if (phase === 'editing') return t('Writing down what is worth keeping…');
  return turns ? t('Waiting for the running turn to end…') : t('Beginning…');
}

/** What the status bar shows. Without a `state` only the number of unread entries is known. */
export function statusView(unread: number, state: DreamState | undefined, present: Present): DreamStatusView {
  const fresh = unread > 0 ? t('{0} new', numberWords(unread)) : '';
  const last = state?.lastRun;
  const failed = last?.outcome.kind === 'failed';
  const doing = doingWords(state?.phase ?? 'idle');
  const running = doing !== undefined;
  const icon = running ? '$(loading~spin)' : failed ? '$(warning)' : '$(sparkle)';
  const tail = doing ?? fresh;
  const reading =
    unread === 0 ? t('nothing new') : unread === 1 ? t('1 new entry') : t('{0} new entries', numberWords(unread));
  const waiting = failed ? t('Dream, the last run failed, {0}', reading) : t('Dream, {0}', reading);
  return {
    text: `${icon} Dream${tail === '' ? '' : ` · ${tail}`}`,
    label: running ? t('Dream, {0}', doing) : waiting,
    tooltip: tooltip(reading, state, present),
    warning: failed && !running,
  };
}

/** Undefined where it does nothing. */
function doingWords(phase: DreamState['phase']): string | undefined {
  if (phase === 'idle') return undefined;
  if (phase === 'noting') return t({ message: 'noting', comment: 'what Dream does now' });
  if (phase === 'reading') return t({ message: 'reading', comment: 'what Dream does now' });
  return t({ message: 'editing', comment: 'what Dream does now' });
}

function tooltip(reading: string, state: DreamState | undefined, present: Present): string {
  const lines = [
    t('**Dream** reads what your chats left behind and writes down what is worth keeping.'),
    state && state.phase !== 'idle' ? t('Still to read: {0}', reading) : t('A click reads: {0}', reading),
  ];
  const last = state?.lastRun;
  if (last) lines.push(t('Last run: {0}. {1}', momentWords(last.at, present), escaped(outcomeWords(last.outcome))));
  if (state) {
    lines.push(
      state.nextRunAt === undefined
        ? t('It does not run by itself.')
        : t('Next run by itself: {0}, if there is something to read.', momentWords(state.nextRunAt, present)),
    );
  }
  const links = [
    ...(last?.outcome.kind === 'learned' ? [link(t('Show changes'), 'nanobot.dreamLog', last.outcome.commit.sha)] : []),
    link(t('All Dreams'), 'nanobot.dreamLog'),
    link(t('Log'), 'nanobot.openLog'),
    link(t('Settings'), 'workbench.action.openSettings', 'nanobot.dream'),
  ];
  return [...lines, links.join(' · ')].join('\n\n');
}

function link(label: string, command: string, argument?: string): string {
  const query = argument === undefined ? '' : `?${encodeURIComponent(JSON.stringify([argument]))}`;
  return `[${label}](command:${command}${query})`;
}

/** Text as it is, where Markdown is read. */
function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~$&]/g, (sign) => `\\${sign}`).replaceAll('\n', ' ');
}
