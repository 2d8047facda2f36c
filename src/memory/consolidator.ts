import { localDate } from '../platform/localTime.js';
import type { Clock, Log } from '../platform/ports.js';
import type { ErrorInfo, StoredMessage } from '../protocol/message.js';
import type { ToolSpec } from '../providers/provider.js';
import { govern } from '../runner/govern.js';
import { shorten } from '../runner/toolCalls.js';
import type { Session } from '../session/session.js';
import type { HistoryFile } from './history.js';
import { isSaid, leadOf, owedSpan } from './owedFacts.js';
import { quoteForeign } from './quotedFacts.js';
import { rawDigest, rawEntry } from './rawEntry.js';
import { cutAt, cutOrAll, itemsOf, newestThatFit, type Item } from './rounds.js';
import { maskSecrets } from '../platform/maskSecrets.js';
import {
  advance,
  announceEntry,
  notedUpTo,
  pendingEntry,
  storedCompaction,
  summaryNote,
  workingSummary,
  type Advance,
  type Span,
  type StoredCompaction,
} from './sessionMarks.js';
import { readProducts, type SummaryProducts } from './summaryAnswer.js';
import { instructionFor, partThatFits, type RoundTask, type SummaryRequest } from './summaryRequest.js';
import { estimateMessage, estimateText } from './tokens.js';

/** Rounds that one run makes at most. */
const MAX_ROUNDS = 5;
/** Tokens of the working summary above which the next round writes it anew, and the part of the budget it may take. */
const MAX_SUMMARY_TOKENS = 4_000;
const SUMMARY_SHARE = 1 / 8;
/** How often a model may break down over the same messages before they are kept as they are. */
const MAX_BREAKDOWNS = 3;
/** Failures that would come again with the same messages: the request reached the model, and it will not answer this one. */
const NO_ANSWER: ReadonlySet<string> = new Set(['context_length', 'bad_request', 'refused', 'image_rejected', 'blank']);
/** Failures that are the provider's for the moment, unless they come again and again. */
const BREAKDOWN: ReadonlySet<string> = new Set(['server', 'stream_broken', 'timeout', 'overloaded']);
/** Tokens that messages are given where system prompt and tools alone fill the budget, as the runner does. */
const LEAST_ROOM = 1_024;
/** Between the summaries of several rounds. */
const BETWEEN = '\n\n---\n\n';

/** The whole answer, or the beginning of one that was cut off, or why there is none. */
export type SummaryAnswer = { text: string; complete: boolean } | { error: ErrorInfo };

/** The prompt of a session's next turn, as far as it decides what has to leave it, and the model to ask. */
export interface PromptFrame {
  system: string;
  tools: ToolSpec[];
  /** Estimated tokens of system prompt and tools. */
  fixedTokens: number;
  /** Tokens a prompt may have: the window without the answer and 1,024 to spare. */
  budget: number;
  maxTokens: number;
  /** What a provider's tokens are to our estimates, for this model. */
  ratio: number;
  /** The project that entries are filed under. */
  project: string | undefined;
  ask(request: SummaryRequest, options: { signal: AbortSignal }): Promise<SummaryAnswer>;
}

export interface FitOptions {
  signal: AbortSignal;
  /** What the card of this run says beside its numbers. */
  card: Pick<StoredCompaction, 'id' | 'after' | 'at' | 'by'>;
  /** Summarise everything but the newest turn, however much room there is. */
  all?: boolean;
  /** Before each round, with the messages that the summary will stand for after it. */
  onRound?(messages: number): void;
}

/** `rounds` were finished and are stored, whatever came after them. `messages` is what the summary stands for now, `raw` those kept as they are. */
export interface Progress {
  rounds: number;
  messages: number;
  raw: number;
}

export type CompactionOutcome =
  { kind: 'fits' } | ({ kind: 'done' | 'stopped' } & Progress) | ({ kind: 'failed'; error: ErrorInfo } & Progress);

export type ArchiveOutcome =
  { kind: 'nothing' } | { kind: 'done' | 'stopped'; rounds: number } | { kind: 'failed'; error: ErrorInfo };

type Asked = { products: SummaryProducts } | { error: ErrorInfo } | 'stopped';

/**
 * Consolidator: keeps a conversation within the model's window. The oldest whole turns leave the prompt; facts of them go to history.jsonl, and a
 * working summary stands in their place. What the model cannot summarise is kept in short as it is. An entry is written before the session takes
 * note of it, and the session's metadata says in between what is under way, so a killed process loses nothing and writes nothing twice.
 */
export class Consolidator {
  /** Breakdowns in a row over the first message that has not been summarised, by session. */
  private readonly breakdowns = new Map<string, { from: number; times: number }>();

  constructor(
    private readonly deps: { history: Pick<HistoryFile, 'append' | 'after' | 'newest'>; clock: Clock; log: Log },
  ) {}

  /** Whether the session's next prompt reaches its budget. What a long conversation weighs beyond that is not looked at. */
  isOver(session: Session, frame: PromptFrame): boolean {
    const room = Math.max(frame.budget - this.fixed(session, frame) - 1, 2 * LEAST_ROOM);
    return newestThatFit(session, room, weigher(frame)).from > session.metadata.last_consolidated;
  }

  /**
   * The id of the message from which on the conversation should be sent, where five rounds were not enough for all of it to fit: the first of a
   * person among those that fill half of the budget. Undefined where everything fits.
   */
  firstToSend(session: Session, frame: PromptFrame): string | undefined {
    if (!this.isOver(session, frame)) return undefined;
    const { from } = newestThatFit(session, this.target(session, frame), weigher(frame));
    return session.messages.find((message, index) => index >= from && message.role === 'user')?.id;
  }

  /**
   * When the prompt has reached the budget, summarises the oldest whole turns until at most half of it is left: up to five rounds of up to 60
   * messages. A round that is done stays done when a later one fails or is stopped. Rejects with the disk's error, and where the session is
   * another window's.
   */
  async fit(session: Session, frame: PromptFrame, options: FitOptions): Promise<CompactionOutcome> {
    await this.recover(session);
    if (!options.all && !this.isOver(session, frame)) return { kind: 'fits' };
    const progress: Progress = { rounds: 0, messages: storedCompaction(session)?.messages ?? 0, raw: 0 };
    while (progress.rounds < MAX_ROUNDS) {
      if (options.signal.aborted) return { kind: 'stopped', ...progress };
      const chunk = this.nextChunk(session, frame, options.all ?? false);
      if (!chunk) break;
      options.onRound?.(progress.messages + articles(chunk.items));
      const ended = await this.fitRound(session, frame, options, { chunk, progress });
      if (ended === 'stopped') return { kind: 'stopped', ...progress };
      if (ended) return { kind: 'failed', error: ended, ...progress };
    }
    return progress.rounds === 0 ? { kind: 'fits' } : { kind: 'done', ...progress };
  }

  /**
   * Writes the facts of messages that nobody has noted yet, and leaves the prompt as it is: what `/new` left first, then everything up to the end
   * of the last finished turn. A session without a person's words has no facts. Up to five rounds; rejects like `fit`.
   */
  async archive(session: Session, frame: PromptFrame, { signal }: { signal: AbortSignal }): Promise<ArchiveOutcome> {
    await this.recover(session);
    for (let rounds = 0; ; rounds++) {
      const span = owedSpan(session);
      if (!span) return rounds === 0 ? { kind: 'nothing' } : { kind: 'done', rounds };
      if (rounds === MAX_ROUNDS) return { kind: 'done', rounds };
      if (signal.aborted) return { kind: 'stopped', rounds };
      const ended = await this.archiveRound(session, frame, span, signal);
      if (ended === 'stopped') return { kind: 'stopped', rounds };
      if (ended) return { kind: 'failed', error: ended };
    }
  }

  /** Finishes what a killed process began to write: the entry is appended unless it stands there, and the session takes note of it. */
  async recover(session: Session): Promise<void> {
    const pending = pendingEntry(session);
    if (!pending) return;
    const { content, after, project, then } = pending;
    const since = await this.deps.history.after(after, 1_000);
    const isThere = since.some((entry) => entry.session_key === session.key && entry.content === content);
    if (!isThere) await this.append(session, content, project);
    await advance(session, then);
    this.deps.log.info(`Finished writing the facts of the chat ${session.key}, which an earlier process had begun.`);
  }

  /** What the next round takes in; undefined where half of the budget is reached, or only the newest turn is left. */
  private nextChunk(session: Session, frame: PromptFrame, all: boolean): Chunk | undefined {
    const from = session.metadata.last_consolidated;
    const weigh = weigher(frame);
    const target = this.target(session, frame);
    if (!all && newestThatFit(session, target, weigh).from <= from) return undefined;
    const until = all ? Infinity : newestThatFit(session, target - toCome(frame), weigh).from;
    const noted = notedUpTo(session);
    const limits = { until, room: this.room(session, frame), ...(noted > from ? { stopAt: noted } : {}) };
    const cut = cutAt(itemsOf(session, [from, session.messages.length], weigh), limits);
    return cut && { span: [from, cut.end], items: cut.items, noted };
  }

  /** Tokens that messages may have once there is room: half of the budget, less what stays. */
  private target(session: Session, frame: PromptFrame): number {
    return Math.max(frame.budget / 2 - this.fixed(session, frame), LEAST_ROOM);
  }

  /** Tokens of the prompt that stay whatever is summarised: system prompt, tools, and the summary itself. */
  private fixed(session: Session, { fixedTokens, ratio }: PromptFrame): number {
    const note = summaryNote(session);
    return (fixedTokens + (note ? estimateMessage(note) : 0)) * ratio;
  }

  /** Undefined where the round is done. */
  private async fitRound(
    session: Session,
    frame: PromptFrame,
    { signal, card }: FitOptions,
    { chunk, progress }: { chunk: Chunk; progress: Progress },
  ): Promise<ErrorInfo | 'stopped' | undefined> {
    const { items, span } = chunk;
    const earlier = workingSummary(session);
    const isLong = earlier !== undefined && estimateText(earlier) * frame.ratio > summaryTokens(frame);
    const task: RoundTask = {
      facts: factsOf(chunk),
      summary: isLong ? 'merged' : 'beside',
      hasEarlier: earlier !== undefined,
    };
    const asked = await this.ask(session, frame, { items, task, signal, withNote: true });
    if (asked === 'stopped') return asked;
    const products = 'products' in asked ? asked.products : this.productsAfter(session, asked.error);
    if (!products) return 'error' in asked ? asked.error : undefined;
    const messages = items.map((item) => item.message);
    const summary = products.summary ?? [rawDigest(messages), products.facts ?? ''].join('\n').trim();
    const text = joined(isLong && products.summary !== undefined ? undefined : earlier, summary, frame);
    const content = task.facts === 'none' ? '' : entryOf(products, messages);
    const isRaw = products.facts === undefined && products.summary === undefined;
    progress.messages += articles(items);
    if (isRaw) progress.raw += articles(items);
    const { messages: count, raw } = progress;
    await this.store(session, frame, content, {
      span,
      summary: { text: maskSecrets(text), card: { ...card, messages: count, ...(raw > 0 ? { raw } : {}) } },
    });
    progress.rounds += 1;
    return undefined;
  }

  private async archiveRound(
    session: Session,
    frame: PromptFrame,
    span: Span,
    signal: AbortSignal,
  ): Promise<ErrorInfo | 'stopped' | undefined> {
    const weigh = weigher(frame);
    const [first] = itemsOf(session, span, weigh);
    const lead = !first || first.message.role === 'user' ? [] : leadOf([...itemsOf(session, [0, span[0]], weigh)]);
    if (!first || !(lead.some(({ message }) => isSaid(message)) || session.messages.slice(...span).some(isSaid))) {
      await advance(session, { span });
      return undefined;
    }
    const { items, end } = cutOrAll(() => itemsOf(session, span, weigh), this.room(session, frame));
    const task: RoundTask = {
      facts: lead.length > 0 ? { from: first.message } : 'all',
      summary: 'none',
      hasEarlier: false,
    };
    const withNote = span[0] === session.metadata.last_consolidated;
    const asked = await this.ask(session, frame, { items: [...lead, ...items], task, signal, withNote });
    if (asked === 'stopped') return asked;
    const products = 'products' in asked ? asked.products : this.productsAfter(session, asked.error);
    if (!products) return 'error' in asked ? asked.error : undefined;
    const messages = items.map((item) => item.message);
    await this.store(session, frame, entryOf(products, messages), { span: [span[0], end ?? span[1]] });
    return undefined;
  }

  /** Asks once, and again with less where the window turned out smaller than it is said to be. */
  private async ask(
    session: Session,
    frame: PromptFrame,
    round: { items: Item[]; task: RoundTask; signal: AbortSignal; withNote: boolean },
  ): Promise<Asked> {
    const { items, task, signal } = round;
    const note = round.withNote ? summaryNote(session) : undefined;
    const messages = [...(note ? [note] : []), ...govern(items.map((item) => item.message))];
    const instruction = instructionFor(task, this.today());
    const { system, tools, maxTokens } = frame;
    let room = this.room(session, frame) + (note ? estimateMessage(note) * frame.ratio : 0);
    for (let tries = 1; ; tries++) {
      const part = partThatFits(messages, room, weigher(frame));
      const answer = await frame.ask({ system, tools, maxTokens, instruction, messages: part }, { signal });
      if (signal.aborted) return 'stopped';
      if (!('error' in answer)) {
        this.breakdowns.delete(session.key);
        return { products: answer.complete ? readProducts(answer.text) : {} };
      }
      if (answer.error.code !== 'context_length' || tries === 3) return answer;
      room /= 2;
    }
  }

  /** Nothing usable came, and will not come: no products, and the messages are kept as they are. Undefined where asking later may help. */
  private productsAfter(session: Session, error: ErrorInfo): SummaryProducts | undefined {
    if (NO_ANSWER.has(error.code)) return {};
    if (!BREAKDOWN.has(error.code)) return undefined;
    const from = session.metadata.last_consolidated;
    const known = this.breakdowns.get(session.key);
    const times = known?.from === from ? known.times + 1 : 1;
    this.breakdowns.set(session.key, { from, times });
    if (times < MAX_BREAKDOWNS) return undefined;
    this.breakdowns.delete(session.key);
    return {};
  }

  private async store(session: Session, frame: PromptFrame, facts: string, then: Advance): Promise<void> {
    const content = maskSecrets(facts).trim();
    if (content !== '') {
      const { project } = frame;
      const after = (await this.deps.history.newest(1)).at(-1)?.cursor ?? 0;
      await announceEntry(session, { content, after, then, ...(project === undefined ? {} : { project }) });
      await this.append(session, content, project);
    }
    await advance(session, then);
  }

  private async append(session: Session, content: string, project: string | undefined): Promise<void> {
    await this.deps.history.append([
      { content, session_key: session.key, ...(project === undefined ? {} : { project }) },
    ]);
  }

  /** Estimated tokens that messages may have in a request beside system prompt, tools, note and instruction. */
  private room(session: Session, frame: PromptFrame): number {
    const longest = instructionFor({ facts: 'all', summary: 'merged', hasEarlier: true }, this.today());
    const taken = this.fixed(session, frame) + estimateText(longest) * frame.ratio;
    return Math.max(frame.budget - taken, frame.budget / 8);
  }

  private today(): string {
    return localDate(this.deps.clock);
  }
}

interface Chunk {
  span: Span;
  items: Item[];
  /** Facts of messages before this index are in history.jsonl. */
  noted: number;
}

function weigher({ ratio }: PromptFrame): (message: StoredMessage) => number {
  return (message) => estimateMessage(message) * ratio;
}

/** What a summary will add to the prompt about, so that one round brings it to its target. */
function toCome({ budget }: PromptFrame): number {
  return Math.min(1_000, budget / 16);
}

function summaryTokens({ budget }: PromptFrame): number {
  return Math.min(MAX_SUMMARY_TOKENS, budget * SUMMARY_SHARE);
}

/** Messages of the person and the agent. */
function articles(items: readonly Item[]): number {
  return items.filter(({ message }) => message.role !== 'tool').length;
}

function factsOf({ span: [from, to], items, noted }: Chunk): RoundTask['facts'] {
  if (noted >= to) return 'none';
  const first = items.find(({ index }) => index >= noted);
  return noted <= from || !first ? 'all' : { from: first.message };
}

/** The entry of a round: its facts; the summary where the model wrote no list; else the messages in short as they are. */
function entryOf({ facts, summary }: SummaryProducts, messages: readonly StoredMessage[]): string {
  return facts === undefined && summary === undefined
    ? rawEntry(messages)
    : quoteForeign(facts ?? summary ?? '', messages);
}

/** All rounds' summaries, the oldest first. Where one that should take in the others did not come, the oldest are shortened. */
function joined(earlier: string | undefined, summary: string, frame: PromptFrame): string {
  const text = earlier === undefined ? summary : `${earlier}${BETWEEN}${summary}`;
  const most = Math.max(2_000, Math.floor(summaryTokens(frame) * 6));
  return text.length <= most * 2 ? text : shorten(text, most * 2);
}
