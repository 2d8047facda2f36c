import { t } from '@vscode/l10n';
import { reasonOf } from '../platform/reason.js';
import type { StoredMessage } from '../protocol/message.js';
import { rangesOf } from './hidden.js';
import { isObject, parseLine, type MetadataLine } from './lines.js';

/** What stands in an export of ours beside the lines. */
const FORMAT = 'nanobot-session';
const VERSION = 1;
/** Lines read before others get their turn. */
const AT_A_TIME = 500;

/** A session's file as a JSON document: every stored line in its order, one that is not JSON as the text it is. */
export function exportedDocument(file: string, about: { exportedAt: string }): string {
  const lines = file.split('\n').filter((line) => line.trim() !== '');
  const document = { format: FORMAT, version: VERSION, exported_at: about.exportedAt, lines: lines.map(valueOf) };
  return `${JSON.stringify(document, null, 1)}\n`;
}

/** What was read of a file that is to become a session. */
export interface ReadExport {
  messages: StoredMessage[];
  metadata: MetadataLine | undefined;
  /** What could not be read, each with its place, in words for a person. */
  problems: string[];
}

/** A file that holds no session; the message says what was expected. */
export class NotASession extends Error {
  override readonly name = 'NotASession';
}

/**
 * Reads an export of ours, or a session's file as nanobot writes it. What cannot be read is named with its place and left out. Throws `NotASession` where
 * there is no message in it at all. `breathe` resolves when others had their turn.
 */
export async function readExport(text: string, fileName: string, breathe: () => Promise<void>): Promise<ReadExport> {
  const { lines, unit } = linesOf(text.replace(/^\uFEFF/, ''), fileName);
  const problemAt = (number: number, reason: string) =>
    unit === 'line'
      ? t('{0}, line {1}: {2}', fileName, number, reason)
      : t('{0}, entry {1}: {2}', fileName, number, reason);
  const read: ReadExport = { messages: [], metadata: undefined, problems: [] };
  for (const [at, { line, number }] of lines.entries()) {
    if (at % AT_A_TIME === AT_A_TIME - 1) await breathe();
    const parsed = parseLine(Buffer.from(line));
    if (parsed.kind === 'message') read.messages.push(parsed.message);
    else if (parsed.kind === 'metadata') read.metadata = parsed.metadata;
    else if (parsed.kind === 'invalid') read.problems.push(problemAt(number, parsed.reason));
  }
  if (read.messages.length > 0) return read;
  const found = read.problems[0] ?? t('{0} holds no message', fileName);
  throw new NotASession(
    t(
      "{0}. A chat is a JSON export of Nanobot, or a .jsonl file from a home's sessions folder: one message on each line.",
      found,
    ),
  );
}

/**
 * What of a session's metadata still holds for a copy of its messages: its name, what an edit took out, and what stands for summarised messages. Where
 * messages are missing their places are others, so only the name is kept.
 */
export function carriedMetadata({ metadata: line, problems }: ReadExport): {
  metadata: Record<string, unknown>;
  lastConsolidated: number;
} {
  const { title, working_summary, compaction } = line?.metadata ?? {};
  const named =
    typeof title === 'string' && title.trim() !== '' ? { title: title.slice(0, 500), titled: 'person' } : {};
  if (!line || problems.length > 0) return { metadata: named, lastConsolidated: 0 };
  const hidden = rangesOf(line.metadata);
  const isSummarised = typeof working_summary === 'string' && line.last_consolidated > 0;
  return {
    metadata: {
      ...named,
      ...(hidden.length > 0 ? { hidden } : {}),
      ...(isSummarised ? { working_summary, compaction } : {}),
    },
    lastConsolidated: isSummarised ? line.last_consolidated : 0,
  };
}

interface NumberedLine {
  line: string;
  /** 1-based. */
  number: number;
}

function linesOf(text: string, fileName: string): { lines: NumberedLine[]; unit: 'line' | 'entry' } {
  const first = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n')).trim();
  const single = valueOf(first);
  const isDocument =
    text.trim() !== '' &&
    (typeof single === 'string' || Array.isArray(single) || (isObject(single) && 'lines' in single));
  if (!isDocument || fileName.toLowerCase().endsWith('.jsonl')) {
    const lines = text.split('\n').map((line, at) => ({ line: line.trim(), number: at + 1 }));
    return { lines: lines.filter(({ line }) => line !== ''), unit: 'line' };
  }
  const entries = entriesOf(text, fileName);
  const lines = entries.map((entry, at) => ({
    line: typeof entry === 'string' ? entry : JSON.stringify(entry),
    number: at + 1,
  }));
  return { lines, unit: 'entry' };
}

function entriesOf(text: string, fileName: string): unknown[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new NotASession(t('{0} is not JSON: {1}', fileName, reasonOf(cause)));
  }
  if (Array.isArray(document)) return document as unknown[];
  if (isObject(document) && document['format'] === FORMAT && Array.isArray(document['lines'])) {
    const { version } = document;
    if (version === VERSION) return document['lines'] as unknown[];
    throw new NotASession(
      t('{0} was exported by a newer version ({1}): update Nanobot first', fileName, String(version)),
    );
  }
  throw new NotASession(t('{0} is JSON, and not an export of a chat: it has no "format": "{1}"', fileName, FORMAT));
}

function valueOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
