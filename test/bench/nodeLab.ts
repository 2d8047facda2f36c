import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { App } from '../../src/app.js';
import { createCliApp } from '../../src/cli/ports.js';
import type { AgentEvent } from '../../src/protocol/event.js';
import type { ToolContext } from '../../src/runner/tool.js';
import type { WorkerNews, WorkerOrder } from './modelWorker.js';

/** A folder with a home and a project, and a scripted model behind real HTTP in another thread. */
export interface NodeLab {
  root: string;
  home: string;
  project: string;
  /** The command line's app over the home; the caller closes it. */
  app(project?: string): Promise<App>;
  setReply(order: WorkerOrder): void;
  /** Resolves with the next request's arrival. */
  arrival(): Promise<{ at: number; bytes: number }>;
  close(): Promise<void>;
}

export async function nodeLab(): Promise<NodeLab> {
  const root = mkdtempSync(join(tmpdir(), 'nanobot-bench-'));
  const home = join(root, 'workspace');
  const project = join(root, 'project');
  for (const folder of [project, join(home, 'sessions'), join(home, 'memory')]) mkdirSync(folder, { recursive: true });
  const worker = new Worker(new URL('modelWorker.js', import.meta.url));
  const waiting: ((news: { at: number; bytes: number }) => void)[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    worker.on('error', reject);
    worker.on('message', (news: WorkerNews) => {
      if ('url' in news) resolve(news.url);
      else waiting.shift()?.(news);
    });
  });
  const config = {
    agents: { defaults: { model: 'openai/test-model' } },
    providers: { openai: { apiKey: 'test-key', apiBase: `${url}/v1` } },
  };
  writeFileSync(join(root, 'config.json'), JSON.stringify(config));
  return {
    root,
    home,
    project,
    app: (workspace = project) => createCliApp({ home, workspace, session: 'cli:bench', approval: 'all', json: false }),
    setReply: (order) => {
      worker.postMessage(order);
    },
    arrival: () => new Promise((resolve) => waiting.push(resolve)),
    close: async () => {
      await worker.terminate();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Writes a session file of so many messages of so many characters. */
export function writeSession(
  home: string,
  key: string,
  session: { messages: number; consolidated?: number; size?: number },
): void {
  const { messages, consolidated = 0, size = 100 } = session;
  const time = '2026-03-01T10:00:00.000Z';
  const metadata = {
    _type: 'metadata',
    key,
    created_at: time,
    updated_at: time,
    metadata: { title: key },
    last_consolidated: consolidated,
  };
  const words = 'words of a conversation about a project and its tests '.repeat(Math.ceil(size / 54)).slice(0, size);
  const lines = Array.from({ length: messages }, (_, n) => {
    const role = n % 2 === 0 ? 'user' : 'assistant';
    return JSON.stringify({
      role,
      content: `${String(n)}: ${words}`,
      timestamp: time,
      id: `m${String(n)}`,
      turn_id: `t${String(n >> 1)}`,
    });
  });
  const name = `${key.replaceAll(':', '_')}.jsonl`;
  writeFileSync(join(home, 'sessions', name), `${[JSON.stringify(metadata), ...lines].join('\n')}\n`);
}

/** Resolves with the end of the next turn of a session. */
export function turnEnd(app: App, key: string): Promise<AgentEvent> {
  return new Promise((resolve) => {
    const subscription = app.bus.subscribe(({ sessionKey, event }) => {
      if (sessionKey !== key || event.type !== 'turn_end') return;
      subscription.dispose();
      resolve(event);
    });
  });
}

/** What a tool is given when no turn runs. */
export function toolContext(): ToolContext {
  return {
    sessionKey: 'cli:bench',
    turnId: 'turn',
    callId: 'call',
    signal: new AbortController().signal,
    watched: true,
    reads: { note: () => undefined, forget: () => undefined, check: () => 'unread' },
    update: () => undefined,
    beforeChange: () => Promise.resolve(),
    amended: () => undefined,
    markUntrusted: () => undefined,
    isUntrusted: () => false,
    ask: () => Promise.resolve(''),
    setTodo: () => undefined,
    askSave: () => Promise.resolve('run'),
  };
}
