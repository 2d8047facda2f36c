import { Column, NUMBER_TYPES, type NumberType } from './columns.js';
import { COLUMN_TYPES, type Columns, type IndexParts, type SourceFile } from './recallIndex.js';

/** Raised whenever the form or the meaning of what is stored changes; an index of another form is built anew. */
export const INDEX_FORM = 1;

const MAGIC = 0x4e42_5243;
/** Magic, form, length of the head, checksum; four bytes each. */
const PREFIX = 16;

interface Head {
  files: SourceFile[];
  speakers: string[];
  sections: { name: string; type: NumberType; length: number }[];
}

/** The index as one file: a prefix, a head in JSON, the vocabulary and the arrays, each at a multiple of eight bytes. */
export function writeIndex(parts: IndexParts): Uint8Array {
  const { postings } = parts;
  const vocabulary = new TextEncoder().encode(parts.vocabulary.join('\n'));
  const sections: { name: string; type: NumberType; values: ArrayBufferView & { length: number } }[] = [
    { name: 'vocabulary', type: 'u8', values: vocabulary },
    { name: 'starts', type: 'u32', values: postings.starts },
    { name: 'counts', type: 'u32', values: postings.counts },
    { name: 'lasts', type: 'u32', values: postings.lasts },
    { name: 'postings', type: 'u8', values: postings.bytes },
    ...Object.entries(parts.columns).map(([name, column]) => ({ name, type: column.type, values: column.filled() })),
  ];
  const head: Head = {
    files: parts.files,
    speakers: parts.speakers,
    sections: sections.map(({ name, type, values }) => ({ name, type, length: values.length })),
  };
  const headBytes = new TextEncoder().encode(JSON.stringify(head));
  const size = sections.reduce((sum, { values }) => sum + padded(values.byteLength), PREFIX + padded(headBytes.length));
  const bytes = new Uint8Array(size);
  bytes.set(headBytes, PREFIX);
  let at = PREFIX + padded(headBytes.length);
  for (const { values } of sections) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += padded(values.byteLength);
  }
  new Uint32Array(bytes.buffer, 0, 4).set([MAGIC, INDEX_FORM, headBytes.length, checksum(bytes)]);
  return bytes;
}

/** Reads what `writeIndex` made; undefined for anything else: another form, a file cut off or damaged. */
export function readIndex(file: Uint8Array): IndexParts | undefined {
  if (file.length < PREFIX || file.length % 8 !== 0) return undefined;
  const bytes = file.byteOffset % 8 === 0 ? file : file.slice();
  const [magic, form, headLength = 0, sum] = new Uint32Array(bytes.buffer, bytes.byteOffset, 4);
  if (magic !== MAGIC || form !== INDEX_FORM || PREFIX + headLength > bytes.length || sum !== checksum(bytes))
    return undefined;
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(PREFIX, PREFIX + headLength))) as Head;
  const sections = new Map<string, ReturnType<(typeof NUMBER_TYPES)[NumberType]>>();
  let at = PREFIX + padded(headLength);
  for (const { name, type, length } of head.sections) {
    const values = NUMBER_TYPES[type](length);
    new Uint8Array(values.buffer).set(bytes.subarray(at, at + values.byteLength));
    sections.set(name, values);
    at += padded(values.byteLength);
  }
  const vocabulary = new TextDecoder().decode(sections.get('vocabulary'));
  const columns = Object.fromEntries(
    Object.entries(COLUMN_TYPES).map(([name, type]) => [name, new Column(type, sections.get(name))]),
  ) as unknown as Columns;
  return {
    files: head.files,
    speakers: head.speakers,
    vocabulary: vocabulary === '' ? [] : vocabulary.split('\n'),
    columns,
    postings: {
      starts: sections.get('starts') as Uint32Array,
      counts: sections.get('counts') as Uint32Array,
      lasts: sections.get('lasts') as Uint32Array,
      bytes: sections.get('postings') as Uint8Array,
    },
  };
}

const padded = (length: number) => Math.ceil(length / 8) * 8;

/** A sum over all words behind the prefix that sees a changed, lost or swapped byte; some milliseconds for 40 MB. */
function checksum(bytes: Uint8Array): number {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + PREFIX, (bytes.length - PREFIX) / 4);
  let low = 1;
  let high = 0;
  for (const word of words) {
    low = (low + word) >>> 0;
    high = (Math.imul(high, 31) + low) >>> 0;
  }
  return (low ^ high) >>> 0;
}
