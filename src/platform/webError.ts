/** What kept a request from its answer. */
export type WebProblem = 'url' | 'refused' | 'unreachable' | 'timeout' | 'redirects' | 'body';

/** A request that got no answer, in words for the model and the person. Never holds text that a server sent, but for host names. */
export class WebError extends Error {
  override readonly name = 'WebError';
  constructor(
    message: string,
    readonly problem: WebProblem,
    /** Whether a server had already answered, with a redirect: the rest was its choice. */
    readonly redirected: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The URL of a request. Throws a `WebError` for what is no http(s) address, or carries a name and password. */
export function parseWebUrl(text: string, redirected = false): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url)
    throw new WebError(
      `"${shortened(text)}" is no address. Write it whole, such as https://example.org/page.`,
      'url',
      redirected,
    );
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new WebError(
      `Only http and https addresses can be fetched; this one begins with ${url.protocol} (Files are read with read_file.)`,
      'url',
      redirected,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new WebError(
      'The address holds a user name or password. Leave them out: they would be sent to the server.',
      'url',
      redirected,
    );
  }
  url.hash = '';
  return url;
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

const IN_WORDS: Record<string, string> = {
  ENOTFOUND: 'there is no such host. Check its name.',
  EAI_AGAIN: 'its name could not be looked up just now. Is there a connection?',
  ECONNREFUSED: 'it refuses connections.',
  ECONNRESET: 'it broke the connection off.',
  EPIPE: 'it broke the connection off.',
  ETIMEDOUT: 'it does not answer.',
  EHOSTUNREACH: 'there is no way to it.',
  ENETUNREACH: 'there is no way to it. Is there a connection?',
  CERT_HAS_EXPIRED: 'its certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not signed by anybody known.',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by anybody known.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate could not be verified.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name.',
  HPE_HEADER_OVERFLOW: 'its headers are too long.',
  ERR_STREAM_PREMATURE_CLOSE: 'it broke the answer off.',
  Z_DATA_ERROR: 'its answer is compressed wrongly.',
  Z_BUF_ERROR: 'it broke the answer off.',
};

/** A failure of the connection, in words. */
export function unreachable(cause: unknown, url: string, redirected: boolean): WebError {
  const error = firstOf(cause);
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  if (code.startsWith('EPROXY')) return new WebError((error as Error).message, 'unreachable', redirected, { cause });
  const why =
    IN_WORDS[code] ??
    (code.startsWith('HPE_')
      ? 'its answer is no valid HTTP.'
      : `the request failed${code === '' ? '' : ` (${code})`}.`);
  const where = redirected ? `${hostOf(url)}, or what it redirects to` : hostOf(url);
  return new WebError(`${where}: ${why}`, 'unreachable', redirected, { cause });
}

/** With several addresses tried in turn, Node reports the failures together. */
function firstOf(cause: unknown): unknown {
  return cause instanceof AggregateError ? (cause.errors as unknown[])[0] : cause;
}

/** The host of a URL, for messages. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'The server';
}
