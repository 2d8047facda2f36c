import type { Clock, Disposable, Files, Log, Worker, Workers } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';
import type { StoredMessage } from '../protocol/message.js';
import { TokenRatios } from './tokenRatios.js';
import { isCounted, noteTokens, textsOf } from './tokens.js';

/**
 * Characters and texts handed to the worker at a time. Handing over copies on the host's thread, about a tenth of a millisecond for this much,
 * whatever the messages are.
 */
const BATCH_CHARS = 64_000;
const BATCH_TEXTS = 500;
/** How long the tokenizer stays in memory after the last count. */
const IDLE_MS = 60_000;
/** After so many failures without a success the tokenizer is not tried again in this process. */
const MOST_FAILURES = 3;

export interface TokenCounterDeps {
  workers: Workers;
  files: Files;
  clock: Clock;
  log: Log;
  home: string;
}

/** A text of a message, or a part of a long one. */
interface Piece {
  message: StoredMessage;
  text: string;
  /** The message's last one: with it the message is counted. */
  last: boolean;
}

/**
 * Counts tokens off the host's thread and learns how far each model's own numbers are from ours. The tokenizer (cl100k_base, in a worker of some
 * 40 MB) is started by the first count and ended 60 seconds after the last one.
 */
export class TokenCounter {
  private readonly ratios: TokenRatios;
  private readonly worker: Worker;
  private idle: Disposable | undefined;
  private work: Promise<void> = Promise.resolve();
  private failures = 0;
  private closed = false;

  constructor(private readonly deps: TokenCounterDeps) {
    this.ratios = new TokenRatios(deps);
    this.worker = deps.workers.start('tokens');
  }

  /** Reads the ratios of former processes, once. Never rejects. */
  ready(): Promise<void> {
    return this.ratios.load();
  }

  /**
   * Counts the messages that are not counted yet, each once; `estimateMessage` gives the result from then on. Resolves when they are, after
   * those of earlier calls. Never rejects: where the worker fails the estimates stay, which the log says once.
   */
  count(messages: readonly StoredMessage[]): Promise<void> {
    if (!messages.every(isCounted)) this.work = this.work.then(() => this.countNow(messages));
    return this.work;
  }

  /** Tokens the model reports for one of our estimate, 0.5 to 3; 1 where nothing is known. `model` is `provider/model`. */
  ratio(model: string): number {
    return this.ratios.ratio(model);
  }

  /** What a request was estimated at, without the ratio, and what the model reported for it. Reports that are estimates teach nothing. */
  correct(model: string, estimated: number, reported: number): void {
    this.ratios.correct(model, estimated, reported);
  }

  /** Ends the worker and writes the ratios. What is still being counted stays an estimate. */
  async close(): Promise<void> {
    this.closed = true;
    this.idle?.dispose();
    await Promise.all([this.worker.end(), this.ratios.save()]);
  }

  private async countNow(messages: readonly StoredMessage[]): Promise<void> {
    this.idle?.dispose();
    try {
      let sum = 0;
      for (const batch of batchesOf(messages)) {
        if (this.closed || this.failures >= MOST_FAILURES) return;
        const counts = await this.worker.call<number[]>(
          'count',
          batch.map(({ text }) => text),
        );
        for (const [index, { message, last }] of batch.entries()) {
          sum += counts[index] ?? 0;
          if (!last) continue;
          noteTokens(message, sum);
          sum = 0;
        }
        this.failures = 0;
      }
    } catch (cause) {
      this.failed(cause);
    }
    if (!this.closed) this.idle = this.deps.clock.after(IDLE_MS, () => void this.worker.end());
  }

  private failed(cause: unknown): void {
    this.failures += 1;
    if (this.closed || this.failures > 1) return;
    const reason = reasonOf(cause);
    this.deps.log.warn(`Tokens could not be counted, so they are estimated: ${reason}`);
  }
}

/** The uncounted messages' texts in their order, in batches that are cheap to hand over. Made as they are asked for. */
function* batchesOf(messages: readonly StoredMessage[]): Generator<Piece[]> {
  let batch: Piece[] = [];
  let chars = 0;
  for (const message of messages) {
    if (isCounted(message)) continue;
    for (const piece of piecesOf(message)) {
      batch.push(piece);
      chars += piece.text.length;
      if (chars < BATCH_CHARS && batch.length < BATCH_TEXTS) continue;
      yield batch;
      batch = [];
      chars = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

/** Long texts in parts: a cut costs a token or two more than there are. */
function piecesOf(message: StoredMessage): Piece[] {
  const parts = textsOf(message).flatMap((text) =>
    Array.from({ length: Math.ceil(text.length / BATCH_CHARS) }, (_, n) =>
      text.slice(n * BATCH_CHARS, (n + 1) * BATCH_CHARS),
    ),
  );
  const texts = parts.length > 0 ? parts : [''];
  return texts.map((text, index) => ({ message, text, last: index === texts.length - 1 }));
}
