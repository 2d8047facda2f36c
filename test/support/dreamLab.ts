import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Dream, type DreamDeps, type DreamOutcome } from '../../src/memory/dream.js';
import { GitStore } from '../../src/memory/gitStore.js';
import { HistoryFile } from '../../src/memory/history.js';
import type { NewEntry } from '../../src/memory/historyEntry.js';
import { MemoryStore } from '../../src/memory/store.js';
import { nodeFiles } from '../../src/platform/nodeFiles.js';
import { nodeGitFs } from '../../src/platform/nodeGitFs.js';
import { nodeIdentity } from '../../src/platform/nodeIdentity.js';
import { realPathOnDisk } from '../../src/platform/nodeWorkspace.js';
import type { Clock, Files, GitFs, Processes } from '../../src/platform/ports.js';
import { textOf, type ErrorInfo } from '../../src/protocol/message.js';
import type { ModelAnswer, ModelRequest } from '../../src/providers/provider.js';
import { Leases } from '../../src/session/lease.js';
import { dreamFileTools } from '../../src/tools/dreamFiles.js';
import { answerOf, call } from './runs.js';
import { skillGuide } from './skillGuide.js';

/** What the scripted model answers one request with. */
export type DreamReply =
  | string
  | Partial<ModelAnswer>
  | ((request: ModelRequest) => Promise<Partial<ModelAnswer>> | Partial<ModelAnswer> | string);

export interface DreamLabOptions {
  home: string;
  replies?: DreamReply[];
  files?: Files;
  fs?: GitFs;
  processes?: Processes;
  clock?: Clock;
  deps?: Partial<DreamDeps>;
  /** What there is in place of a model. */
  noModel?: ErrorInfo;
  practice?: boolean;
  maxTokensPerDay?: number;
  /** Tokens of the model's window. */
  window?: number;
}

/** Dream as a window has it: real files, history, git and leases, and a scripted model whose requests are kept. */
export interface DreamLab {
  dream: Dream;
  history: HistoryFile;
  git: GitStore;
  leases: Leases;
  requests: ModelRequest[];
  notices: string[];
  logged: string[];
  replies: DreamReply[];
  /** Runs as a person asks for it. */
  ask(): Promise<DreamOutcome>;
  /** Runs as it does by itself. */
  byItself(): Promise<DreamOutcome>;
  read(path: string): string;
  write(path: string, text: string): void;
}

/** 2026-04-15 15:23 in Berlin. */
export const DREAM_TIME = Date.parse('2026-04-15T13:23:00Z');

/** A clock that stands still until told, in Berlin; timers run when it passes them. */
export class StandingClock implements Clock {
  private time = DREAM_TIME;
  private readonly timers = new Set<{ at: number; run: () => void }>();

  now(): number {
    return this.time;
  }
  zone(): string {
    return 'Europe/Berlin';
  }
  after(ms: number, run: () => void) {
    const timer = { at: this.time + ms, run };
    this.timers.add(timer);
    return { dispose: () => this.timers.delete(timer) };
  }
  sleep(): Promise<void> {
    this.time += 1;
    return new Promise((resolve) => setImmediate(resolve));
  }
  /** Time passes, and what is due runs. */
  pass(ms: number): void {
    const until = this.time + ms;
    for (;;) {
      const [next] = [...this.timers].filter(({ at }) => at <= until).sort((left, right) => left.at - right.at);
      if (!next) break;
      this.timers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.run();
    }
    this.time = until;
  }
  /** Somebody sets the clock: timers do not notice. */
  set(to: number): void {
    const by = to - this.time;
    this.time = to;
    for (const timer of this.timers) timer.at += by;
  }
  get pending(): number {
    return this.timers.size;
  }
}

const quiet = () => undefined;

export function dreamLab(options: DreamLabOptions): DreamLab {
  const { home } = options;
  const files = options.files ?? nodeFiles();
  const clock = options.clock ?? new StandingClock();
  const notices: string[] = [];
  const logged: string[] = [];
  const say = (text: string) => void logged.push(text);
  const log = { debug: quiet, info: say, warn: say, error: say };
  const notice = (text: string) => void notices.push(text);
  const leases = new Leases({
    files,
    clock,
    log,
    folder: join(home, '.nanobot', 'locks'),
    holder: `window-${String(Math.random())}`,
    processes: options.processes ?? nodeIdentity(),
  });
  const history = new HistoryFile({ files, clock, log, home, leases, notice });
  const git = new GitStore({ files, clock, log, home, leases, notice, fs: options.fs ?? nodeGitFs() });
  const memory = new MemoryStore({ files, clock, home, history });
  const requests: ModelRequest[] = [];
  const replies = [...(options.replies ?? [])];
  let ids = 0;
  const dream = new Dream({
    files,
    clock,
    log,
    home,
    history,
    git,
    leases,
    prepareHome: () => memory.createHome(),
    editors: { unsaved: () => Promise.resolve([]), save: () => Promise.resolve() },
    realPath: (path) => realPathOnDisk(path),
    skillGuide,
    model: () =>
      Promise.resolve(
        options.noModel
          ? { error: options.noModel }
          : {
              info: { id: 'test/model', label: 'model', window: options.window ?? 65_536 },
              contextWindow: options.window ?? 65_536,
              maxTokens: (options.window ?? 65_536) / 8,
              ...(options.practice ? { onlyAsked: true, mark: { practice: true } } : {}),
              stream: async function* (request, signal) {
                const reply = replies[requests.length];
                requests.push(structuredClone(request));
                if (reply === undefined)
                  throw new Error(`The script has no answer for request ${String(requests.length)}.`);
                const made = await unlessAborted(signal, typeof reply === 'function' ? reply(request) : reply);
                yield { type: 'end', answer: answerOf(typeof made === 'string' ? { text: made } : made) };
              },
            },
      ),
    tools: dreamFileTools,
    chats: { noteNow: () => Promise.resolve(undefined) },
    turns: { any: () => false, quiet: () => Promise.resolve() },
    settings: () => ({ enabled: true, intervalHours: 2, maxTokensPerDay: options.maxTokensPerDay ?? 0 }),
    notice,
    newId: () => `id-${String(++ids)}`,
    ...options.deps,
  });
  return {
    dream,
    history,
    git,
    leases,
    requests,
    notices,
    logged,
    replies,
    ask: () => dream.run({ asked: true, signal: new AbortController().signal }),
    byItself: () => dream.run({ asked: false, signal: new AbortController().signal }),
    read: (path) => (existsSync(join(home, path)) ? readFileSync(join(home, path), 'utf8') : ''),
    write: (path, text) => {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    },
  };
}

/** A model ends soon after it is told to. */
async function unlessAborted<T>(signal: AbortSignal, answer: T | Promise<T>): Promise<T | Partial<ModelAnswer>> {
  let heard = () => undefined as void;
  const aborted = new Promise<Partial<ModelAnswer>>((resolve) => {
    heard = () => resolve({ stopReason: 'aborted' });
    signal.addEventListener('abort', heard);
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener('abort', heard);
  }
}

/** Entries as conversations leave them behind. */
export async function remembered(lab: DreamLab, ...contents: (string | NewEntry)[]): Promise<void> {
  await lab.history.append(contents.map((entry) => (typeof entry === 'string' ? { content: entry } : entry)));
}

/** An answer that edits one file. */
export function edits(path: string, ...pairs: [string, string][]): Partial<ModelAnswer> {
  const made = pairs.map(([old_text, new_text]) => ({ old_text, new_text }));
  return { toolCalls: [call('edit_file', { path, edits: made }, `edit-${path}-${String(Math.random())}`)] };
}

/** What a phase was told first, beside its instructions. */
export function asked(request: Pick<ModelRequest, 'messages'> | undefined): string {
  return textOf(request?.messages[0]?.content);
}

/** The results the model was given last. */
export function lastResults(request: ModelRequest | undefined): string[] {
  const messages = request?.messages ?? [];
  const from = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.slice(from + 1).map(({ content }) => textOf(content));
}
