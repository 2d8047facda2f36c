import type { Files } from '../../platform/ports.js';
import { reasonOf } from '../../platform/reason.js';

/** Bytes that are kept in memory first: an output of at most this many needs no file. */
const SMALL = 10_000;
/** Bytes of one file at most, so that a command that never stops writing cannot fill the disk. */
const LARGEST = 256 * 1024 * 1024;
/** Bytes a buffer starts with; it grows with what has to wait. */
const FIRST_BUFFER = 16 * 1024;

/**
 * All output of one command in a file, made once the output is larger than what the model is shown. Bytes are handed over in order; the caller
 * slows the command down while `behind` is large. A disk that fails ends the keeping, never the command; `where` then says so.
 *
 * Bytes are copied into two buffers that take turns: holding on to the chunks themselves would keep 100 MB of them alive until a full garbage
 * collection.
 */
export class OutputFile {
  private failure: string | undefined;
  private full = false;
  private total = 0;
  private filling: Uint8Array | undefined;
  private filled = 0;
  private spare: Uint8Array | undefined;
  /** Bytes of the write that is going on. */
  private onTheWay = 0;
  private writing: Promise<void> | undefined;

  constructor(
    private readonly files: Pick<Files, 'append'>,
    private readonly path: string,
    /** Called after each write: `behind` has become smaller. */
    private readonly caughtUp: () => void,
  ) {}

  /** Bytes that are not on the disk yet. */
  get behind(): number {
    return this.total > SMALL ? this.filled + this.onTheWay : 0;
  }

  add(bytes: Uint8Array): void {
    if (this.failure !== undefined || this.full) return;
    if (this.total + bytes.length > LARGEST) {
      this.full = true;
      return;
    }
    this.total += bytes.length;
    this.room(bytes.length).set(bytes, this.filled);
    this.filled += bytes.length;
    if (this.total > SMALL) this.writing ??= this.writeAll();
  }

  /** Where all of the output is, for a sentence: "all of it in PATH". */
  where(): string {
    if (this.failure !== undefined) return `which could not be kept in a file (${this.failure})`;
    if (this.full) return `the first ${String(this.total)} bytes of it in ${this.path}`;
    return `all of it in ${this.path}`;
  }

  /** Resolves when everything that was added is on the disk, or known not to get there. */
  async flush(): Promise<void> {
    await this.writing;
    this.spare = undefined;
    if (this.filled === 0) this.filling = undefined;
  }

  private async writeAll(): Promise<void> {
    // Callers never wait for the first step of a write: it starts after their own stretch of work.
    await Promise.resolve();
    while (this.filled > 0) {
      const bytes = this.swap();
      this.onTheWay = bytes.length;
      try {
        await this.files.append(this.path, bytes);
      } catch (cause) {
        this.failure = reasonOf(cause);
        this.filled = 0;
      }
      this.onTheWay = 0;
      this.caughtUp();
    }
    this.writing = undefined;
  }

  /** The bytes that wait; what comes next goes to the other buffer. */
  private swap(): Uint8Array {
    const bytes = (this.filling ?? new Uint8Array()).subarray(0, this.filled);
    [this.filling, this.spare] = [this.spare, this.filling];
    this.filled = 0;
    return bytes;
  }

  private room(needed: number): Uint8Array {
    const wanted = this.filled + needed;
    let size = this.filling?.length ?? FIRST_BUFFER;
    while (size < wanted) size *= 2;
    if (this.filling?.length !== size) {
      const larger = new Uint8Array(size);
      if (this.filling) larger.set(this.filling.subarray(0, this.filled));
      this.filling = larger;
    }
    return this.filling;
  }
}
