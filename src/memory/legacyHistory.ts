import { join } from 'node:path';
import { localMinute } from '../platform/localTime.js';
import type { Log } from '../platform/ports.js';
import type { HistoryIndex } from './historyIndex.js';
import { entryOf, linesOf, newestAllocated, type HistoryWriting } from './historyWriter.js';

/** A paragraph of the old memory/HISTORY.md. */
export interface LegacyEntry {
  /** As it stands in the brackets, to the minute; empty where a paragraph had none. */
  timestamp: string;
  content: string;
}

const OPENING = /^\[(\d{4}-\d\d-\d\d[ T]\d\d:\d\d)[^\]\n]*\]\s*/;
/** A line of a raw dump: its messages have times of their own, and the whole dump is one entry. */
const RAW_MESSAGE = /^\[\d{4}-\d\d-\d\d[^\]\n]*\]\s+[A-Z][A-Z0-9_]*(?:\s+\[tools:[^\]\n]*\])?:/;

/**
 * The entries of a HISTORY.md: each begins with a line that opens `[YYYY-MM-DD HH:MM]` and goes on to the next such line. What stands before the
 * first of them is an entry of its own unless it is only a title.
 */
export function parseLegacy(text: string): LegacyEntry[] {
  const entries: LegacyEntry[] = [];
  let timestamp = '';
  let lines: string[] = [];
  const close = () => {
    const content = lines.join('\n').trim();
    if (content !== '' && (timestamp !== '' || !/^#[^\n]*$/.test(content))) entries.push({ timestamp, content });
  };
  for (const line of text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\n')) {
    const opening = OPENING.exec(line);
    const inDump = lines[0]?.startsWith('[RAW]') === true && RAW_MESSAGE.test(line);
    if (!opening || inDump) {
      lines.push(line);
      continue;
    }
    close();
    timestamp = (opening[1] ?? '').replace('T', ' ');
    lines = [line.slice(opening[0].length)];
  }
  close();
  return entries;
}

/**
 * Makes history.jsonl of memory/HISTORY.md where there is none yet, under the lock. The entries count from 1, and as read by Dream. Both cursors are
 * written first and the old file is renamed last, so whatever is left by a process that dies in between is done again or finished. With a history
 * of another origin beside it the old file stays as it is.
 */
export async function migrateLegacy(
  writing: HistoryWriting,
  deps: { home: string; log: Log; read(): Promise<HistoryIndex>; firstContent(): Promise<string | undefined> },
): Promise<void> {
  const { files, clock, path, allocated, dream } = writing;
  const legacy = join(deps.home, 'memory', 'HISTORY.md');
  const stat = await files.stat(legacy);
  if (stat?.type !== 'file') return;
  const found = parseLegacy(new TextDecoder().decode(await files.read(legacy)));
  const entries = found.map(({ timestamp, content }, at) =>
    entryOf({ content }, at + 1, timestamp === '' ? localMinute(clock, stat.mtime) : timestamp),
  );
  const index = await deps.read();
  if (index.size > 0) {
    if ((await deps.firstContent()) !== entries[0]?.content) {
      deps.log.info(
        `${legacy} was left as it is: there is a history.jsonl already, and it was made of something else.`,
      );
      return;
    }
  } else if (entries.length > 0) {
    await allocated.write(Math.max(await newestAllocated(writing, index), entries.length));
    await dream.write(entries.length);
    await files.writeAtomic(path, linesOf(entries));
  }
  await files.rename(legacy, await freeName(writing, `${legacy}.bak`));
}

async function freeName({ files }: HistoryWriting, wanted: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}.${String(number)}`;
    if (!(await files.stat(name))) return name;
  }
}
