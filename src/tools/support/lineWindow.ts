import type { TextFormat } from '../../platform/encoding.js';
import type { Workspace } from '../../platform/ports.js';
import { linesOf } from './text.js';

/** Lines of a text, as many as were asked for and fit. */
export interface LineWindow {
  lines: string[];
  /** Lines of the whole text; undefined where it was not read to its end. */
  total: number | undefined;
  /** True where there are lines after these. */
  more: boolean;
  /** True where the last line shown was itself too long and is cut. */
  cut: boolean;
}

/** What is wanted of a text. */
export interface WindowQuery {
  /** 1-based. */
  offset: number;
  limit: number;
  /** Characters of all lines together. */
  characters: number;
}

const chunkBytes = 1024 * 1024;

/** The window of a text that is in memory. */
export function windowOf(text: string, query: WindowQuery): LineWindow {
  const all = linesOf(text);
  const wanted = all.slice(query.offset - 1, query.offset - 1 + query.limit);
  const { lines, cut } = fitting(wanted, query.characters);
  return { lines, total: all.length, more: query.offset - 1 + lines.length < all.length, cut };
}

/**
 * The window of a file too large for memory: read in pieces of 1 MB from the start, and no further than the last line wanted. `total` is
 * known only where the end of the file was reached.
 */
export async function windowOfFile(
  workspace: Workspace,
  path: string,
  format: TextFormat,
  query: WindowQuery,
  signal: AbortSignal,
): Promise<LineWindow> {
  const collector = new LineCollector(query);
  // Not fatal: one wrong byte in 200 MB must not hide the rest. The BOM is dropped by the decoder.
  const decoder = new TextDecoder(format.encoding);
  for (let offset = 0; !collector.full; offset += chunkBytes) {
    signal.throwIfAborted();
    const bytes = await workspace.readRange(path, offset, chunkBytes);
    collector.push(decoder.decode(bytes, { stream: true }));
    if (bytes.length < chunkBytes) return collector.end();
  }
  return collector.result(undefined);
}

/** Takes a text in pieces and keeps the lines of a window, one more than wanted to know that there is more. */
class LineCollector {
  private line = 1;
  private pending = '';
  private characters = 0;
  private readonly lines: string[] = [];

  constructor(private readonly query: WindowQuery) {}

  get full(): boolean {
    return this.lines.length > this.query.limit || this.characters > this.query.characters;
  }

  push(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0 && !this.full; end = text.indexOf('\n', start)) {
      this.keep(text.slice(start, end));
      this.endLine();
      start = end + 1;
    }
    if (!this.full) this.keep(text.slice(start));
  }

  end(): LineWindow {
    if (!this.full && this.pending !== '') this.endLine();
    return this.result(this.full ? undefined : this.line - 1);
  }

  result(total: number | undefined): LineWindow {
    const { lines, cut } = fitting(this.lines.slice(0, this.query.limit), this.query.characters);
    return { lines, total, more: cut || lines.length < this.lines.length, cut };
  }

  private keep(part: string): void {
    // Of lines before the window only the fact that they are not empty matters; of a long one what could be shown.
    const room = this.line < this.query.offset ? 1 : this.query.characters + 1;
    if (this.pending.length < room) this.pending += part.slice(0, room - this.pending.length);
    if (this.line >= this.query.offset && this.pending.length > this.query.characters) this.endLine();
  }

  private endLine(): void {
    if (this.line >= this.query.offset) {
      this.lines.push(this.pending.replace(/\r$/, ''));
      this.characters += this.pending.length + 1;
    }
    this.line++;
    this.pending = '';
  }
}

/** As many whole lines as fit; the first one is cut if it alone is too long, so that there is always something to show. */
function fitting(wanted: readonly string[], characters: number): { lines: string[]; cut: boolean } {
  const lines: string[] = [];
  let left = characters;
  for (const line of wanted) {
    if (line.length > left) {
      if (lines.length > 0) return { lines, cut: false };
      return { lines: [line.slice(0, characters)], cut: true };
    }
    lines.push(line);
    left -= line.length + 1;
  }
  return { lines, cut: false };
}
