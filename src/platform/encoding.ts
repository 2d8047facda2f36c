/** The encodings that files are read and written in. Other ones show as windows-1252, which keeps every byte on the way back. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** How a text lies in its file. */
export interface TextFormat {
  encoding: TextEncoding;
  bom: boolean;
}

/** A file's text without its BOM, and how it was encoded. */
export interface DecodedText extends TextFormat {
  text: string;
}

/** What a new file is written in. */
export const plainUtf8: TextFormat = { encoding: 'utf-8', bom: false };

/** As much of a file as git looks at to tell whether it is binary. */
const sniffedBytes = 8_000;

const boms: { encoding: TextEncoding; bytes: number[] }[] = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
];

/** Text cannot be written in the encoding its file has. `character` is the first that does not fit. */
export class UnencodableError extends Error {
  override readonly name = 'UnencodableError';
  constructor(
    readonly character: string,
    readonly encoding: TextEncoding,
  ) {
    super(`The character ${JSON.stringify(character)} does not exist in ${encoding}.`);
  }
}

/**
 * The text of a whole file, or undefined where it is binary. A BOM decides; then zero bytes (none in text but for UTF-16, told by their
 * places); then valid UTF-8; and what is left is taken as windows-1252 unless it is full of control characters.
 * `encodeText` of the result gives the same bytes again.
 */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  const format = sniffFormat(bytes);
  if (!format) return undefined;
  const body = format.bom ? bytes.subarray(bomOf(format.encoding).length) : bytes;
  const text = decodeStrictly(body, format.encoding);
  if (text !== undefined) return { text, ...format };
  if (format.encoding !== 'utf-8' || looksBinary(bytes)) return undefined;
  return { text: decodeWindows1252(bytes), encoding: 'windows-1252', bom: false };
}

/**
 * How a file is encoded, from its start alone: undefined for binary, UTF-8 where nothing speaks against it in the bytes given. Bytes cut in
 * the middle of a character count as valid.
 */
export function sniffFormat(start: Uint8Array): TextFormat | undefined {
  for (const { encoding, bytes } of boms) {
    if (bytes.every((byte, index) => start[index] === byte)) {
      const utf32 = encoding === 'utf-16le' && start[2] === 0 && start[3] === 0;
      return utf32 ? undefined : { encoding, bom: true };
    }
  }
  const head = start.subarray(0, sniffedBytes);
  if (!head.includes(0)) return plainUtf8;
  const encoding = utf16WithoutBom(head);
  return encoding && { encoding, bom: false };
}

/** Bytes of a text in a format. Throws `UnencodableError` where windows-1252 lacks a character. */
export function encodeText(text: string, format: TextFormat): Uint8Array {
  const body = encodeBody(text, format.encoding);
  return format.bom ? Buffer.concat([Uint8Array.from(bomOf(format.encoding)), body]) : body;
}

function encodeBody(text: string, encoding: TextEncoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  return encodeWindows1252(text);
}

/** 0x80 to 0x9F, where windows-1252 is not Latin-1. Not a TextDecoder: that of Node 20 decodes these as Latin-1. */
const windows1252 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

function decodeWindows1252(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (character) => windows1252[character.charCodeAt(0) - 0x80] ?? character);
}

function encodeWindows1252(text: string): Buffer {
  const bytes = Buffer.alloc(text.length);
  let length = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const special = code < 0x80 ? -1 : windows1252.indexOf(character);
    if (special < 0 && (code > 0xff || (code >= 0x80 && code < 0xa0)))
      throw new UnencodableError(character, 'windows-1252');
    bytes[length++] = special < 0 ? code : 0x80 + special;
  }
  return bytes.subarray(0, length);
}

function decodeStrictly(bytes: Uint8Array, encoding: TextEncoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // A fatal decoder throws for bytes that are no text in this encoding: that is the answer asked for.
    return undefined;
  }
}

function bomOf(encoding: TextEncoding): number[] {
  return boms.find((bom) => bom.encoding === encoding)?.bytes ?? [];
}

/** UTF-16 of mostly Latin text has its zero bytes all at odd places (little endian) or all at even ones (big endian), each beside a letter. */
function utf16WithoutBom(head: Uint8Array): TextEncoding | undefined {
  const zeros = [0, 0];
  for (let index = 0; index < head.length; index++) {
    if (head[index] !== 0) continue;
    // The other byte of the pair: a control character there means numbers, not text.
    if ((head[index % 2 === 1 ? index - 1 : index + 1] ?? 0) < 9) return undefined;
    zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  }
  const [even = 0, odd = 0] = zeros;
  const pairs = head.length / 2;
  if (even === 0 && odd > pairs / 2) return 'utf-16le';
  return odd === 0 && even > pairs / 2 ? 'utf-16be' : undefined;
}

/** More than a tenth of control characters that no text has. */
function looksBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, sniffedBytes);
  let controls = 0;
  for (const byte of head) if (byte < 7 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32)) controls++;
  return controls > head.length / 10;
}
