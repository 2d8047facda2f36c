import { join } from 'node:path';
import { writeFiles } from './workbenchFiles.js';

/** A chat as it lies in a home's `sessions` folder. */
export interface StoredSession {
  /** Such as `vscode:long`. */
  key: string;
  title: string;
  /** What the person and the agent said in turn, the person first. */
  texts: string[];
}

/** Writes a chat into a home, as a window that was closed long ago has left it. Its messages have the ids `m0`, `m1`, … */
export function writeSession(home: string, { key, title, texts }: StoredSession): void {
  const at = (index: number) => new Date(Date.parse('2026-04-03T00:02:00Z') + index * 1_000).toISOString();
  const metadata = {
    _type: 'metadata',
    key,
    created_at: at(0),
    updated_at: at(texts.length),
    metadata: { title },
    last_consolidated: 0,
  };
  const messages = texts.map((content, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
    timestamp: at(index),
    id: `m${String(index)}`,
    turn_id: `t${String(Math.floor(index / 2))}`,
  }));
  const lines = [metadata, ...messages].map((line) => `${JSON.stringify(line)}\n`);
  writeFiles(join(home, 'sessions'), { [`${key.replace(':', '_')}.jsonl`]: lines.join('') });
}
