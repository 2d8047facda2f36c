/** A commit of the memory's history that changed something of what is tracked. */
export interface MemoryCommit {
  /** 40 hex digits. */
  sha: string;
  /** Epoch milliseconds, in whole seconds. */
  time: number;
  /** The first line of the message. */
  message: string;
  kind: 'dream' | 'hand' | 'restore' | 'other';
  /**
   * What a person would count: lines added, removed or edited (an edited line is one), without blank lines and headings; a file that came or
   * went is one, and so is a file changed in blank lines or headings only. The Dream cursor counts nothing.
   */
  changes: number;
  /** Paths below the home with `/`, sorted, without the Dream cursor. */
  files: string[];
  /** Cursors of the entries of history.jsonl that a Dream had read, ascending. */
  cursors?: number[];
  /** Present on a Dream that the practice model made. */
  practice?: boolean;
  /** Full sha of the commit whose changes a restore took back. */
  restores?: string;
}

/** A tracked file before and after a commit; undefined where it was not there. Of a binary file the texts only say so. */
export interface FileVersion {
  path: string;
  before: string | undefined;
  after: string | undefined;
  binary?: boolean;
}

/** What the message of a Dream's commit tells. */
export interface DreamFacts {
  /** Local time, `YYYY-MM-DD HH:MM`. */
  at: string;
  changes: number;
  /** Cursors of the entries it had read, in any order. */
  cursors: readonly number[];
  practice?: boolean;
}

/** The part of a commit that its message holds. */
export type MessageFacts = Pick<MemoryCommit, 'message' | 'kind' | 'cursors' | 'practice' | 'restores'>;

/** Message of the commit of what a person changed. */
export const BY_HAND = 'edit: by hand';

/** More cursors than any Dream reads; a message that names more is not one of ours. */
const MAX_CURSORS = 1_000;

/** The message of a Dream's commit: `dream: 2026-04-15 15:23, 3 change(s)`, and below it what `parseMessage` reads again. */
export function dreamMessage({ at, changes, cursors, practice }: DreamFacts): string {
  const trailers = [
    ...(cursors.length > 0 ? [`Entries: ${ranges(cursors)}`] : []),
    ...(practice === true ? ['Practice: yes'] : []),
  ];
  const subject = `dream: ${at}, ${String(changes)} change(s)`;
  return trailers.length > 0 ? `${subject}\n\n${trailers.join('\n')}\n` : `${subject}\n`;
}

/** The message of the commit that takes another one's changes back, or brings back what was taken. */
export function restoreMessage(target: Pick<MemoryCommit, 'sha' | 'message' | 'kind'>): string {
  const former = target.kind === 'restore' ? /^restore: (undo|redo) "(.*)"$/.exec(target.message) : null;
  const verb = former?.[1] === 'undo' ? 'redo' : 'undo';
  return `restore: ${verb} "${former?.[2] ?? target.message}"\n\nRestores: ${target.sha}\n`;
}

/** What a commit's message says. Never throws: the messages of others are of kind `other`. */
export function parseMessage(text: string): MessageFacts {
  const [message = ''] = text.trimStart().split('\n', 1);
  const cursors = numbersOf(trailer(text, 'Entries'));
  const restores = /^[0-9a-f]{40}$/.exec(trailer(text, 'Restores'))?.[0];
  return {
    message: message.trim(),
    kind: kindOf(message),
    ...(cursors.length > 0 ? { cursors } : {}),
    ...(/^yes$/i.test(trailer(text, 'Practice')) ? { practice: true } : {}),
    ...(restores === undefined ? {} : { restores }),
  };
}

function kindOf(message: string): MemoryCommit['kind'] {
  if (/^dream: /.test(message)) return 'dream';
  if (message.trim() === BY_HAND) return 'hand';
  // nanobot (Python) calls its own restores `revert: `.
  return /^(restore|revert): /.test(message) ? 'restore' : 'other';
}

function trailer(text: string, name: string): string {
  return new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
}

/** `3-7, 9` for 3, 4, 5, 6, 7 and 9. */
function ranges(cursors: readonly number[]): string {
  const sorted = [...new Set(cursors)].sort((left, right) => left - right);
  const spans: [number, number][] = [];
  for (const cursor of sorted) {
    const last = spans.at(-1);
    if (last && cursor === last[1] + 1) last[1] = cursor;
    else spans.push([cursor, cursor]);
  }
  return spans.map(([from, to]) => (from === to ? String(from) : `${String(from)}-${String(to)}`)).join(', ');
}

function numbersOf(text: string): number[] {
  const cursors = new Set<number>();
  for (const part of text.split(',')) {
    const span = /^\s*(\d{1,15})(?:\s*-\s*(\d{1,15}))?\s*$/.exec(part);
    if (!span) continue;
    const from = Number(span[1]);
    const to = Number(span[2] ?? span[1]);
    for (let cursor = from; cursor <= to && cursors.size < MAX_CURSORS; cursor += 1) cursors.add(cursor);
  }
  return [...cursors].sort((left, right) => left - right);
}
