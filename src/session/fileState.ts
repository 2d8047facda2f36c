import type { FileStat, Files } from '../platform/ports.js';
import type { StoredMessage } from '../protocol/message.js';
import { endsOf, endsStand, HEAD_BYTES, TAIL_BYTES, type FileEnds } from './fileEnds.js';
import { type MetadataLine, parseLine, type RawLine, readLines } from './lines.js';

/** What tells whether a file still is the one that was read, up to `size`. */
export interface FileMark extends FileEnds {
  /** Bytes read and understood. */
  size: number;
  ino: number | undefined;
  mtime: number;
}

/** What one session file holds, up to `size`. */
export interface FileState extends FileMark {
  exists: boolean;
  messages: StoredMessage[];
  /** The last metadata line; undefined where the file has none. */
  metadata: MetadataLine | undefined;
  metadataLines: number;
  /** The number of the line that starts at `size`. */
  nextLine: number;
  /** The last line has no line end yet: the next append has to give it one. */
  open: boolean;
  invalid: { line: number; reason: string }[];
}

export function emptyFile(): FileState {
  return {
    exists: false,
    messages: [],
    metadata: undefined,
    metadataLines: 0,
    size: 0,
    nextLine: 1,
    open: false,
    invalid: [],
    ino: undefined,
    mtime: 0,
    head: new Uint8Array(),
    tail: new Uint8Array(),
  };
}

/** What to do with a last line that has no line end and does not parse: another process may be writing it, or it is torn for good. */
export type LastLine = 'wait' | 'torn';

/**
 * Reads what stands behind `state.size` into the state, slice by slice. Lines that cannot be read are noted, never thrown about. The caller
 * has made sure that what was read before still stands (`sameFile`).
 */
export async function readOn(
  files: Files,
  path: string,
  state: FileState,
  stat: FileStat,
  last: LastLine,
): Promise<void> {
  for await (const batch of readLines(files, path, { offset: state.size, number: state.nextLine }, stat.size)) {
    for (const line of batch) {
      if (!take(state, line, last)) break;
    }
  }
  state.exists = true;
  await remember(files, path, state, stat);
}

/** Whether the file still starts and continues the way it did when it was read: only then may the rest be read as an append. */
export async function sameFile(files: Files, path: string, state: FileMark, stat: FileStat): Promise<boolean> {
  if (stat.size < state.size || (state.ino !== undefined && stat.ino !== state.ino)) return false;
  if (state.size === 0) return true;
  return endsStand(files, path, state.size, state);
}

/** Counts our own append of `text` into the state, so that nothing has to be read back. */
export function noteAppend(state: FileState, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  if (state.head.length < HEAD_BYTES) {
    state.head = Buffer.concat([state.head, bytes.subarray(0, HEAD_BYTES - state.head.length)]);
  }
  state.tail = Buffer.concat([state.tail, bytes.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
  state.size += bytes.length;
  state.nextLine += text.split('\n').length - 1;
  state.open = false;
  state.exists = true;
}

/**
 * Gives a message what every stored message has: a time and an id. The id of a line without one is made of its place among the messages,
 * which is its line number in a file as nanobot writes it, and which compaction does not change.
 */
export function completed(message: StoredMessage, index: number, fallbackTime: string): StoredMessage {
  const timed = message.timestamp === '' ? { ...message, timestamp: fallbackTime } : message;
  return timed.id === undefined ? { ...timed, id: `line-${index + 2}` } : timed;
}

/** False for a last line that is left alone for now. */
function take(state: FileState, raw: RawLine, last: LastLine): boolean {
  const line = parseLine(raw.bytes);
  if (line.kind === 'invalid' && !raw.ended && last === 'wait') return false;
  if (line.kind === 'message') {
    state.messages.push(completed(line.message, state.messages.length, state.metadata?.created_at ?? ''));
  } else if (line.kind === 'metadata') {
    state.metadata = line.metadata;
    state.metadataLines += 1;
  } else if (line.kind === 'invalid') {
    state.invalid.push({ line: raw.number, reason: line.reason });
  }
  state.size = raw.end;
  state.nextLine = raw.ended ? raw.number + 1 : raw.number;
  state.open = !raw.ended;
  return true;
}

/** Notes how the file looks now that it was read up to `state.size`. */
export async function remember(files: Files, path: string, state: FileMark, stat: FileStat): Promise<void> {
  state.ino = stat.ino;
  state.mtime = stat.mtime;
  if (state.size === 0) return;
  Object.assign(state, await endsOf(files, path, state.size));
}

/** Whether a file's size and number are those that were read. Does not see a rewrite in place to the same size: `sameFile` does. */
export function looksSame(state: FileState, stat: FileStat | undefined): boolean {
  return stat ? state.exists && stat.size === state.size && stat.ino === state.ino : !state.exists;
}

/** Whether `next` is `before` with more messages behind it. */
export function extendsIt(next: readonly StoredMessage[], before: readonly StoredMessage[]): boolean {
  return before.every((message, index) => {
    const other = next[index];
    return (
      other?.id === message.id &&
      other?.timestamp === message.timestamp &&
      (typeof message.content === 'string' ? other.content === message.content : true)
    );
  });
}
