import { expect, it } from 'vitest';
import { imageSizeOf } from '../../../src/tools/support/imageSize.js';

const ascii = (text: string) => [...Buffer.from(text, 'latin1')];

it.each([
  ['PNG', [...ascii('\x89PNG\r\n\x1a\n'), 0, 0, 0, 13, ...ascii('IHDR'), 0, 0, 0x0b, 0xb8, 0, 0, 1, 2], [3_000, 258]],
  ['GIF', [...ascii('GIF89a'), 0x2c, 1, 0x90, 1], [300, 400]],
  ['JPEG', [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 17, 8, 1, 0x90, 1, 0x2c], [300, 400]],
  ['lossy WebP', [...ascii('RIFF____WEBPVP8 '), ...Array<number>(10).fill(0), 0x2c, 1, 0x90, 1], [300, 400]],
  ['extended WebP', [...ascii('RIFF____WEBPVP8X'), ...Array<number>(8).fill(0), 0x2b, 1, 0, 0x8f, 1, 0], [300, 400]],
  ['lossless WebP', [...ascii('RIFF____WEBPVP8L'), 0, 0, 0, 0, 0x2f, 0x2b, 0xc1, 0x63, 0], [300, 400]],
])('%s tells its size in its first bytes', (_type, bytes, [width, height]) => {
  expect(imageSizeOf(Uint8Array.from(bytes))).toEqual({ width, height });
});

it('is not known of a text, or where the bytes end too early', () => {
  expect(imageSizeOf(Buffer.from('text'))).toBeUndefined();
  expect(imageSizeOf(Buffer.from('\x89PNG', 'latin1'))).toBeUndefined();
  expect(imageSizeOf(Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff]))).toBeUndefined();
  expect(imageSizeOf(new Uint8Array())).toBeUndefined();
});
