import type { Files, FileStat } from '../platform/ports.js';
import { textOf, type StoredMessage } from '../protocol/message.js';
import { completed, type FileMark, remember, sameFile } from './fileState.js';
import { isHidden, rangesOf } from './hidden.js';
import { glance, type MetadataLine, parseLine, readLines, SLICE_BYTES } from './lines.js';

/** What a list shows of a session file, found by looking at line ends and the first bytes of lines: only a handful of lines are parsed. */
export interface Scan extends FileMark {
  messages: number;
  /** The last metadata line. */
  metadata: MetadataLine | undefined;
  /** The first thing a person said. */
  opening: string | undefined;
  /** The time of the last message, ISO 8601. */
  lastTime: string | undefined;
  nextLine: number;
}

/** Looks a file through, or only at what is new since `before`. Reads in slices; other work gets its turn. */
export async function scan(files: Files, path: string, stat: FileStat, before: Scan | undefined): Promise<Scan> {
  if (before && before.size === stat.size && before.mtime === stat.mtime && before.ino === stat.ino) return before;
  const grown = before !== undefined && (await sameFile(files, path, before, stat));
  const found: Scan = grown ? { ...before } : emptyScan();
  let metadata: Uint8Array | undefined;
  let last: Uint8Array | undefined;
  for await (const batch of readLines(files, path, { offset: found.size, number: found.nextLine }, stat.size)) {
    for (const line of batch) {
      if (!line.ended && parseLine(line.bytes).kind === 'invalid') break;
      const kind = glance(line.bytes);
      if (kind === 'metadata') metadata = line.bytes;
      if (kind === 'message') {
        found.messages += 1;
        found.opening ??= openingOf(line.bytes);
        last = line.bytes;
      }
      found.size = line.end;
      found.nextLine = line.ended ? line.number + 1 : line.number;
    }
  }
  const newest = metadata && parseLine(metadata);
  if (newest?.kind === 'metadata') found.metadata = newest.metadata;
  const message = last && parseLine(last);
  if (message?.kind === 'message') found.lastTime = message.message.timestamp || found.lastTime;
  await remember(files, path, found, stat);
  return found;
}

/** The newest visible messages of a file, read from its end. `first` and `total` count visible messages. */
export interface Tail {
  messages: StoredMessage[];
  first: number;
  total: number;
}

/** Reads the last `count` visible messages without parsing the rest. `known` is the scan of the file as it is now. */
export async function readTail(files: Files, path: string, known: Scan, count: number): Promise<Tail> {
  const hidden = rangesOf(known.metadata?.metadata ?? {}).filter(([from]) => from < known.messages);
  const total = known.messages - hidden.reduce((sum, [from, to]) => sum + Math.min(to, known.messages) - from, 0);
  for (let lines = count + 8; ; lines *= 2) {
    const start = await startOfLastLines(files, path, known.size, lines);
    const read = await messagesFrom(files, path, start, known);
    const visible = read.filter(({ index }) => !isHidden(hidden, index)).map(({ message }) => message);
    if (visible.length < count && start > 0) continue;
    const messages = visible.slice(Math.max(0, visible.length - count));
    return { messages, first: Math.max(0, total - messages.length), total };
  }
}

function emptyScan(): Scan {
  return {
    size: 0,
    ino: undefined,
    mtime: 0,
    head: new Uint8Array(),
    tail: new Uint8Array(),
    messages: 0,
    metadata: undefined,
    opening: undefined,
    lastTime: undefined,
    nextLine: 1,
  };
}

function openingOf(bytes: Uint8Array): string | undefined {
  const line = parseLine(bytes);
  if (line.kind !== 'message' || line.message.role !== 'user') return undefined;
  return textOf(line.message.content).trim().slice(0, 400) || undefined;
}

async function messagesFrom(
  files: Files,
  path: string,
  start: number,
  known: Scan,
): Promise<{ message: StoredMessage; index: number }[]> {
  const raw: Uint8Array[] = [];
  const read: { message: StoredMessage; index: number }[] = [];
  for await (const batch of readLines(files, path, { offset: start, number: start === 0 ? 1 : 2 }, known.size)) {
    for (const line of batch) if (glance(line.bytes) === 'message') raw.push(line.bytes);
  }
  for (const [place, bytes] of raw.entries()) {
    const index = known.messages - raw.length + place;
    const line = parseLine(bytes);
    if (line.kind !== 'message') continue;
    read.push({ index, message: completed(line.message, index, known.metadata?.created_at ?? '') });
  }
  return read;
}

/** Where the last `lines` lines before `end` start. */
async function startOfLastLines(files: Files, path: string, end: number, lines: number): Promise<number> {
  let wanted = lines;
  for (let to = end - 1; to > 0;) {
    const from = Math.max(0, to - SLICE_BYTES);
    const chunk = await files.readRange(path, from, to - from);
    for (let at = chunk.lastIndexOf(10); at >= 0; at = at > 0 ? chunk.lastIndexOf(10, at - 1) : -1) {
      wanted -= 1;
      if (wanted === 0) return from + at + 1;
    }
    to = from;
  }
  return 0;
}
