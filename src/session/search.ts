import type { Files } from '../platform/ports.js';
import { textOf } from '../protocol/message.js';
import { isHidden, rangesOf } from './hidden.js';
import { glance, parseLine, readLines, textOfBytes } from './lines.js';
import type { Scan } from './scan.js';

/** Characters shown on each side of what was found. */
const AROUND = 60;

/** Where a query was found in one session's texts: the newest place, and how many messages have it. */
export interface TextHit {
  excerpt: string;
  count: number;
  /** Index among all stored messages. */
  index: number;
}

/**
 * Looks for plain text, in any case, in what the person and the agent said; results of tools and hidden messages are left out. Streams the
 * file; only lines that may match are parsed. Undefined where there is nothing. Throws the signal's reason when aborted.
 */
export async function searchFile(
  files: Files,
  path: string,
  known: Scan,
  query: string,
  signal: AbortSignal,
): Promise<TextHit | undefined> {
  const needle = query.toLowerCase();
  const written = JSON.stringify(needle).slice(1, -1);
  const hidden = rangesOf(known.metadata?.metadata ?? {});
  let found: TextHit | undefined;
  let index = -1;
  for await (const batch of readLines(files, path, { offset: 0, number: 1 }, known.size)) {
    signal.throwIfAborted();
    for (const { bytes } of batch) {
      if (glance(bytes) !== 'message') continue;
      index += 1;
      const raw = textOfBytes(bytes).toLowerCase();
      if ((!raw.includes(written) && !raw.includes('\\u')) || isHidden(hidden, index)) continue;
      const excerpt = excerptOf(bytes, needle);
      if (excerpt !== undefined) found = { excerpt, count: (found?.count ?? 0) + 1, index };
    }
  }
  return found;
}

function excerptOf(bytes: Uint8Array, needle: string): string | undefined {
  const line = parseLine(bytes);
  if (line.kind !== 'message' || line.message.role === 'tool') return undefined;
  const text = textOf(line.message.content);
  const at = text.toLowerCase().indexOf(needle);
  return at < 0 ? undefined : excerptAround(text, at, needle.length);
}

/** The text around a place, on one line, with an ellipsis where it was cut. */
export function excerptAround(text: string, at: number, length: number): string {
  const from = Math.max(0, at - AROUND);
  const to = Math.min(text.length, at + length + AROUND);
  const middle = text.slice(from, to).replace(/\s+/g, ' ').trim();
  return `${from > 0 ? '…' : ''}${middle}${to < text.length ? '…' : ''}`;
}
