import type { HistoryFile } from '../memory/history.js';
import type { HistoryEntry } from '../memory/historyEntry.js';
import { DAY_STEP, fits, historyRows, type HistoryRow } from './historyItems.js';
import type { Present } from './dates.js';

/** Entries read at once. */
export const PAGE = 500;

/** What was read of the history, newest first. Never changed: a newer reading takes its place. */
interface Reading {
  entries: readonly HistoryEntry[];
  /** Entries looked at, those that do not fit the filter too. */
  scanned: number;
  /** The oldest cursor looked at. */
  oldest: number | undefined;
  complete: boolean;
  dreamCursor: number;
}

const NOTHING: Reading = { entries: [], scanned: 0, oldest: undefined, complete: false, dreamCursor: 0 };

/**
 * What the History view knows of history.jsonl: read from its end, in pages, as far as a person asked for it. With a filter the pages hold what
 * fits, and reading goes on until enough of it is there.
 */
export class HistoryPages {
  private reading: Reading = NOTHING;
  private stale = true;
  private words = '';
  private readonly shown = new Map<string, number>();
  private work: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly history: Pick<HistoryFile, 'newest' | 'dreamCursor'>,
    private readonly present: () => Present,
  ) {}

  get filter(): string {
    return this.words;
  }

  /** Shows only entries with all these words; nothing shows all. */
  setFilter(filter: string): void {
    this.words = filter.trim().replace(/\s+/g, ' ');
    this.reading = NOTHING;
    this.shown.clear();
    this.stale = true;
  }

  /** The file or the Dream cursor changed: the next `rows` reads again what is shown. */
  invalidate(): void {
    this.stale = true;
  }

  /** The rows as they are now. Rejects where the file cannot be read. */
  rows(): Promise<HistoryRow[]> {
    return this.inTurn(async () => {
      // The filter can change while it reads.
      while (this.stale) await this.readAgain();
      const { entries, complete, dreamCursor } = this.reading;
      const { filter, shown } = this;
      return historyRows({ entries, complete, dreamCursor, filter, shown, present: this.present() });
    });
  }

  /** More of one day, or without a date at least one day more. */
  more(date?: string): Promise<void> {
    return this.inTurn(async () => {
      if (date === undefined) {
        const known = new Set(this.reading.entries.map(dayOf));
        return this.readOn(({ entries }) => entries.some((entry) => !known.has(dayOf(entry))));
      }
      const wanted = (this.shown.get(date) ?? DAY_STEP) + DAY_STEP;
      this.shown.set(date, wanted);
      const isEnough = ({ entries }: Reading) =>
        entries.filter((entry) => dayOf(entry) === date).length >= wanted || dayOf(entries.at(-1)) !== date;
      if (!isEnough(this.reading)) await this.readOn(isEnough);
    });
  }

  private async readAgain(): Promise<void> {
    this.stale = false;
    const { scanned } = this.reading;
    try {
      const start = { ...NOTHING, dreamCursor: await this.history.dreamCursor() };
      this.reading = await this.read(start, (reading) => {
        if (reading.scanned < scanned) return false;
        return this.words === '' ? reading.scanned > 0 : reading.entries.length >= DAY_STEP;
      });
    } catch (error) {
      this.stale = true;
      throw error;
    }
  }

  /** One page at least. */
  private async readOn(isEnough: (reading: Reading) => boolean): Promise<void> {
    const before = this.reading.scanned;
    this.reading = await this.read(this.reading, (reading) => reading.scanned > before && isEnough(reading));
  }

  private async read(from: Reading, isEnough: (reading: Reading) => boolean): Promise<Reading> {
    const filter = this.words;
    const entries = [...from.entries];
    let reading: Reading = { ...from, entries };
    while (!reading.complete && !isEnough(reading)) {
      const page = await this.history.newest(PAGE, reading.oldest);
      entries.push(...page.toReversed().filter((entry) => filter === '' || fits(entry, filter)));
      reading = {
        ...reading,
        scanned: reading.scanned + page.length,
        oldest: page[0]?.cursor ?? reading.oldest,
        complete: page.length < PAGE,
      };
    }
    return reading;
  }

  /** One after the other: two readings at once would leave gaps. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.work.then(work);
    this.work = result.catch(() => undefined);
    return result;
  }
}

function dayOf(entry: HistoryEntry | undefined): string | undefined {
  return entry?.timestamp.slice(0, 10);
}
