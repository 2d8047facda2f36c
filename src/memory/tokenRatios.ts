import { join } from 'node:path';
import { codeOf } from '../platform/fileErrors.js';
import type { Clock, Disposable, Files, Log } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';

/** What a model's tokenizer can be off ours. Outside of this the report is wrong, or it was not about what was estimated. */
const LOWEST = 0.5;
const HIGHEST = 3;
/** How much a report weighs against what is known: one odd request moves little. */
const WEIGHT = 0.3;
/** Below this many tokens a request says nothing. */
const LEAST_TOKENS = 200;
/** Models that are remembered, those corrected last. */
const MOST_MODELS = 100;
/** A change below this is not worth a write. */
const WORTH_WRITING = 0.01;
const WRITE_AFTER_MS = 5_000;

export interface TokenRatiosDeps {
  files: Files;
  clock: Clock;
  log: Log;
  home: string;
}

/**
 * How many tokens a model reports for one of our estimate, by model, kept in `<home>/.nanobot/tokenRatios.json` as `{"provider/model": 1.07}`. A
 * file that cannot be read counts as empty and says so in the log. Two windows that write it at once may lose a correction, which the next
 * request makes again.
 */
export class TokenRatios {
  private readonly path: string;
  /** Those corrected last stand last. */
  private readonly ratios = new Map<string, number>();
  private readonly changed = new Set<string>();
  private readonly written = new Map<string, number>();
  private loading: Promise<void> | undefined;
  private timer: Disposable | undefined;
  private saidUnreadable = false;
  private saidUnwritable = false;

  constructor(private readonly deps: TokenRatiosDeps) {
    this.path = join(deps.home, '.nanobot', 'tokenRatios.json');
  }

  /** Reads the file, once. Never rejects. */
  load(): Promise<void> {
    return (this.loading ??= this.read().then((stored) => {
      // What was learned meanwhile is newer.
      const learned = [...this.ratios];
      this.ratios.clear();
      for (const [model, ratio] of [...stored, ...learned]) this.put(model, ratio);
      for (const [model, ratio] of stored) this.written.set(model, ratio);
    }));
  }

  /** 1 for a model that nothing was reported of, or before `load`. */
  ratio(model: string): number {
    return this.ratios.get(model) ?? 1;
  }

  /** Takes in what a model reported for a request that was estimated at so many tokens, without any ratio. */
  correct(model: string, estimated: number, reported: number): void {
    if (!(estimated >= LEAST_TOKENS && reported > 0)) return;
    const seen = bounded(reported / estimated);
    const before = this.ratios.get(model);
    const ratio = before === undefined ? seen : before + WEIGHT * (seen - before);
    this.put(model, ratio);
    if (Math.abs(ratio - (this.written.get(model) ?? 0)) < WORTH_WRITING) return;
    this.changed.add(model);
    this.timer ??= this.deps.clock.after(WRITE_AFTER_MS, () => void this.save());
  }

  /** Writes what is not written yet. Never rejects. */
  async save(): Promise<void> {
    this.timer?.dispose();
    this.timer = undefined;
    if (this.changed.size === 0) return;
    const own = [...this.changed];
    this.changed.clear();
    await this.load();
    const merged = await this.read();
    for (const model of own) {
      const ratio = rounded(this.ratio(model));
      merged.delete(model);
      merged.set(model, ratio);
      this.written.set(model, ratio);
    }
    const text = JSON.stringify(Object.fromEntries(newest(merged)), undefined, 2);
    await this.deps.files.writeAtomic(this.path, `${text}\n`, { flush: false }).catch((cause: unknown) => {
      if (!this.saidUnwritable) this.deps.log.warn(`${this.path} could not be written: ${reasonOf(cause)}`);
      this.saidUnwritable = true;
    });
  }

  private put(model: string, ratio: number): void {
    this.ratios.delete(model);
    this.ratios.set(model, ratio);
    for (const oldest of this.ratios.keys()) {
      if (this.ratios.size <= MOST_MODELS) break;
      this.ratios.delete(oldest);
    }
  }

  private async read(): Promise<Map<string, number>> {
    try {
      const value = JSON.parse(new TextDecoder().decode(await this.deps.files.read(this.path))) as unknown;
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is not an object');
      const pairs = Object.entries(value).filter((pair): pair is [string, number] => Number.isFinite(pair[1]));
      return newest(new Map(pairs.map(([model, ratio]) => [model, bounded(ratio)])));
    } catch (cause) {
      if (codeOf(cause) !== 'ENOENT' && !this.saidUnreadable) {
        const consequence = 'The corrections of token estimates start anew.';
        this.deps.log.warn(`${this.path} could not be read: ${reasonOf(cause)}. ${consequence}`);
        this.saidUnreadable = true;
      }
      return new Map();
    }
  }
}

function newest(ratios: Map<string, number>): Map<string, number> {
  return new Map([...ratios].slice(-MOST_MODELS));
}

function bounded(ratio: number): number {
  return Math.min(HIGHEST, Math.max(LOWEST, ratio));
}

function rounded(ratio: number): number {
  return Math.round(ratio * 1_000) / 1_000;
}
