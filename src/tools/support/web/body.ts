/** What kind of content an answer holds, as far as it can be read. */
export type BodyKind = 'html' | 'json' | 'text' | 'pdf' | 'image' | 'binary';

const TEXTS =
  /^(text\/|application\/(xml|javascript|ecmascript|x-sh|yaml|x-yaml|toml|graphql|sql|rtf|x-ndjson|x-www-form-urlencoded)|[^;]+\+xml|image\/svg)/;

/** The kind by what the server says, where that is believable; `isBinary` tells whether the bytes are no text at all. */
export function textKindOf(
  contentType: string,
  start: string,
  isBinary: boolean,
): Extract<BodyKind, 'html' | 'json' | 'text' | 'binary'> {
  const type = contentType.toLowerCase();
  if (isBinary) return 'binary';
  if (/^(text\/html|application\/xhtml)/.test(type)) return 'html';
  if (/^(application\/json|text\/json|[^;]+\+json)/.test(type)) return 'json';
  if (/^\s*(<!doctype html|<html)/i.test(start)) return 'html';
  if (TEXTS.test(type) || type === '' || type.startsWith('application/octet-stream')) return 'text';
  return 'binary';
}

/**
 * The text of an answer: by its byte order mark, else by the charset its header names, else by the one the page itself names, else UTF-8 if it is valid, else
 * windows-1252. A charset that nobody knows counts as not named.
 */
export function decodeBody(bytes: Uint8Array, contentType: string): string {
  const bom = bomOf(bytes);
  const named = bom ?? known(/charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1]) ?? known(namedInPage(bytes));
  if (named !== undefined) return new TextDecoder(named).decode(bytes);
  try {
    // A body that was cut may end within a character: that alone does not make it another charset.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function bomOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

/** As a browser does: the first 1,024 bytes are searched. */
function namedInPage(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 1_024));
  return (
    /<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i.exec(start)?.[1] ??
    /^<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)/i.exec(start)?.[1]
  );
}

function known(charset: string | undefined): string | undefined {
  if (charset === undefined) return undefined;
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    return undefined;
  }
}
