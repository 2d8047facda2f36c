import { createHash } from 'node:crypto';
import type { ReadLedger } from '../runner/tool.js';

/** What the model has read in one session, by a digest of the bytes. Lives as long as the process: after a reload files are read again. */
export function createLedger(): ReadLedger {
  const digests = new Map<string, string>();
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64');
  return {
    note: (path, bytes) => void digests.set(path, digest(bytes)),
    forget: (path) => void digests.delete(path),
    check: (path, bytes) => {
      const known = digests.get(path);
      if (known === undefined) return 'unread';
      return known === digest(bytes) ? 'fresh' : 'stale';
    },
  };
}
