import { join } from 'node:path';
import { localDate, localMinute } from '../platform/localTime.js';
import { maskSecrets } from '../platform/maskSecrets.js';
import type { Clock, Files } from '../platform/ports.js';
import type { Leases } from '../session/lease.js';
import { withLease } from '../session/withLease.js';

/** The notes of one day. */
export interface DayNotes {
  /** `YYYY-MM-DD`. */
  date: string;
  /** Absolute. */
  path: string;
  /** The whole file, header included. */
  text: string;
}

/** All that Markdown or an editor takes for the end of a line: none of it may lead out of a quotation. */
const LINE_ENDS = /\r\n|[\n\r\v\f\u2028\u2029]/;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The daily notes, memory/YYYY-MM-DD.md by the local date: a header, then what the agent or the person noted, with the time. */
export class Notes {
  constructor(
    private readonly deps: { files: Files; clock: Clock; home: string; leases: Pick<Leases, 'acquire' | 'release'> },
  ) {}

  /**
   * Adds a note to today's file, secrets masked, flushed, under a cross-process lock. Lines after the first are indented, so that a note stays one item
   * whatever it says. With `quotedFrom` each line becomes a quotation (`> …`), as everything is kept that the person did not say. Rejects where the text is
   * blank, and with the disk's error where it refuses.
   */
  async append(text: string, { quotedFrom }: { quotedFrom?: string } = {}): Promise<{ path: string }> {
    const { files, clock, home, leases } = this.deps;
    const said = maskSecrets(text.trim()).split(LINE_ENDS);
    if (said.join('') === '') throw new Error('There is nothing to note: the text is empty.');
    const lines =
      quotedFrom === undefined
        ? said
        : [`Quoted from ${quotedFrom}, not said by the person:`, ...said.map((line) => `> ${line}`)];
    return withLease(leases, 'memory-notes', clock, async () => {
      const now = clock.now();
      const date = localDate(clock, now);
      const path = join(home, 'memory', `${date}.md`);
      const item = `- ${localMinute(clock, now).slice(11)} ${lines.join('\n  ')}\n`;
      const size = (await files.stat(path))?.size ?? 0;
      if (size === 0) await files.writeAtomic(path, `# ${date}\n\n${item}`);
      else await files.append(path, `${await this.gap(path, size)}${item}`, { flush: true });
      return { path };
    });
  }

  /** The notes of the last so many days, today included, oldest first. Days without notes are left out. */
  async recent(days: number): Promise<DayNotes[]> {
    const { files, clock, home } = this.deps;
    // Dates sort as text do; the day before a date is found at noon, where no change of clocks can reach.
    const noon = Date.parse(`${localDate(clock)}T12:00:00Z`);
    const first = new Date(noon - (Math.max(1, Math.floor(days)) - 1) * DAY_MS).toISOString().slice(0, 10);
    const found: DayNotes[] = [];
    for (const { name, type } of await files.list(join(home, 'memory'))) {
      const date = /^(\d{4}-\d\d-\d\d)\.md$/.exec(name)?.[1];
      if (date === undefined || date < first || type === 'directory') continue;
      const path = join(home, 'memory', name);
      const text = new TextDecoder().decode(await files.read(path)).replaceAll('\r\n', '\n');
      if (text.trim() !== '') found.push({ date, path, text });
    }
    return found;
  }

  /** What has to stand before the next item: a file that somebody edited may lack its last line end. */
  private async gap(path: string, size: number): Promise<string> {
    const [last] = await this.deps.files.readRange(path, size - 1, 1);
    return last === 10 ? '' : '\n';
  }
}
