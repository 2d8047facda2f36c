import { createHash } from 'node:crypto';

/** Bytes of a safe name; leaves room for endings such as `.jsonl` and temporary names below the 255 of most disks. */
const LONGEST = 150;
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\.|$)/i;

/**
 * A session's key as a file name on any system, the way nanobot makes it: `:` and what some system refuses become `_`. Names that Windows
 * reserves get a `_` in front; long ones are cut and end with a hash. Two keys can have the same safe name: see `hashedName`.
 */
export function safeName(key: string): string {
  const plain = key
    .replace(/[<>:"/\\|?*\u0000-\u001f\u007f]/g, '_')
    .replace(/^[. ]+|[. ]+$/g, (end) => '_'.repeat(end.length));
  const name = plain === '' ? '_' : RESERVED.test(plain) ? `_${plain}` : plain;
  return Buffer.byteLength(name) <= LONGEST ? name : withHash(name, key);
}

/** The name of a key whose safe name another key has taken. */
export function hashedName(key: string): string {
  return withHash(safeName(key), key);
}

/** The key of a file that does not say its own: nanobot's rule, the first `_` stands for the `:`. */
export function keyOfName(name: string): string {
  return name.replace('_', ':');
}

function withHash(name: string, key: string): string {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 10);
  let head = name;
  while (Buffer.byteLength(head) > LONGEST - hash.length - 1) head = [...head].slice(0, -1).join('');
  return `${head}-${hash}`;
}
