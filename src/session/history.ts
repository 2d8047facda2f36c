import { join } from 'node:path';
import type { Files } from '../platform/ports.js';
import { type FileState } from './fileState.js';
import { metadataText, parseLine, type RawLine, readLines, textOfBytes } from './lines.js';

/** Fewer metadata lines than this are never worth a rewrite. */
const WORTH_COMPACTING = 16;

/** Whether metadata lines outnumber the messages so that the file should be written anew. */
export function wantsCompaction(state: FileState): boolean {
  return state.metadataLines >= WORTH_COMPACTING && state.metadataLines > state.messages.length;
}

/**
 * Copies a session's invalid lines to `<folder>/<file name>`, flushed, each with the file and line it came from. They leave the session only
 * with the rewrite that follows; a crash in between quarantines them twice and loses nothing.
 */
export async function quarantine(
  files: Files,
  path: string,
  to: { folder: string; name: string; at: string },
  state: FileState,
): Promise<void> {
  const reasons = new Map(state.invalid.map(({ line, reason }) => [line, reason]));
  let text = '';
  for await (const batch of readLines(files, path, { offset: 0, number: 1 }, state.size)) {
    for (const line of batch) {
      const reason = reasons.get(line.number);
      if (reason !== undefined)
        text += `${JSON.stringify({ file: path, line: line.number, at: to.at, reason, ...content(line) })}\n`;
    }
  }
  await files.append(join(to.folder, to.name), text, { flush: true });
}

/**
 * The file's content with one metadata line at the top and without blank and invalid lines. Messages are taken byte for byte: what other
 * programs wrote into them stays. A BOM and CRs go.
 */
export async function rewritten(files: Files, path: string, key: string, state: FileState): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  if (state.metadata) pieces.push(Buffer.from(metadataText(key, state.metadata)));
  const newline = Buffer.from('\n');
  for await (const batch of readLines(files, path, { offset: 0, number: 1 }, state.size)) {
    for (const line of batch) {
      const { kind } = parseLine(line.bytes);
      if (kind === 'message' || kind === 'foreign') pieces.push(line.bytes, newline);
    }
  }
  return Buffer.concat(pieces);
}

/** As text where it is text, else as base64: nothing of the line may be lost. */
function content(line: RawLine): { text: string } | { base64: string } {
  const text = textOfBytes(line.bytes);
  return text.includes('\ufffd') ? { base64: Buffer.from(line.bytes).toString('base64') } : { text };
}
