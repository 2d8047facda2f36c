import { join } from 'node:path';
import type { DirEntry, FileStat, Files } from '../../platform/ports.js';
import { endsOf, endsStand } from '../../session/fileEnds.js';
import { readLines, textOfBytes, type RawLine } from '../../session/lines.js';
import { keyInSession, saidInHistory, saidInSession, type Said } from './messages.js';
import type { RecallIndex, SourceFile, SourceKind } from './recallIndex.js';

/** Bytes kept of a file's start: fewer than of a session, as those of all files stand in the index. */
const HEAD_BYTES = 256;
/** Of a larger history.jsonl only the end is read, as everywhere. */
const LARGEST_HISTORY = 50 * 1024 * 1024;
/** A note beyond this is no note; its start is read. */
const LARGEST_NOTE = 4 * 1024 * 1024;
/** Files looked at side by side. */
const AT_ONCE = 32;

interface Found {
  path: string;
  kind: SourceKind;
  stat: FileStat;
}

/**
 * Brings the index up to what the home holds now: what was appended is read on, a file that changed otherwise is read anew, one that is gone
 * is forgotten. What cannot be read is passed over and tried again next time. Resolves with how many texts came in and whether files changed.
 */
export async function syncIndex(
  index: RecallIndex,
  files: Files,
  home: string,
): Promise<{ added: number; changed: boolean }> {
  const before = index.size;
  const known = new Map<string, number>();
  for (const [number, file] of index.files.entries()) if (file.alive) known.set(file.path, number);
  const found = await sourcesOf(files, home);
  let changed = false;
  for (const source of found) {
    const number = known.get(source.path);
    known.delete(source.path);
    const file = number === undefined ? undefined : index.files[number];
    if (file && isUnchanged(file, source.stat)) continue;
    changed = true;
    await bringIn(index, files, home, source, number).catch(() => undefined);
  }
  for (const number of known.values()) {
    const file = index.files[number];
    if (file) file.alive = false;
    changed = true;
  }
  return { added: index.size - before, changed };
}

/** The text that stands at a place of a file now, as it was when it was indexed; undefined where the file changed meanwhile. */
export async function readSaid(
  files: Files,
  home: string,
  file: SourceFile,
  place: { offset: number; bytes: number },
): Promise<Said | undefined> {
  try {
    const read = await files.readRange(join(home, file.path), place.offset, place.bytes);
    const bytes = read[0] === 0xef && read[1] === 0xbb && read[2] === 0xbf ? read.subarray(3) : read;
    if (file.kind === 'session') return saidInSession(bytes);
    if (file.kind === 'history') return saidInHistory(bytes);
    const text = textOfBytes(bytes).trim();
    return text === '' ? undefined : { text, time: NaN, role: '', speaker: '' };
  } catch {
    return undefined;
  }
}

async function sourcesOf(files: Files, home: string): Promise<Found[]> {
  const list = (folder: string) => files.list(join(home, folder)).catch((): DirEntry[] => []);
  const [sessions, memory] = [await list('sessions'), await list('memory')];
  const named: { path: string; kind: SourceKind }[] = [];
  for (const { name, type } of sessions) {
    if (type !== 'directory' && name.endsWith('.jsonl')) named.push({ path: `sessions/${name}`, kind: 'session' });
  }
  for (const { name, type } of memory) {
    const kind = kindOfMemoryFile(name);
    if (type !== 'directory' && kind) named.push({ path: `memory/${name}`, kind });
  }
  const found: Found[] = [];
  for (let from = 0; from < named.length; from += AT_ONCE) {
    const stats = await Promise.all(
      named.slice(from, from + AT_ONCE).map(async (one) => {
        const stat = await files.stat(join(home, one.path)).catch(() => undefined);
        return stat?.type === 'file' ? [{ ...one, stat }] : [];
      }),
    );
    found.push(...stats.flat());
  }
  return found;
}

function kindOfMemoryFile(name: string): SourceKind | undefined {
  if (name === 'history.jsonl') return 'history';
  if (name === 'MEMORY.md') return 'memory';
  return /^\d{4}-\d\d-\d\d\.md$/.test(name) ? 'note' : undefined;
}

function isUnchanged(file: SourceFile, stat: FileStat): boolean {
  return file.mtime === stat.mtime && file.seen === stat.size && file.ino === stat.ino;
}

async function bringIn(
  index: RecallIndex,
  files: Files,
  home: string,
  source: Found,
  number: number | undefined,
): Promise<void> {
  const path = join(home, source.path);
  const old = number === undefined ? undefined : index.files[number];
  const lines = source.kind === 'session' || source.kind === 'history';
  const appended = old !== undefined && lines && (await isAppended(files, path, old, source.stat));
  if (old && !appended) old.alive = false;
  const file = appended ? old : newFile(source);
  const place = appended && number !== undefined ? number : index.files.push(file) - 1;
  if (lines) await readOn(index, files, path, file, place, source.stat);
  else await readNote(index, files, path, file, place, source.stat);
  await mark(files, path, file, source.stat);
}

function newFile({ path, kind, stat }: Found): SourceFile {
  const start = kind === 'history' ? Math.max(0, stat.size - LARGEST_HISTORY) : 0;
  return {
    path,
    kind,
    alive: true,
    size: start,
    seen: 0,
    mtime: 0,
    head: '',
    tail: '',
    nextLine: 1,
    called: { user: {}, assistant: {} },
  };
}

async function isAppended(files: Files, path: string, file: SourceFile, stat: FileStat): Promise<boolean> {
  if (stat.size < file.size || file.ino !== stat.ino) return false;
  const ends = { head: Buffer.from(file.head, 'base64'), tail: Buffer.from(file.tail, 'base64') };
  return endsStand(files, path, file.size, ends);
}

/** Reads the lines behind `file.size`. A last line without its end is left for next time unless it is whole. */
async function readOn(
  index: RecallIndex,
  files: Files,
  path: string,
  file: SourceFile,
  place: number,
  stat: FileStat,
): Promise<void> {
  const read = file.kind === 'history' ? saidInHistory : saidInSession;
  for await (const batch of readLines(files, path, { offset: file.size, number: file.nextLine }, stat.size)) {
    for (const line of batch) {
      const said = read(line.bytes);
      if (!line.ended && !said) return;
      if (said) index.add(said, { file: place, line: line.number, ...rangeOf(line, file) });
      else if (file.kind === 'session') file.key = keyInSession(line.bytes) ?? file.key ?? '';
      file.size = line.end;
      file.nextLine = line.ended ? line.number + 1 : line.number;
    }
  }
}

/** Where a line's bytes stand: lines are read without gaps, so it starts where the one before ended. */
function rangeOf(line: RawLine, file: SourceFile): { offset: number; bytes: number } {
  return { offset: file.size, bytes: line.end - file.size };
}

/** Reads a Markdown file whole: each list item or paragraph is a text, found also by the heading above it. */
async function readNote(
  index: RecallIndex,
  files: Files,
  path: string,
  file: SourceFile,
  place: number,
  stat: FileStat,
): Promise<void> {
  const bytes = await files.readRange(path, 0, Math.min(stat.size, LARGEST_NOTE));
  const day = /(\d{4})-(\d\d)-(\d\d)\.md$/.exec(file.path);
  const midnight = day ? new Date(Number(day[1]), Number(day[2]) - 1, Number(day[3])).getTime() : stat.mtime;
  for (const part of partsOf(textOfBytes(bytes))) {
    const clock = /^\s*[-*]\s*(\d\d):(\d\d)\b/.exec(part.text);
    const time = clock && day ? midnight + (Number(clock[1]) * 60 + Number(clock[2])) * 60_000 : midnight;
    const said: Said = { text: part.text.trim(), time, role: '', speaker: '' };
    index.add(said, { file: place, line: part.line, offset: part.offset, bytes: part.bytes }, part.heading);
  }
  file.size = stat.size;
}

interface Part {
  text: string;
  heading: string;
  line: number;
  offset: number;
  bytes: number;
}

function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let heading = '';
  let open: Part | undefined;
  let offset = 0;
  for (const [number, line] of text.split('\n').entries()) {
    const bytes = Buffer.byteLength(line) + 1;
    const isHeading = /^\uFEFF?#{1,6}\s/.test(line);
    if (isHeading) heading = line.replace(/^\uFEFF?#+\s*/, '').trim();
    if (isHeading || line.trim() === '') open = undefined;
    else if (open && !/^\s{0,3}[-*+]\s/.test(line)) {
      open.text += `\n${line}`;
      open.bytes += bytes;
    } else {
      open = { text: line, heading, line: number + 1, offset, bytes };
      parts.push(open);
    }
    offset += bytes;
  }
  return parts;
}

async function mark(files: Files, path: string, file: SourceFile, stat: FileStat): Promise<void> {
  file.mtime = stat.mtime;
  file.seen = stat.size;
  if (stat.ino !== undefined) file.ino = stat.ino;
  const { head, tail } = await endsOf(files, path, file.size, HEAD_BYTES);
  file.head = Buffer.from(head).toString('base64');
  file.tail = Buffer.from(tail).toString('base64');
}
