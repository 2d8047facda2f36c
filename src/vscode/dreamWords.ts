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

/** A number with its noun: `1 entry`, `1,200 entries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** How a Dream ended, in a sentence or two. */
export function outcomeWords(outcome: DreamOutcome): string {
  switch (outcome.kind) {
    case 'learned': {
      const { commit, entries } = outcome;
      const by = commit.practice ? ', with the practice model' : '';
      return `Learned ${counted(commit.changes, 'thing')} from ${counted(entries, 'entry', 'entries')}${by}.`;
    }
    case 'skipped':
      return `Read ${counted(outcome.entries, 'entry', 'entries')}. Nothing in ${outcome.entries === 1 ? 'it' : 'them'} is worth keeping.`;
    case 'nothing':
      return outcome.entries === 0
        ? 'There is nothing new to read. Dream learns from what is said in chats.'
        : `Nothing to do yet: you undid what Dream made of ${counted(outcome.entries, 'entry', 'entries')}, so it waits for newer ones.`;
    case 'failed':
    case 'busy':
      return outcome.reason;
    case 'cancelled':
      return 'Dream was stopped. Nothing was changed.';
  }
}

/** What Dream is doing, for a person who waits for it. `turns`: a turn runs, whose end it waits for before it begins. */
export function phaseWords(phase: DreamState['phase'], turns = false): string {
  if (phase === 'noting') return 'Noting what was said just now…';
  if (phase === 'reading') return 'Reading what is new…';
  if (phase === 'editing') return 'Writing down what is worth keeping…';
  return turns ? 'Waiting for the running turn to end…' : 'Beginning…';
}

/** What the status bar shows. Without a `state` only the number of unread entries is known. */
export function statusView(unread: number, state: DreamState | undefined, present: Present): DreamStatusView {
  const fresh = unread > 0 ? `${unread.toLocaleString('en')} new` : '';
  const last = state?.lastRun;
  const failed = last?.outcome.kind === 'failed';
  const running = state !== undefined && state.phase !== 'idle';
  const icon = running ? '$(loading~spin)' : failed ? '$(warning)' : '$(sparkle)';
  const tail = running ? state.phase : fresh;
  const reading = unread > 0 ? counted(unread, 'new entry', 'new entries') : 'nothing new';
  return {
    text: `${icon} Dream${tail === '' ? '' : ` · ${tail}`}`,
    label: running ? `Dream, ${state.phase}` : `Dream, ${failed ? 'the last run failed, ' : ''}${reading}`,
    tooltip: tooltip(reading, state, present),
    warning: failed && !running,
  };
}

function tooltip(reading: string, state: DreamState | undefined, present: Present): string {
  const lines = [
    '**Dream** reads what your chats left behind and writes down what is worth keeping.',
    `${state && state.phase !== 'idle' ? 'Still to read' : 'A click reads'}: ${reading}`,
  ];
  const last = state?.lastRun;
  if (last) lines.push(`Last run: ${momentWords(last.at, present)}. ${escaped(outcomeWords(last.outcome))}`);
  if (state) {
    lines.push(
      state.nextRunAt === undefined
        ? 'It does not run by itself.'
        : `Next run by itself: ${momentWords(state.nextRunAt, present)}, if there is something to read.`,
    );
  }
  const links = [
    ...(last?.outcome.kind === 'learned' ? [link('Show changes', 'nanobot.dreamLog', last.outcome.commit.sha)] : []),
    link('All Dreams', 'nanobot.dreamLog'),
    link('Log', 'nanobot.openLog'),
    link('Settings', 'workbench.action.openSettings', 'nanobot.dream'),
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
