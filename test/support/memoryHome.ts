import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** An entry of history.jsonl as a test writes it. */
export interface SeededEntry {
  /** Days before today. */
  daysAgo?: number;
  /** `HH:MM`. */
  time?: string;
  content: string;
  session_key?: string;
  project?: string;
}

export interface MemoryHome {
  path: string;
  /** Removes the home. */
  remove(): void;
}

const DAY_MS = 86_400_000;

/** A home with this history, numbered from 1, of which Dream has read so much, and with these files. */
export function memoryHome(
  entries: readonly SeededEntry[],
  { dreamCursor = 0, files = {} }: { dreamCursor?: number; files?: Record<string, string> } = {},
): MemoryHome {
  const root = mkdtempSync(join(tmpdir(), 'nanobot-memory-'));
  const path = join(root, 'workspace');
  const lines = entries.map(({ daysAgo = 0, time = '09:00', ...entry }, n) => {
    const date = new Intl.DateTimeFormat('sv-SE').format(Date.now() - daysAgo * DAY_MS);
    return `${JSON.stringify({ cursor: n + 1, timestamp: `${date} ${time}`, ...entry })}\n`;
  });
  const all = {
    'memory/history.jsonl': lines.join(''),
    'memory/.cursor': String(entries.length),
    'memory/.dream_cursor': String(dreamCursor),
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return { path, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }) };
}
