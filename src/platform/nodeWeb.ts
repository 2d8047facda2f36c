import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import * as nodeHttp from 'node:http';
import * as nodeHttps from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Web, WebRequest, WebResponse } from './ports.js';
import { hostOf, parseWebUrl, unreachable, WebError } from './webError.js';

/** `webAddress.ts`, loaded at the first request. */
interface AddressRules {
  refusedAddress(address: string): string | undefined;
  refusedHost(host: string): string | undefined;
}

const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** What the network is made of. All have a default. */
export interface NodeWebParts {
  /** Node's modules, as the process has them: VS Code's own obey its settings for proxies and certificates. */
  http?: Pick<typeof nodeHttp, 'request'>;
  https?: Pick<typeof nodeHttps, 'request'>;
  /** Every address of a name. */
  resolve?(name: string): Promise<LookupAddress[]>;
  /** Addresses that may be reached although they are not public, by the host that was asked for; for tests, whose servers run on this machine. */
  allow?(address: string, host: string): boolean;
}

const REDIRECTS = 5;
const AGENT = 'Mozilla/5.0 (compatible; Nanobot)';

/** One request on its way, redirects and all. */
interface Journey {
  request: WebRequest;
  parts: NodeWebParts;
  rules: AddressRules;
  /** Aborted when the person stops, or the time is up. */
  signal: AbortSignal;
  redirected: boolean;
}

/** The network through node:http and node:https. Nothing is kept between requests: no connections, no cookies, no cache. */
export function nodeWeb(parts: NodeWebParts = {}): Web {
  return {
    request: async (request, { signal, timeoutMs, maxBytes }) => {
      signal.throwIfAborted();
      const timeout = AbortSignal.timeout(timeoutMs);
      const journey: Journey = {
        request,
        parts,
        rules: await import('./webAddress.js'),
        signal: AbortSignal.any([signal, timeout]),
        redirected: false,
      };
      try {
        return await follow(journey, maxBytes);
      } catch (cause) {
        signal.throwIfAborted();
        if (cause instanceof WebError) throw cause;
        if (timeout.aborted) {
          const seconds = String(Math.round(timeoutMs / 1_000));
          throw new WebError(
            `${hostOf(request.url)} gave no whole answer within ${seconds} seconds. Try again later.`,
            'timeout',
            journey.redirected,
          );
        }
        throw unreachable(cause, request.url, journey.redirected);
      }
    },
  };
}

async function follow(journey: Journey, maxBytes: number): Promise<WebResponse> {
  const most = journey.request.redirects ?? REDIRECTS;
  let url = parseWebUrl(journey.request.url);
  for (let hops = 0; ; hops++) {
    const answer = await send(journey, url);
    const next = most === 0 ? undefined : redirectOf(answer, url);
    if (next === undefined) {
      const body = await bodyOf(answer, maxBytes, journey.redirected);
      return { url: url.href, status: answer.statusCode ?? 0, headers: plainHeaders(answer.headers), ...body };
    }
    answer.destroy();
    journey.redirected = true;
    if (hops >= most) {
      throw new WebError(
        `${hostOf(journey.request.url)} redirected more than ${String(most)} times. Ask for the last address itself.`,
        'redirects',
        true,
      );
    }
    url = parseWebUrl(next, true);
  }
}

/** Sends the request to one address and resolves with its answer, the body not yet read. */
async function send(journey: Journey, url: URL): Promise<nodeHttp.IncomingMessage> {
  const { request, parts, signal } = journey;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  checkHost(journey, host);
  const { request: start } = url.protocol === 'https:' ? (parts.https ?? nodeHttps) : (parts.http ?? nodeHttp);
  return new Promise((resolve, reject) => {
    const sent = start({
      hostname: host,
      ...(url.port === '' ? {} : { port: url.port }),
      path: `${url.pathname}${url.search}`,
      method: request.method ?? 'GET',
      headers: {
        'user-agent': AGENT,
        accept: 'text/html,application/xhtml+xml,text/markdown,text/plain,application/json,*/*;q=0.5',
        'accept-encoding': 'gzip, deflate, br',
        'accept-language': 'en,*;q=0.5',
        ...request.headers,
        // No connection outlives its request: the next one is resolved and checked anew.
        connection: 'close',
      },
      agent: false,
      lookup: checkedLookup(journey),
      signal,
    });
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.on('socket', (socket) => {
      // A pool that was put in place of ours may hand out a connection that was never looked up here.
      const address = socket.remoteAddress;
      if (!sent.reusedSocket || address === undefined) return;
      const refusal = judge(journey, address, host);
      if (refusal !== undefined) sent.destroy(refused(host, `leads to ${address}, which ${refusal}`, journey));
    });
    sent.end(request.body);
  });
}

function checkHost(journey: Journey, host: string): void {
  const { rules, parts, request } = journey;
  if (request.anywhere) return;
  const refusal = rules.refusedHost(host);
  if (refusal === undefined || parts.allow?.(host, host)) return;
  throw refused(host, refusal, journey);
}

/** Resolves a name once, refuses it if any of its addresses is not public, and hands exactly what was checked to the connection. */
function checkedLookup(journey: Journey): LookupFunction {
  const resolve = journey.parts.resolve ?? ((name: string) => systemLookup(name, { all: true }));
  return (host, options, callback) => {
    resolve(host)
      .then((found) => {
        const wanted = found.filter(
          ({ family }) =>
            !options.family || options.family === 'IPv4' || options.family === 'IPv6' || options.family === family,
        );
        const [first] = wanted;
        if (!first) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
        for (const { address } of found) {
          const refusal = judge(journey, address, host);
          if (refusal !== undefined) throw refused(host, `leads to ${address}, which ${refusal}`, journey);
        }
        if (options.all) callback(null, wanted);
        else callback(null, first.address, first.family);
      })
      .catch((cause: unknown) => {
        callback(cause as NodeJS.ErrnoException, '', 0);
      });
  };
}

function judge({ rules, parts, request }: Journey, address: string, host: string): string | undefined {
  if (request.anywhere || parts.allow?.(address, host)) return undefined;
  return isIP(address) === 0 ? 'is no address' : rules.refusedAddress(address);
}

function refused(host: string, why: string, { redirected }: Journey): WebError {
  const how = redirected ? 'It was redirected to an address that may not be fetched: ' : '';
  return new WebError(
    `${how}${host} ${why}. Only public addresses are fetched. For a server on this machine or network, use exec with curl.`,
    'refused',
    redirected,
  );
}

/** Where an answer sends us, as an absolute URL; undefined where it is the answer itself. */
function redirectOf({ statusCode = 0, headers }: nodeHttp.IncomingMessage, from: URL): string | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined;
  return URL.canParse(headers.location, from) ? new URL(headers.location, from).href : headers.location;
}

/** The body, decompressed as it comes: reading ends at the limit, however much more a small answer would unfold to. */
async function bodyOf(
  answer: nodeHttp.IncomingMessage,
  maxBytes: number,
  redirected: boolean,
): Promise<{ bytes: Uint8Array; cut: boolean }> {
  const stream = decoded(answer, redirected);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } finally {
    answer.destroy();
  }
  return { bytes: Buffer.concat(chunks), cut: size > maxBytes };
}

function decoded(answer: nodeHttp.IncomingMessage, redirected: boolean): Readable {
  const encoding = (answer.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return answer;
  const decoder = DECODERS[encoding]?.();
  if (!decoder) {
    answer.destroy();
    throw new WebError(
      'The answer is compressed in a way that was not asked for, so it was not read.',
      'body',
      redirected,
    );
  }
  return pipeline(answer, decoder, () => undefined);
}

function plainHeaders(headers: nodeHttp.IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : [])),
  );
}
