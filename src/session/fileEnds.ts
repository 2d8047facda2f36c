import type { Files } from '../platform/ports.js';
import { sameBytes } from '../platform/sameBytes.js';

/** Bytes kept of the file's start, unless told otherwise, and of the end of what was read. */
export const HEAD_BYTES = 512;
export const TAIL_BYTES = 64;

/** The first and the last bytes of what was read of a file: they tell an append from a rewrite. */
export interface FileEnds {
  head: Uint8Array;
  tail: Uint8Array;
}

/** The ends of a file's first `size` bytes. */
export async function endsOf(files: Files, path: string, size: number, headBytes = HEAD_BYTES): Promise<FileEnds> {
  const length = Math.min(TAIL_BYTES, size);
  return {
    head: await files.readRange(path, 0, Math.min(headBytes, size)),
    tail: await files.readRange(path, size - length, length),
  };
}

/** Whether a file's first `size` bytes still begin and end that way. */
export async function endsStand(files: Files, path: string, size: number, { head, tail }: FileEnds): Promise<boolean> {
  const headNow = await files.readRange(path, 0, head.length);
  const tailNow = await files.readRange(path, size - tail.length, tail.length);
  return sameBytes(headNow, head) && sameBytes(tailNow, tail);
}
