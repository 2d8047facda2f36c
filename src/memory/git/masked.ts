import { maskSecrets } from '../../platform/maskSecrets.js';
import type { Clock } from '../../platform/ports.js';

/** Letters masked in one go; about 4 ms. */
const PIECE = 64 * 1024;

/** A text as it may be committed, with every secret of a known form masked. Long ones are done in pieces, and others get their turn between. */
export async function maskedText(text: string, clock: Clock): Promise<string> {
  if (text.length <= PIECE) return maskSecrets(text);
  const masked: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = cutAt(text, at);
    masked.push(maskSecrets(text.slice(at, end)));
    at = end;
    await clock.sleep(0);
  }
  return masked.join('');
}

/** Where the piece from `at` ends: behind a line, and not within a private key, which is many lines. */
function cutAt(text: string, at: number): number {
  const limit = at + PIECE;
  if (limit >= text.length) return text.length;
  const lineEnd = text.lastIndexOf('\n', limit) + 1;
  const end = lineEnd > at ? lineEnd : limit;
  const key = text.lastIndexOf('-----BEGIN', end);
  const whole = key <= at || text.slice(key, end).includes('-----END');
  return whole ? end : key;
}
