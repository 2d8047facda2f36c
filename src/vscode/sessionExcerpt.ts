import { t } from '@vscode/l10n';
import type { Files } from '../platform/ports.js';
import { textOf, type StoredMessage } from '../protocol/message.js';
import { parseLine, readLines } from '../session/lines.js';
import { momentWords, type Present } from './dates.js';

/** Messages shown before and after the one that was found. */
const AROUND = 6;

/** A part of a conversation as a document for people. */
export interface Excerpt {
  /** Markdown. */
  text: string;
  /** Where the message stands in it: 0-based. */
  line: number;
}

/**
 * A message of a session's file with what was said around it. `line` is 1-based. Undefined where no words stand there any more: the file was written
 * anew, or is gone.
 */
export async function sessionExcerpt(
  files: Pick<Files, 'stat' | 'readRange'>,
  { path, line }: { path: string; line: number },
  present: Present,
): Promise<Excerpt | undefined> {
  const { size = 0 } = (await files.stat(path)) ?? {};
  const before: StoredMessage[] = [];
  const after: StoredMessage[] = [];
  let wanted: StoredMessage | undefined;
  reading: for await (const batch of readLines(files, path, { offset: 0, number: 1 }, size)) {
    for (const { bytes, number } of batch) {
      // Only what stands near is worth its parsing.
      const message = number < line - 10 * AROUND ? undefined : spoken(bytes);
      if (number === line) wanted = message;
      else if (message) (number < line ? before : after).push(message);
      if (number >= line && (!wanted || after.length === AROUND)) break reading;
    }
  }
  if (!wanted) return undefined;
  const parts = (messages: StoredMessage[]) => messages.map((message) => `${messageText(message, present)}\n\n---\n\n`);
  const lead = parts(before.slice(-AROUND)).join('');
  const tail = after.map((message) => `\n\n---\n\n${messageText(message, present)}`).join('');
  return { text: `${lead}${messageText(wanted, present)}${tail}\n`, line: lead.split('\n').length - 1 };
}

function spoken(bytes: Uint8Array): StoredMessage | undefined {
  const line = parseLine(bytes);
  if (line.kind !== 'message' || line.message.role === 'tool') return undefined;
  return textOf(line.message.content).trim() === '' ? undefined : line.message;
}

function messageText({ role, timestamp, content }: StoredMessage, present: Present): string {
  const time = Date.parse(timestamp);
  const when = Number.isNaN(time) ? '' : `, ${momentWords(time, present)}`;
  return `**${role === 'user' ? t('You') : 'Nanobot'}**${when}\n\n${textOf(content).trim()}`;
}
