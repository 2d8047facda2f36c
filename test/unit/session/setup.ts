import { readFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import type { Clock, Files, Processes } from '../../../src/platform/ports.js';
import type { StoredMessage } from '../../../src/protocol/message.js';
import { SessionStore } from '../../../src/session/store.js';

export const START = Date.parse('2026-04-03T00:02:00Z');

/** A clock that moves when told, and counts its timers. */
export class ManualClock implements Clock {
  private time = START;
  private readonly timers = new Set<{ at: number; run: () => void }>();

  now(): number {
    return this.time;
  }
  zone(): string {
    return 'UTC';
  }
  after(ms: number, run: () => void) {
    const timer = { at: this.time + ms, run };
    this.timers.add(timer);
    return { dispose: () => this.timers.delete(timer) };
  }
  sleep(): Promise<void> {
    return Promise.reject(new Error('not used'));
  }
  /** Time passes and due timers run once each, as on a machine that was awake or, without timers, asleep. */
  advance(ms: number, timers: 'run' | 'asleep' = 'run'): void {
    this.time += ms;
    if (timers === 'asleep') return;
    for (const timer of [...this.timers].filter(({ at }) => at <= this.time)) {
      this.timers.delete(timer);
      timer.run();
    }
  }
  get pending(): number {
    return this.timers.size;
  }
}

/** Processes of which those named are gone. */
export function processes(pid: number, gone: number[] = []): Processes {
  return { pid, host: 'here', alive: (other) => !gone.includes(other) };
}

export interface Opened {
  store: SessionStore;
  notices: string[];
  clock: ManualClock;
}

/** A store as one window has it. Windows of one test share the clock and differ in holder and pid. */
export function openStore(
  home: string,
  options: Partial<{ files: Files; clock: ManualClock; holder: string; processes: Processes }> = {},
): Opened {
  const notices: string[] = [];
  const clock = options.clock ?? new ManualClock();
  const quiet = () => undefined;
  const store = new SessionStore({
    files: options.files ?? nodeFiles(),
    clock,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    home,
    holder: options.holder ?? 'one',
    processes: options.processes ?? processes(1),
    notice: (text) => notices.push(text),
  });
  onTestFinished(() => store.dispose().catch(quiet));
  return { store, notices, clock };
}

export const user = (content: string, more: Partial<StoredMessage> = {}): StoredMessage => ({
  role: 'user',
  content,
  timestamp: '2026-04-03T00:02:00.000Z',
  ...more,
});

export const assistant = (content: string | null, calls: string[] = []): StoredMessage => ({
  role: 'assistant',
  content,
  timestamp: '2026-04-03T00:02:01.000Z',
  ...(calls.length > 0
    ? { tool_calls: calls.map((id) => ({ id, type: 'function', function: { name: 'exec', arguments: '{}' } })) }
    : {}),
});

export const result = (id: string, content = 'done'): StoredMessage => ({
  role: 'tool',
  content,
  tool_call_id: id,
  name: 'exec',
  timestamp: '2026-04-03T00:02:02.000Z',
});

export const sessionPath = (home: string, name: string): string => join(home, 'sessions', `${name}.jsonl`);

export async function linesOf(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
}

/** Writes a session file the way another program would. */
export async function given(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** A metadata line as nanobot (Python) writes it. */
export function pythonMetadata(
  key: string,
  { metadata = {}, last_consolidated = 0 }: { metadata?: Record<string, unknown>; last_consolidated?: number } = {},
): string {
  const times = '"created_at": "2026-03-01T10:00:00.123456", "updated_at": "2026-03-02T10:00:00.123456"';
  const rest = `"metadata": ${JSON.stringify(metadata)}, "last_consolidated": ${String(last_consolidated)}`;
  return `{"_type": "metadata", "key": ${JSON.stringify(key)}, ${times}, ${rest}}`;
}
