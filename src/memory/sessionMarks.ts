import type { Compaction } from '../protocol/event.js';
import type { StoredMessage } from '../protocol/message.js';
import type { Session } from '../session/session.js';

/** Message indexes: from the first up to, not including, the second. */
export type Span = [from: number, to: number];

/** Id of the note that stands for summarised messages in a request. */
const NOTE_ID = 'working-summary';

/** What opens that note, so that it can be told from a person's words. */
const NOTE_OPENING = '[Summary of the earlier part of this conversation';

/**
 * An entry of history.jsonl that is about to be written, and what the session says once it is. It stands in the session's metadata from before
 * the entry is appended until the line that takes note of it: a process that dies in between leaves everything the next one needs to finish,
 * without asking the model again and without writing the entry twice.
 */
export interface PendingEntry {
  /** As it is (to be) stored: secrets are masked already, so the text can be compared. */
  content: string;
  /** The newest cursor of history.jsonl before: the entry, if it was written, has a higher one. */
  after: number;
  project?: string;
  then: Advance;
}

/** What changes in a session once the facts of some messages are in history.jsonl. */
export interface Advance {
  span: Span;
  /** Absent where only facts were written: the prompt keeps the messages. */
  summary?: { text: string; card: StoredCompaction };
}

/** What is kept of the newest compaction to show its card again. */
export type StoredCompaction = Omit<Compaction, 'status' | 'summary' | 'error'>;

/** The summary that stands for messages before `last_consolidated`; undefined where nothing was summarised. */
export function workingSummary(session: Session): string | undefined {
  const text = session.metadata.metadata['working_summary'];
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}

/** The newest compaction as its card shows it. */
export function compactionOf(session: Session): Compaction | null {
  const card = storedCompaction(session);
  const summary = workingSummary(session);
  return card && summary !== undefined ? { ...card, status: 'done', summary } : null;
}

/** The stored part of that card. */
export function storedCompaction(session: Session): StoredCompaction | undefined {
  const value = session.metadata.metadata['compaction'];
  if (!isRecord(value)) return undefined;
  const { id, messages, after, at, raw, by } = value;
  if (typeof id !== 'string' || typeof messages !== 'number' || typeof after !== 'string') return undefined;
  return {
    id,
    messages,
    after,
    at: typeof at === 'number' ? at : 0,
    ...(typeof raw === 'number' ? { raw } : {}),
    ...(typeof by === 'string' ? { by } : {}),
  };
}

/**
 * The note a request begins with in the place of summarised messages. It is made from the metadata alone, so it stays the same, byte for byte,
 * until the next compaction.
 */
export function summaryNote(session: Session): StoredMessage | undefined {
  const text = workingSummary(session);
  if (text === undefined) return undefined;
  const card = storedCompaction(session);
  const count = card ? `: ${String(card.messages)} messages that are no longer shown to you` : '';
  return {
    role: 'user',
    content: `${NOTE_OPENING}${count}. You wrote it; these are not the person's words.]\n\n${text}\n\n[End of the summary; the conversation goes on]`,
    timestamp: new Date(card?.at ?? 0).toISOString(),
    id: NOTE_ID,
  };
}

/** The index from which facts have not been noted yet; what `/new` left to be noted comes apart, from `owedSpans`. */
export function notedUpTo(session: Session): number {
  const { metadata, last_consolidated } = session.metadata;
  const archived = metadata['archivedTo'];
  return Math.max(last_consolidated, typeof archived === 'number' && Number.isInteger(archived) ? archived : 0);
}

/** Messages that left the prompt with `/new` before their facts were noted, oldest first. */
export function owedSpans(session: Session): Span[] {
  const value = session.metadata.metadata['unarchived'];
  if (!Array.isArray(value)) return [];
  return value.filter(
    (span): span is Span =>
      Array.isArray(span) && Number.isInteger(span[0]) && Number.isInteger(span[1]) && span[0] < span[1],
  );
}

/** The entry a killed process may not have finished. */
export function pendingEntry(session: Session): PendingEntry | undefined {
  const value = session.metadata.metadata['pending_entry'];
  if (!isRecord(value) || typeof value['content'] !== 'string' || !isRecord(value['then'])) return undefined;
  const span = value['then']['span'];
  if (!Array.isArray(span) || !Number.isInteger(span[0]) || !Number.isInteger(span[1])) return undefined;
  return value as unknown as PendingEntry;
}

/** Writes down, flushed, that an entry is about to be appended. */
export function announceEntry(session: Session, entry: PendingEntry): Promise<void> {
  return session.setMetadata({ pending_entry: entry }, { flush: true });
}

/**
 * Takes note, in one flushed metadata line, that the facts of a span are in history.jsonl, and puts the summary in the place of its messages. A
 * summary of messages that are no longer the first of the prompt (`/new` came in between) is dropped.
 */
export function advance(session: Session, { span, summary }: Advance): Promise<void> {
  const [from, to] = span;
  const patch: Record<string, unknown> = { pending_entry: undefined };
  const spans = owedSpans(session);
  const owed = spans.filter(([start, end]) => start <= from && to <= end);
  if (owed.length > 0) {
    const rest = spans.flatMap((each): Span[] => (owed.includes(each) ? remainder(each, to) : [each]));
    patch['unarchived'] = rest.length > 0 ? rest : undefined;
    if (rest.length === 0) patch['archivedTo'] = Math.max(notedUpTo(session), to);
  } else patch['archivedTo'] = Math.max(notedUpTo(session), to);
  if (summary === undefined || session.metadata.last_consolidated !== from)
    return session.setMetadata(patch, { flush: true });
  return session.setMetadata(
    { ...patch, working_summary: summary.text, compaction: summary.card },
    { lastConsolidated: to, flush: true },
  );
}

function remainder([, end]: Span, to: number): Span[] {
  return to < end ? [[to, end]] : [];
}

/**
 * `/new` in a session that keeps its key: the prompt begins anew at once, in one line that also says which facts are still to be noted. Stays
 * within the session's file; nothing is deleted.
 */
export async function beginAnew(session: Session): Promise<void> {
  const end = session.messages.length;
  if (end === 0) return;
  const from = notedUpTo(session);
  const spans: Span[] = from < end ? [...owedSpans(session), [from, end]] : owedSpans(session);
  await session.setMetadata(
    {
      working_summary: undefined,
      compaction: undefined,
      begins_at: end,
      unarchived: spans.length > 0 ? spans : undefined,
    },
    { lastConsolidated: end, flush: true },
  );
}

/**
 * Before messages from an index on are taken out of the conversation: where the summary covers some of them it must go, since it says what the
 * person took back. The messages that stay are sent in full again; their facts count as noted.
 */
export async function forgetSummaryOf(session: Session, from: number): Promise<void> {
  const { metadata, last_consolidated } = session.metadata;
  if (from >= last_consolidated || workingSummary(session) === undefined) return;
  const begin = metadata['begins_at'];
  await session.setMetadata(
    { working_summary: undefined, compaction: undefined, archivedTo: notedUpTo(session) },
    { lastConsolidated: typeof begin === 'number' ? begin : 0, flush: true },
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
