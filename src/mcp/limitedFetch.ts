import { WordsError } from '../platform/words.js';
import { MAX_MESSAGE } from './stdioTransport.js';

/** Said of an answer that is too long; the calls that wait end with it. */
export const TOO_LONG = `The answer was longer than ${String(MAX_MESSAGE / 1024 / 1024)} MB. Ask for less at a time.`;

/** `fetch` whose answers end with an error, which `failed` is told too, once one message in them is longer than allowed. */
export function limitedFetch(
  failed: (error: Error) => void,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetchHere(new URL(url), init);
    if (!response.ok || !response.body) return response;
    const streams = response.headers.get('content-type')?.includes('event-stream') ?? false;
    const body = response.body.pipeThrough(limiter(streams, failed));
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

/** Redirects that are followed at most. */
const MAX_REDIRECTS = 5;

/**
 * `fetch` that follows redirects within the server's own origin only: a configured header may be a key, and a call holds what was said. Where a
 * server describes itself (RFC 8414, RFC 9728: `/.well-known/`), another origin is asked too, without those headers.
 */
async function fetchHere(url: URL, init: RequestInit = {}, left = MAX_REDIRECTS): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const location = response.headers.get('location');
  if (response.status < 300 || response.status >= 400 || location === null) return response;
  await response.body?.cancel();
  const next = new URL(location, url);
  if (left === 0) throw new WordsError((t) => t('{0} sends from one address to the next without an end.', url.origin));
  if (next.origin === url.origin) return fetchHere(next, init, left - 1);
  if (url.pathname.startsWith('/.well-known/')) return fetch(next, init.signal ? { signal: init.signal } : {});
  throw new WordsError((t) =>
    t(
      '{0} sends on to {1}, which is given nothing. Set the server\'s "url" to the new address.',
      url.origin,
      next.origin,
    ),
  );
}

/** Counts the bytes of a body, in a stream of events those since the last event's end. */
function limiter(streams: boolean, failed: (error: Error) => void): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(bytes, controller) {
      const end = streams ? lastEventEnd(bytes) : -1;
      length = end >= 0 ? bytes.length - end : length + bytes.length;
      if (length <= MAX_MESSAGE) {
        controller.enqueue(bytes);
        return;
      }
      const error = new Error(TOO_LONG);
      failed(error);
      controller.error(error);
    },
  });
}

function lastEventEnd(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\r\n\r\n'));
}
