import { open, readFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { watchPath } from '../platform/nodeWatch.js';

/** Bytes read from the end of history.jsonl: more entries than anybody counts. */
const TAIL = 64 * 1024;

/**
 * How many entries of history.jsonl Dream has not read, from the file's end and `.dream_cursor` alone: what a window shows before the agent is
 * loaded. Cursors come one after the other, so they also count what lies before the end. Never rejects: what cannot be read counts as nothing.
 */
export async function readUnread(home: string): Promise<number> {
  const [read, tail] = await Promise.all([
    readFile(join(home, 'memory', '.dream_cursor'), 'utf8').catch(() => ''),
    readTail(join(home, 'memory', 'history.jsonl')).catch(() => ({ text: '', whole: true })),
  ]);
  const dreamed = /^\s*(\d{1,15})\s*$/.exec(read)?.[1] ?? '0';
  const cursors = cursorsOf(tail.text).sort((left, right) => left - right);
  const unread = cursors.filter((cursor) => cursor > Number(dreamed)).length;
  const before = tail.whole ? 0 : Math.max(0, (cursors[0] ?? 0) - 1 - Number(dreamed));
  return unread + before;
}

/** Calls back after the history or Dream's cursor changed, whoever changed it. */
export function watchUnread(home: string, changed: () => void): { dispose(): void } {
  const watches = ['history.jsonl', '.dream_cursor'].map((name) => watchPath(join(home, 'memory', name), changed));
  return {
    dispose: () => {
      for (const watch of watches) watch.dispose();
    },
  };
}

async function readTail(path: string): Promise<{ text: string; whole: boolean }> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - TAIL);
    const text = await readFrom(file, start, size - start);
    // The first line is cut off, unless it is the file's.
    return { text: start === 0 ? text : text.slice(text.indexOf('\n') + 1), whole: start === 0 };
  } finally {
    await file.close();
  }
}

async function readFrom(file: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString('utf8', 0, bytesRead);
}

/** Each cursor once; lines that are torn or hold none are passed over. */
function cursorsOf(text: string): number[] {
  const cursors = new Set<number>();
  for (const line of text.split('\n')) {
    const cursor = cursorOf(line);
    if (cursor !== undefined) cursors.add(cursor);
  }
  return [...cursors];
}

function cursorOf(line: string): number | undefined {
  if (line.trim() === '') return undefined;
  try {
    const { cursor } = JSON.parse(line.replace(/^\uFEFF/, '')) as { cursor?: unknown };
    return typeof cursor === 'number' && Number.isSafeInteger(cursor) && cursor >= 0 ? cursor : undefined;
  } catch {
    return undefined; // Torn by a crash. The agent says so when it loads.
  }
}
