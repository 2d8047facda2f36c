import { reasonOf } from '../../../platform/reason.js';
import type { Clock, Workers } from '../../../platform/ports.js';
import { ToolError } from '../../../runner/tool.js';
import type { DuckDuckGoPage } from './duckDuckGo.js';
import type { PdfText } from './pdfText.js';
import type { ReadablePage } from './readable.js';

/** How long a document is worked at. A page of 1 MB takes about one second. */
const LIMIT_MS = 10_000;

/** What makes text of documents, off the host's thread. */
export interface PageReader {
  readable(html: string, url: string, signal: AbortSignal): Promise<ReadablePage>;
  /** Rejects with a `ToolError` where the file cannot be read. */
  pdfText(bytes: Uint8Array, signal: AbortSignal): Promise<PdfText>;
  /** The hits on a page of DuckDuckGo's results. */
  duckDuckGoHits(html: string, signal: AbortSignal): Promise<DuckDuckGoPage>;
}

/**
 * Reads each document in a thread of its own, which is ended with it: one that takes more than 10 seconds or too much memory, as a hostile page can,
 * harms nothing else. Of such a page the bare words are taken. Rejects with the signal's reason when stopped.
 */
export function createPageReader({ workers, clock }: { workers: Workers; clock: Clock }): PageReader {
  const read = async <T>(method: string, signal: AbortSignal, ...args: unknown[]): Promise<T> => {
    signal.throwIfAborted();
    const worker = workers.start('web');
    let tooLong = false;
    const stop = () => void worker.end();
    const limit = clock.after(LIMIT_MS, () => {
      tooLong = true;
      stop();
    });
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await worker.call<T>(method, ...args);
    } catch (cause) {
      signal.throwIfAborted();
      const reason = reasonOf(cause);
      const words = tooLong ? 'it takes too long' : reason;
      throw new ToolError(`The document could not be read: ${words}. Perhaps exec with another program can.`, {
        cause,
      });
    } finally {
      limit.dispose();
      signal.removeEventListener('abort', stop);
      await worker.end();
    }
  };
  return {
    readable: (html, url, signal) =>
      read<ReadablePage>('readable', signal, html, url).catch(() => read<ReadablePage>('plain', signal, html)),
    pdfText: (bytes, signal) => read('pdfText', signal, bytes),
    duckDuckGoHits: (html, signal) => read('duckDuckGoHits', signal, html),
  };
}

/** The pages of a PDF as one text; undefined where none holds any, as with scans. */
export function pagesAsText(pages: readonly string[]): string | undefined {
  if (pages.every((text) => text.trim() === '')) return undefined;
  return pages.map((text, at) => `--- page ${String(at + 1)} ---\n${text.trim()}`).join('\n\n');
}
