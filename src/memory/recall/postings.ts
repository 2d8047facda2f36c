/** Occurrences kept loose before they are packed: small enough to be searched as they are, large enough to pack seldom. */
const LOOSE_OCCURRENCES = 200_000;

/** The packed form, for the disk. */
export interface PackedPostings {
  /** Where each term's bytes start, and the end of the last. */
  starts: Uint32Array;
  /** Documents that have the term. */
  counts: Uint32Array;
  /** The last of them, from which the next gap counts. */
  lasts: Uint32Array;
  bytes: Uint8Array;
}

/**
 * Which documents have a term, and how often: the inverted index. Documents are numbered upwards and must be added in that order. Packed lists
 * hold the gaps between documents as bytes, about two an occurrence; what came last is kept loose and packed when it has become much.
 */
export class Postings {
  private packed: PackedPostings;
  private loose = new Map<number, number[]>();
  private looseCount = 0;

  constructor(packed?: PackedPostings) {
    this.packed = packed ?? {
      starts: new Uint32Array(1),
      counts: new Uint32Array(0),
      lasts: new Uint32Array(0),
      bytes: new Uint8Array(0),
    };
  }

  /** Notes that a document has a term. `document` is at least as large as any before. */
  add(term: number, document: number, times: number): void {
    const list = this.loose.get(term);
    if (list) list.push(document, times);
    else this.loose.set(term, [document, times]);
    this.looseCount += 1;
    if (this.looseCount >= LOOSE_OCCURRENCES) this.pack();
  }

  /** How many documents have the term. */
  count(term: number): number {
    return (this.packed.counts[term] ?? 0) + (this.loose.get(term)?.length ?? 0) / 2;
  }

  /** Calls back for each document that has the term, in order. */
  each(term: number, visit: (document: number, times: number) => void): void {
    const { starts, counts, bytes } = this.packed;
    const count = counts[term] ?? 0;
    let at = starts[term] ?? 0;
    let document = 0;
    for (let index = 0; index < count; index += 1) {
      let gap = 0;
      let shift = 1;
      for (;;) {
        const byte = bytes[at++] ?? 0;
        gap += (byte & 127) * shift;
        if (byte < 128) break;
        shift *= 128;
      }
      document += gap >>> 1;
      visit(document, gap & 1 ? (bytes[at++] ?? 1) : 1);
    }
    const list = this.loose.get(term);
    if (!list) return;
    for (let index = 0; index < list.length; index += 2) visit(list[index] ?? 0, list[index + 1] ?? 1);
  }

  /** Packs what is loose and gives the whole for the disk. */
  pack(): PackedPostings {
    if (this.looseCount === 0) return this.packed;
    const { packed: old, loose } = this;
    const terms = Math.max(old.counts.length, highest(loose) + 1);
    const starts = new Uint32Array(terms + 1);
    const counts = new Uint32Array(terms);
    const lasts = new Uint32Array(terms);
    const bytes = new Uint8Array(old.bytes.length + this.looseCount * 6);
    let at = 0;
    for (let term = 0; term < terms; term += 1) {
      starts[term] = at;
      const oldBytes = old.bytes.subarray(
        old.starts[term] ?? old.bytes.length,
        old.starts[term + 1] ?? old.bytes.length,
      );
      bytes.set(oldBytes, at);
      at += oldBytes.length;
      const list = loose.get(term) ?? [];
      let last = old.lasts[term] ?? 0;
      for (let index = 0; index < list.length; index += 2) {
        const document = list[index] ?? 0;
        at = writeOne(bytes, at, document - last, Math.min(255, list[index + 1] ?? 1));
        last = document;
      }
      counts[term] = (old.counts[term] ?? 0) + list.length / 2;
      lasts[term] = last;
    }
    starts[terms] = at;
    this.packed = { starts, counts, lasts, bytes: bytes.slice(0, at) };
    this.loose = new Map();
    this.looseCount = 0;
    return this.packed;
  }
}

function highest(loose: ReadonlyMap<number, unknown>): number {
  let most = -1;
  for (const term of loose.keys()) most = Math.max(most, term);
  return most;
}

/** The gap, doubled, with one added where the number of times follows in a byte. Returns where the next one goes. */
function writeOne(bytes: Uint8Array, from: number, gap: number, times: number): number {
  let at = from;
  let value = gap * 2 + (times > 1 ? 1 : 0);
  while (value >= 128) {
    bytes[at++] = (value % 128) + 128;
    value = Math.floor(value / 128);
  }
  bytes[at++] = value;
  if (times > 1) bytes[at++] = times;
  return at;
}
