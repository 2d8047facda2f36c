import { join } from 'node:path';
import type { Clock, Files } from '../platform/ports.js';
import { readLines, textOfBytes } from '../session/lines.js';
import { firstAfter, type HistoryIndex } from './historyIndex.js';

/** Entries that are always kept, and how many more there may be before the file is written anew: so appending stays cheap. */
const KEPT = 1_000;
const SLACK = 200;
/** Named so that no chat's file can have the same name. */
const QUARANTINE = 'memory-history.jsonl';

/** How many of the oldest entries can go: Dream has read them, and there are enough newer ones. 0 while it is not worth a rewrite. */
export function surplusOf({ places, start }: HistoryIndex, dreamCursor: number): number {
  const surplus = Math.min(places.length - KEPT, firstAfter(places, dreamCursor));
  // Of a large file the older part is not known; it is ripe when Dream has come as far as the known part.
  const ripe = start > 0 && firstAfter(places, dreamCursor) > 0;
  return surplus >= SLACK || ripe ? Math.max(0, surplus) : 0;
}

/**
 * Writes history.jsonl anew without its oldest entries. What is kept is kept byte for byte, in the order of cursors. Lines that hold no entry go to
 * the quarantine first, each with where it came from; a process that dies in between quarantines them twice and loses nothing.
 */
export async function prune(
  deps: { files: Files; clock: Clock; home: string },
  path: string,
  index: HistoryIndex,
  surplus: number,
): Promise<void> {
  const kept = index.places.slice(surplus);
  const order = new Map(kept.map(({ offset }, at) => [offset, at]));
  const known = new Set(index.places.map(({ offset }) => offset));
  const pieces = new Array<Uint8Array>(kept.length);
  let found = 0;
  let odd = '';
  let offset = index.start;
  for await (const batch of readLines(deps.files, path, { offset, number: 1 }, index.size)) {
    for (const line of batch) {
      const at = order.get(offset);
      if (at !== undefined) {
        pieces[at] = line.bytes;
        found += 1;
      } else if (!known.has(offset) && line.bytes.length > 0) odd += oddLine(deps, path, line);
      offset = line.end;
    }
  }
  // Somebody else is writing the file, so what we know of it no longer holds: another time.
  if (found !== kept.length) return;
  if (odd !== '') await deps.files.append(join(deps.home, '.nanobot', 'quarantine', QUARANTINE), odd, { flush: true });
  const newline = Buffer.from('\n');
  await deps.files.writeAtomic(path, Buffer.concat(pieces.flatMap((piece) => [piece, newline])));
}

/** As text where it is text, else as base64: nothing of the line may be lost. */
function oddLine(
  { clock }: { clock: Clock },
  file: string,
  { number, bytes }: { number: number; bytes: Uint8Array },
): string {
  const text = textOfBytes(bytes);
  const content = text.includes('\ufffd') ? { base64: Buffer.from(bytes).toString('base64') } : { text };
  const at = new Date(clock.now()).toISOString();
  return `${JSON.stringify({ file, line: number, at, reason: 'no entry, or its cursor is used twice', ...content })}\n`;
}
