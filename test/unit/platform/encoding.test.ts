import { describe, expect, it } from 'vitest';
import { decodeText, encodeText, plainUtf8, sniffFormat, UnencodableError } from '../../../src/platform/encoding.js';

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

describe('decodeText', () => {
  const samples: [string, Uint8Array, string, string, boolean][] = [
    ['plain UTF-8', Buffer.from('grüße 你好\n'), 'grüße 你好\n', 'utf-8', false],
    ['UTF-8 with a BOM', Buffer.from('\uFEFFa\r\n'), 'a\r\n', 'utf-8', true],
    ['UTF-16 little endian', Buffer.from('\uFEFFa你', 'utf16le'), 'a你', 'utf-16le', true],
    ['UTF-16 big endian', utf16be('\uFEFFa你'), 'a你', 'utf-16be', true],
    ['UTF-16 without a BOM', Buffer.from('hello there', 'utf16le'), 'hello there', 'utf-16le', false],
    ['windows-1252', Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x20, 0x93, 0x94]), 'café “”', 'windows-1252', false],
    ['an empty file', Buffer.alloc(0), '', 'utf-8', false],
  ];

  it.each(samples)('reads %s and gives the same bytes back', (_, bytes, text, encoding, bom) => {
    const decoded = decodeText(bytes);
    expect(decoded).toEqual({ text, encoding, bom });
    expect(Buffer.from(encodeText(text, decoded ?? plainUtf8))).toEqual(Buffer.from(bytes));
  });

  it('keeps every single byte of a file in an unknown encoding', () => {
    const bytes = Uint8Array.from({ length: 224 }, (_, index) => index + 32);
    const decoded = decodeText(bytes);
    expect(decoded?.encoding).toBe('windows-1252');
    expect(Buffer.from(encodeText(decoded?.text ?? '', decoded ?? plainUtf8))).toEqual(Buffer.from(bytes));
  });

  it.each([
    ['zero bytes', Buffer.from([1, 2, 0, 3, 0, 0, 9])],
    ['small numbers', Buffer.from([1, 0, 2, 0, 3, 0])],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])],
    ['control characters', Buffer.from([0x80, 1, 2, 3, 4, 0x90, 5, 6])],
    ['half a surrogate pair', Buffer.from([0xff, 0xfe, 0x00, 0xd8])],
  ])('takes %s for binary', (_, bytes) => {
    expect(decodeText(bytes)).toBeUndefined();
  });
});

it('names a character that the encoding lacks', () => {
  expect(() => encodeText('a中', { encoding: 'windows-1252', bom: false })).toThrow(UnencodableError);
  expect(() => encodeText('a中', { encoding: 'windows-1252', bom: false })).toThrow('"中"');
});

it('tells the encoding from a start that ends inside a character', () => {
  expect(sniffFormat(Buffer.from('你').subarray(0, 2))).toEqual(plainUtf8);
});
