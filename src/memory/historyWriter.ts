import { localMinute } from '../platform/localTime.js';
import { maskSecrets } from '../platform/maskSecrets.js';
import type { Clock, Files } from '../platform/ports.js';
import type { CursorFile } from './cursorFile.js';
import type { DreamCursor } from './dreamCursor.js';
import type { HistoryEntry, NewEntry } from './historyEntry.js';
import type { HistoryIndex } from './historyIndex.js';

/** What is needed to write history.jsonl. Everything here happens under its lock. */
export interface HistoryWriting {
  files: Files;
  clock: Clock;
  /** Of history.jsonl. */
  path: string;
  /** memory/.cursor. */
  allocated: CursorFile;
  dream: DreamCursor;
}

/** The greatest cursor that was ever given, as far as the file and memory/.cursor know. */
export async function newestAllocated({ allocated }: HistoryWriting, { places }: HistoryIndex): Promise<number> {
  return Math.max((await allocated.read()).value ?? 0, places.at(-1)?.cursor ?? 0);
}

/**
 * Numbers the entries and appends them with one flushed write. The cursors are noted as given before the entries are written: a process that dies in
 * between leaves a gap and never a cursor that comes twice. A write that fails is taken back.
 */
export async function writeEntries(
  writing: HistoryWriting,
  index: HistoryIndex,
  entries: readonly NewEntry[],
): Promise<HistoryEntry[]> {
  const { clock, allocated, dream } = writing;
  const last = await newestAllocated(writing, index);
  // A mark beyond everything that was written would make Dream pass over what is written now.
  if ((await dream.read()) > last) await dream.write(last);
  const timestamp = localMinute(clock);
  const numbered = entries.map((entry, at) => entryOf(entry, last + 1 + at, timestamp));
  await allocated.write(last + numbered.length, { flush: false });
  await appendLines(writing, index, numbered);
  return numbered;
}

/** An entry as it is written: in the order of fields that the format has, and without secrets. */
export function entryOf({ content, session_key, project }: NewEntry, cursor: number, timestamp: string): HistoryEntry {
  return {
    cursor,
    timestamp,
    content: maskSecrets(content),
    ...(session_key === undefined ? {} : { session_key }),
    ...(project === undefined ? {} : { project: maskSecrets(project) }),
  };
}

/** The entries as lines of the file. */
export function linesOf(entries: readonly HistoryEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

async function appendLines(
  { files, path }: HistoryWriting,
  { size, end }: HistoryIndex,
  entries: readonly HistoryEntry[],
): Promise<void> {
  // What a process that died left half-written gets a line of its own.
  const text = `${end < size ? '\n' : ''}${linesOf(entries)}`;
  try {
    await files.append(path, text, { flush: true });
  } catch (error) {
    // Where even this fails, the half line is passed over when it is read.
    if (size > 0) await files.truncate(path, size).catch(() => undefined);
    else await files.remove(path).catch(() => undefined);
    throw error;
  }
}
