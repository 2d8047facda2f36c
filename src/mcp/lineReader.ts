const NEWLINE = 10;
/** What is kept of both ends of a line that is too long: its id stands at one of them. */
const ENDS = 300;

/** A line that was longer than allowed: its first and last bytes as text, and how long it was. */
export interface LongLine {
  head: string;
  tail: string;
  bytes: number;
}

/**
 * Cuts a stream of bytes into lines. A line over the limit is not kept in memory: it is reported once it ends. A character of several bytes may be
 * split between pieces.
 */
export class LineReader {
  private pieces: Uint8Array[] = [];
  private length = 0;
  private head = '';
  private tail = new Uint8Array();

  constructor(
    private readonly options: { maxBytes: number; line(text: string): void; tooLong(line: LongLine): void },
  ) {}

  push(bytes: Uint8Array): void {
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      this.take(bytes.subarray(from, at));
      this.finish();
      from = at + 1;
    }
    this.take(bytes.subarray(from));
  }

  private take(part: Uint8Array): void {
    if (part.length === 0) return;
    this.length += part.length;
    this.pieces.push(part);
    if (this.length <= this.options.maxBytes) return;
    const text = Buffer.concat(this.pieces);
    if (this.head === '') this.head = text.toString('utf8', 0, ENDS);
    this.tail = new Uint8Array(Buffer.concat([this.tail, text]).subarray(-ENDS));
    this.pieces = [];
  }

  private finish(): void {
    const { head, length, pieces } = this;
    const tail = Buffer.from(this.tail).toString('utf8');
    this.pieces = [];
    this.length = 0;
    this.head = '';
    this.tail = new Uint8Array();
    if (head !== '') this.options.tooLong({ head, tail, bytes: length });
    else this.options.line(Buffer.concat(pieces).toString('utf8').replace(/\r$/, ''));
  }
}
