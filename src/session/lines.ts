import { t } from '@vscode/l10n';
import type { Files } from '../platform/ports.js';
import type { StoredMessage, ToolCall } from '../protocol/message.js';

/**
 * Bytes read and parsed at a stretch. Each slice is a read of its own, so other work gets its turn in between; 128 KB of JSON take about a
 * millisecond. Only a single line longer than this is parsed whole.
 */
export const SLICE_BYTES = 128 * 1024;

const NEWLINE = 10;

/** What a metadata line says. `rest` holds its fields that we do not know; they are written again. */
export interface SessionMetadata {
  /** ISO 8601. */
  created_at: string;
  updated_at: string;
  metadata: Record<string, unknown>;
  /** Messages from the start that the prompt no longer contains, being summarised. */
  last_consolidated: number;
}

export interface MetadataLine extends SessionMetadata {
  key?: string;
  rest: Record<string, unknown>;
}

/** A line as it stands in the file, without its line end. */
export interface RawLine {
  bytes: Uint8Array;
  /** 1-based. */
  number: number;
  /** Where the next line starts: the line end is counted. */
  end: number;
  /** False for a last line without a line end, which may be half-written. */
  ended: boolean;
}

export type Line =
  | { kind: 'metadata'; metadata: MetadataLine }
  /** A line without a time has an empty `timestamp`. */
  | { kind: 'message'; message: StoredMessage }
  /** Valid, and not ours to understand: kept in the file, not shown. */
  | { kind: 'foreign' }
  | { kind: 'blank' }
  | { kind: 'invalid'; reason: string };

/** The lines between two offsets, a batch a slice. A CR before the LF and a BOM at the file's start are not part of a line. */
export async function* readLines(
  files: Pick<Files, 'readRange'>,
  path: string,
  from: { offset: number; number: number },
  end: number,
): AsyncGenerator<RawLine[]> {
  let number = from.number;
  let open: Uint8Array[] = [];
  const read = (offset: number) => {
    const slice = files.readRange(path, offset, Math.min(SLICE_BYTES, end - offset));
    // Whoever stops early never looks at the slice that was read ahead.
    slice.catch(() => undefined);
    return slice;
  };
  let ahead = from.offset < end ? read(from.offset) : undefined;
  for (let offset = from.offset; ahead;) {
    const chunk = await ahead;
    if (chunk.length === 0) break;
    ahead = offset + chunk.length < end ? read(offset + chunk.length) : undefined;
    const batch: RawLine[] = [];
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, start)) {
      const bytes = joined(open, chunk.subarray(start, at));
      batch.push({ bytes: trimmed(bytes, number), number, end: offset + at + 1, ended: true });
      open = [];
      number += 1;
      start = at + 1;
    }
    if (start < chunk.length) open.push(chunk.subarray(start));
    offset += chunk.length;
    if (batch.length > 0) yield batch;
    if (offset >= end && open.length > 0) {
      yield [{ bytes: trimmed(joined(open, new Uint8Array()), number), number, end: offset, ended: false }];
    }
  }
}

function joined(pieces: Uint8Array[], last: Uint8Array): Uint8Array {
  return pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
}

function trimmed(bytes: Uint8Array, number: number): Uint8Array {
  const bom = number === 1 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const cr = bytes.at(-1) === 13;
  return bom || cr ? bytes.subarray(bom ? 3 : 0, cr ? -1 : undefined) : bytes;
}

/** What a line is by its first bytes, for counting without parsing. An invalid line counts as a message here. */
export function glance(bytes: Uint8Array): 'metadata' | 'foreign' | 'blank' | 'message' {
  const type = /^\s*\{\s*"_type"\s*:\s*"(\w*)/.exec(textOfBytes(bytes.subarray(0, 48)));
  if (type) return type[1] === 'metadata' ? 'metadata' : 'foreign';
  return isBlank(bytes) ? 'blank' : 'message';
}

/** Whether a line has nothing but white space. */
function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 32 || byte === 9 || byte === 13);
}

/** The line's text; bytes that are not UTF-8 become U+FFFD. */
export function textOfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/** Reads one line. Never throws; says in words what is wrong with an invalid one. */
export function parseLine(bytes: Uint8Array): Line {
  if (isBlank(bytes)) return { kind: 'blank' };
  let value: unknown;
  try {
    value = JSON.parse(textOfBytes(bytes));
  } catch {
    return { kind: 'invalid', reason: t('not JSON, perhaps cut off') };
  }
  if (!isObject(value)) return { kind: 'invalid', reason: t('not a JSON object') };
  if (value['_type'] === 'metadata') return { kind: 'metadata', metadata: metadataOf(value) };
  if (value['_type'] !== undefined) return { kind: 'foreign' };
  const role = value['role'];
  if (role === 'user' || role === 'assistant' || role === 'tool')
    return { kind: 'message', message: messageOf(value, role) };
  return typeof role === 'string' ? { kind: 'foreign' } : { kind: 'invalid', reason: t('a message without a role') };
}

function metadataOf(value: Record<string, unknown>): MetadataLine {
  const { _type, key, created_at, updated_at, metadata, last_consolidated, ...rest } = value;
  const count = Number(last_consolidated);
  return {
    ...(typeof key === 'string' ? { key } : {}),
    created_at: typeof created_at === 'string' ? created_at : '',
    updated_at: typeof updated_at === 'string' ? updated_at : '',
    metadata: isObject(metadata) ? metadata : {},
    last_consolidated: Number.isInteger(count) && count > 0 ? count : 0,
    rest,
  };
}

/** Puts right what the type promises and other programs do not keep; everything else of the line stays as it is. */
function messageOf(value: Record<string, unknown>, role: StoredMessage['role']): StoredMessage {
  const { content, timestamp, tool_calls, id, ...rest } = value;
  const calls = Array.isArray(tool_calls) ? tool_calls.flatMap(callOf) : [];
  return {
    ...rest,
    role,
    content: contentOf(content),
    timestamp: typeof timestamp === 'string' ? timestamp : '',
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(typeof id === 'string' && id !== '' ? { id } : {}),
  };
}

function contentOf(content: unknown): StoredMessage['content'] {
  if (typeof content === 'string' || Array.isArray(content)) return content as StoredMessage['content'];
  return content === undefined || content === null ? null : JSON.stringify(content);
}

/** A call in OpenAI's form; one without an id or a name cannot be answered and is left out. */
function callOf(call: unknown): ToolCall[] {
  if (!isObject(call) || typeof call['id'] !== 'string' || !isObject(call['function'])) return [];
  const { name, arguments: given } = call['function'];
  if (typeof name !== 'string') return [];
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  return [{ ...call, id: call['id'], type: 'function', function: { ...call['function'], name, arguments: text } }];
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The metadata line of a session, with its line end. */
export function metadataText(key: string, { metadata, ...line }: MetadataLine): string {
  const { created_at, updated_at, last_consolidated, rest } = line;
  return `${JSON.stringify({ _type: 'metadata', key, created_at, updated_at, metadata, last_consolidated, ...rest })}\n`;
}

/** A message's line, with its line end. */
export function messageText(message: StoredMessage): string {
  return `${JSON.stringify(message)}\n`;
}
