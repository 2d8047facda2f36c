import { t } from '@vscode/l10n';
import { codeOf } from '../platform/fileErrors.js';
import { maskKeys } from '../platform/maskSecrets.js';
import { classify, impliedStatus, type FailureWords } from './classify.js';
import type { ProviderError } from './provider.js';

/** An answer with an error status, kept whole: the SDKs throw away bodies that are not in their own form. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly body: string,
    /** The address that was asked. */
    readonly url = '',
  ) {
    super(`HTTP status ${String(status)}`);
  }
}

/** An error object, or something else that is no answer, inside a stream that began well. `body` is its text. */
export class WireFailure extends Error {
  override readonly name = 'WireFailure';
  constructor(readonly body: string) {
    super('The stream holds an error.');
  }
}

/** A stream that ended or fell silent before the answer was complete. The message says how. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream';
}

/** Who failed, and what must not stand in a message. */
export interface FailureContext {
  /** The provider as people call it. */
  label: string;
  /** The base address, shown where nobody answers there. */
  address: string;
  /** Whether the request held images. */
  hasImages: boolean;
  secrets: readonly string[];
  /** Epoch milliseconds, for `Retry-After` dates. */
  now: number;
}

/** Characters of the provider's own words that are shown. */
const MAX_WORDS = 300;
/** Characters of the address of a redirect, which leaves room for the rest of the words. */
const MAX_PLACE = 120;

/** What a code says of the provider with this label, without the full stop. */
function leadOf(code: ProviderError['code'], label: string): string {
  const leads: Record<ProviderError['code'], string> = {
    auth: t('{0} refused the API key', label),
    payment: t('{0} asks for payment: the account has no credit left', label),
    quota: t('{0} says that the quota of the account is used up', label),
    rate_limit: t('{0} limits how often it may be asked', label),
    overloaded: t('{0} is overloaded', label),
    not_found: t('{0} does not know this model or address', label),
    context_length: t('{0} finds the conversation too long for this model', label),
    image_rejected: t('{0} refused an image', label),
    bad_request: t('{0} refused the request', label),
    server: t('{0} had an internal error', label),
    network: t('{0} cannot be reached', label),
    timeout: t('{0} did not answer in time', label),
    stream_broken: t('{0} broke off its answer', label),
    no_model: t('{0} offers no model', label),
    refused: t('{0} declined to answer', label),
  };
  return leads[code];
}

function hintOf(code: ProviderError['code']): string {
  if (code === 'auth') return t(' Set the key with "Nanobot: Set API Key".');
  if (code === 'not_found') return t(' Check the name of the model and the base address.');
  if (code === 'payment') return t(' Add credit there, or switch to another model.');
  return code === 'quota' ? t(' Raise it there, or switch to another model.') : '';
}

const RETRYABLE: ReadonlySet<ProviderError['code']> = new Set<ProviderError['code']>([
  'rate_limit',
  'overloaded',
  'server',
  'network',
  'timeout',
  'stream_broken',
]);

/** Whatever was thrown while a request ran, as an error that says who said what. Never throws. */
export function toProviderError(thrown: unknown, context: FailureContext): ProviderError {
  for (const error of causes(thrown)) {
    if (error instanceof HttpFailure)
      return isRedirect(error) ? fromRedirect(error, context) : fromHttp(error, context);
    if (error instanceof WireFailure) return fromBody(error.body, context);
    if (error instanceof BrokenStream) return compose('stream_broken', { context, words: error.message, quote: false });
  }
  return fromConnection(thrown, context);
}

/** The error answer behind whatever was thrown; undefined where none came. */
export function httpFailureOf(thrown: unknown): HttpFailure | undefined {
  return causes(thrown).find((error) => error instanceof HttpFailure);
}

/** The error for an answer that was withheld on purpose, in the provider's words where it gave any. */
export function refusal(words: string, context: FailureContext): ProviderError {
  return compose('refused', { context, words });
}

/** Status 0 is that of a redirect which hides where it leads. */
function isRedirect({ status }: HttpFailure): boolean {
  return status === 0 || (status >= 300 && status < 400);
}

function fromRedirect({ status, headers, url }: HttpFailure, context: FailureContext): ProviderError {
  const to = placeOf(headers.get('location') ?? '', url);
  const words = t(
    'It redirects to {0}, which is not followed: the key and the conversation would go there. If you trust it, set apiBase to its address in nanobot.providers.',
    to,
  );
  const lead = t('{0} is not at this address', context.label);
  return compose('not_found', { context, words, quote: false, lead, ...(status === 0 ? {} : { status }) });
}

/** Where a redirect leads, without what may be secret in it. */
function placeOf(location: string, from: string): string {
  const base = URL.canParse(from) ? from : undefined;
  if (location === '' || !URL.canParse(location, base)) return t('another address');
  const { protocol, host, pathname } = new URL(location, base);
  const place = `${protocol}//${host}${pathname}`;
  return place.length > MAX_PLACE ? `${place.slice(0, MAX_PLACE)}…` : place;
}

function fromHttp({ status, body, headers }: HttpFailure, context: FailureContext): ProviderError {
  const failure = wordsOf(body);
  const code = classify(status, failure, context.hasImages);
  const retryAfterMs = retryAfter(headers, context.now) ?? failure.retryAfterMs;
  return compose(code, {
    context,
    words: failure.words,
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function fromBody(body: string, context: FailureContext): ProviderError {
  const failure = wordsOf(body);
  if (/^\s*</.test(body)) {
    const words = t('It answered with a web page instead of an API answer ("{0}").', failure.words);
    return compose('not_found', { context, words, quote: false });
  }
  const code = classify(impliedStatus(failure.codes), failure, context.hasImages);
  return compose(code, {
    context,
    words: failure.words,
    ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
  });
}

const TIMEOUTS = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT']);
const BROKEN = new Set([
  'UND_ERR_SOCKET',
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|SSL/;

function fromConnection(thrown: unknown, context: FailureContext): ProviderError {
  const chain = causes(thrown);
  const code = chain.map(codeOf).find(Boolean) ?? '';
  const last = chain.at(-1);
  const said = last instanceof Error ? last.message : String(thrown);
  const where = `${context.address}${code ? ` (${code})` : ''}`;
  if (code.startsWith('EPROXY')) {
    return { ...compose('network', { context, words: said, quote: false }), retryable: code === 'EPROXY' };
  }
  if (TIMEOUTS.has(code))
    return compose('timeout', { context, words: t('Nothing came from {0}.', where), quote: false });
  if (CERTIFICATE.test(code)) {
    const words = t(
      'The certificate of {0} is not trusted: {1}. Check the proxy and certificate settings.',
      where,
      said,
    );
    return { ...compose('network', { context, words, quote: false }), retryable: false };
  }
  if (BROKEN.has(code) || said === 'terminated') {
    return compose('stream_broken', { context, words: t('The connection to {0} was closed.', where), quote: false });
  }
  const words = code ? t('No connection to {0}. Is it running, and is the network up?', where) : said;
  return compose('network', { context, words, quote: code === '' });
}

function causes(thrown: unknown): unknown[] {
  const chain: unknown[] = [];
  let current = thrown;
  while (current !== undefined && current !== null && chain.length < 8) {
    chain.push(current);
    // Several addresses tried at once fail as one error with many inside.
    const inner = current instanceof AggregateError ? (current.errors[0] as unknown) : undefined;
    current = inner ?? (current instanceof Error ? current.cause : undefined);
  }
  return chain;
}

interface Parts {
  context: FailureContext;
  words: string;
  /** False where the words are ours. */
  quote?: boolean;
  /** A sentence in place of what the code says, with its hint. */
  lead?: string;
  status?: number;
  retryAfterMs?: number;
}

function compose(code: ProviderError['code'], parts: Parts): ProviderError {
  const { context, status, quote = true } = parts;
  const cut = parts.words.length > MAX_WORDS ? `${parts.words.slice(0, MAX_WORDS)}…` : parts.words;
  const words = maskKeys(cut.replace(/\s+/g, ' ').trim(), context.secrets);
  const sentence = parts.lead ?? leadOf(code, context.label);
  const lead = status === undefined ? sentence : t('{0} (HTTP {1})', sentence, status);
  const said = words === '' ? t('{0}.', lead) : quote ? t('{0}: "{1}".', lead, words) : t('{0}. {1}', lead, words);
  return {
    code,
    message: said + (parts.lead === undefined ? hintOf(code) : ''),
    retryable: RETRYABLE.has(code),
    ...(status === undefined ? {} : { status }),
    ...(parts.retryAfterMs === undefined ? {} : { retryAfterMs: parts.retryAfterMs }),
  };
}

/** `retry-after-ms`, then `Retry-After` as seconds or as an HTTP date; undefined where neither says anything usable. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isFinite(date) ? Math.max(0, date - now) : undefined;
}

function wordsOf(body: string): FailureWords {
  const parsed = parse(body);
  if (parsed === undefined) return { words: pageWords(body), codes: [] };
  const codes: string[] = [];
  const words = collect(parsed, codes);
  const delay = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  return {
    words: words === '' ? body : words,
    codes: codes.map((code) => code.toLowerCase()),
    ...(delay === undefined ? {} : { retryAfterMs: Number(delay) * 1000 }),
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** The sentence in an error body, whose forms differ by provider; codes met on the way are added to `codes`. */
function collect(value: unknown, codes: string[]): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((item) => collect(item, codes)).find((text) => text !== '') ?? '';
  if (typeof value !== 'object' || value === null) return '';
  const fields = value as Record<string, unknown>;
  for (const name of ['code', 'type', 'status', 'status_code']) {
    const code = fields[name];
    if (typeof code === 'string' || typeof code === 'number') codes.push(String(code));
  }
  const found = ['error', 'message', 'detail', 'msg', 'status_msg', 'base_resp', 'error_msg']
    .map((name) => collect(fields[name], codes))
    .find((text) => text !== '');
  // OpenRouter says only "Provider returned error" and keeps the upstream's words here.
  const upstream = (fields['metadata'] as Record<string, unknown> | undefined)?.['raw'];
  return typeof upstream === 'string' && upstream !== '' ? `${found ?? ''} ${upstream}`.trim() : (found ?? '');
}

function pageWords(body: string): string {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1]?.trim();
  return title ?? body.replace(/<[^>]*>/g, ' ').trim();
}
