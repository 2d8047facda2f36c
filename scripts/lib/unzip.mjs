import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { inflateRawSync } from 'node:zlib';

/**
 * Writes the files of a ZIP archive below `target`. Understands what a `.vsix` uses, stored and deflated entries, and
 * throws on anything else (encryption, archives of 4 GB and more) and on a name that would leave the target.
 */
export function unzip(archive, target) {
  const bytes = readFileSync(archive);
  for (const entry of entriesOf(bytes)) {
    const path = join(target, normalize(entry.name));
    if (!path.startsWith(target + sep)) throw new Error(`${archive} holds an unsafe name: ${entry.name}`);
    if (entry.name.endsWith('/')) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contentOf(bytes, entry));
  }
}

/** Reads the directory at the archive's end. The numbers are offsets from the ZIP specification (APPNOTE.TXT 4.3). */
function entriesOf(bytes) {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0) throw new Error('This is not a ZIP archive.');
  const entries = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const nameLength = bytes.readUInt16LE(at + 28);
    entries.push({
      method: bytes.readUInt16LE(at + 10),
      size: bytes.readUInt32LE(at + 20),
      header: bytes.readUInt32LE(at + 42),
      name: bytes.toString('utf8', at + 46, at + 46 + nameLength),
    });
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

function contentOf(bytes, { method, size, header, name }) {
  const start = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
  const content = bytes.subarray(start, start + size);
  if (method === 0) return content;
  if (method === 8) return inflateRawSync(content);
  throw new Error(`Cannot unpack ${name}: method ${method} is not known.`);
}
