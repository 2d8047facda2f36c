/** What a window held: all of it in `head`, or `head` and `tail` with `dropped` characters between them. */
export interface Taken {
  head: string;
  tail: string;
  /** Characters that are in neither; 0 where `head` is everything. */
  dropped: number;
}

/**
 * The beginning and the end of a stream of bytes, in memory that does not grow with it. Only what is taken is decoded (UTF-8); a character that
 * is split between chunks, or between two takings, stays whole. Buffers are made when bytes first need them.
 */
export class OutputWindow {
  private head: Uint8Array | undefined;
  private headLength = 0;
  private ring: Uint8Array | undefined;
  /** Bytes that went to the ring since the last taking; the newest `tailSize` are there. */
  private ringTotal = 0;
  /** Characters that went to the ring. */
  private ringCharacters = 0;

  /** Sizes in bytes. */
  constructor(
    private readonly headSize: number,
    private readonly tailSize: number,
  ) {}

  get isEmpty(): boolean {
    return this.headLength === 0;
  }

  push(bytes: Uint8Array): void {
    const toHead = Math.min(bytes.length, this.headSize - this.headLength);
    if (toHead > 0) {
      this.head ??= new Uint8Array(this.headSize);
      this.head.set(bytes.subarray(0, toHead), this.headLength);
      this.headLength += toHead;
    }
    if (toHead < bytes.length) this.pushToRing(bytes.subarray(toHead));
  }

  /** Everything since the last taking. With `final` an unfinished character at the end is given too, else it waits for its rest. */
  take(final: boolean): Taken {
    const whole = this.ringTotal <= this.tailSize;
    const tail = this.ringBytes(this.tailSize);
    const head = this.headBytes();
    const bytes = whole ? joined(head, tail) : tail;
    const end = final ? bytes.length : completeLength(bytes);
    const rest = bytes.slice(end);
    const last = bytes.subarray(whole ? 0 : firstWhole(bytes), end);
    const taken = whole
      ? { head: decode(last), tail: '', dropped: 0 }
      : { head: decode(head.subarray(0, completeLength(head))), tail: decode(last), dropped: this.outOfRing(tail) };
    this.headLength = 0;
    this.ringTotal = 0;
    this.ringCharacters = 0;
    this.push(rest);
    return taken;
  }

  /** The newest text, from at most `size` bytes; nothing is taken. */
  newest(size: number): string {
    const ring = this.ringBytes(size);
    const bytes = ring.length >= size ? ring : joined(this.headBytes().slice(ring.length - size), ring);
    return decode(bytes.subarray(firstWhole(bytes), completeLength(bytes)));
  }

  private pushToRing(bytes: Uint8Array): void {
    const ring = (this.ring ??= new Uint8Array(this.tailSize));
    this.ringCharacters += characters(bytes);
    const kept = bytes.subarray(Math.max(0, bytes.length - this.tailSize));
    const at = (this.ringTotal + bytes.length - kept.length) % this.tailSize;
    const first = kept.subarray(0, this.tailSize - at);
    ring.set(first, at);
    ring.set(kept.subarray(first.length), 0);
    this.ringTotal += bytes.length;
  }

  private headBytes(): Uint8Array {
    return this.head?.subarray(0, this.headLength) ?? new Uint8Array();
  }

  /** The newest bytes of the ring in their order, at most `size`. A copy. */
  private ringBytes(size: number): Uint8Array {
    const length = Math.min(size, this.ringTotal, this.tailSize);
    const bytes = new Uint8Array(length);
    const start = this.ringTotal - length;
    for (let done = 0; done < length;) {
      const at = (start + done) % this.tailSize;
      const part = this.ring?.subarray(at, Math.min(this.tailSize, at + length - done)) ?? new Uint8Array();
      bytes.set(part, done);
      done += part.length;
    }
    return bytes;
  }

  private outOfRing(tail: Uint8Array): number {
    return this.ringCharacters - characters(tail);
  }
}

/** Characters of UTF-8: every byte that does not continue one. Counting needs no decoding, which 100 MB would make slow. */
function characters(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (((bytes[at] ?? 0) & 0xc0) !== 0x80) count++;
  return count;
}

/** The length without an unfinished character at the end. */
function completeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Where the first whole character starts: bytes before it continue one that was dropped. */
function firstWhole(bytes: Uint8Array): number {
  let at = 0;
  while (at < Math.min(3, bytes.length) && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const all = new Uint8Array(left.length + right.length);
  all.set(left);
  all.set(right, left.length);
  return all;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
