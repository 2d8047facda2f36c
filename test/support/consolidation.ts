import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Consolidator, type PromptFrame, type SummaryAnswer } from '../../src/memory/consolidator.js';
import { HistoryFile } from '../../src/memory/history.js';
import { parseEntry, type HistoryEntry } from '../../src/memory/historyEntry.js';
import type { SummaryRequest } from '../../src/memory/summaryRequest.js';
import { nodeClock } from '../../src/platform/nodeClock.js';
import { nodeFiles } from '../../src/platform/nodeFiles.js';
import { nodeIdentity } from '../../src/platform/nodeIdentity.js';
import type { Files, Processes } from '../../src/platform/ports.js';
import { textOf, type StoredMessage } from '../../src/protocol/message.js';
import type { Session } from '../../src/session/session.js';
import { SessionStore } from '../../src/session/store.js';
import type { SeenBody } from './modelServer.js';

/** What a scripted model says to the n-th request for facts and summary, counted from 0. */
export type Answers = (request: SummaryRequest, n: number) => SummaryAnswer | Promise<SummaryAnswer>;

export interface ConsolidationLab {
  consolidator: Consolidator;
  session: Session;
  frame: PromptFrame;
  requests: SummaryRequest[];
  /** The entries of history.jsonl. */
  entries(): HistoryEntry[];
  card: { id: string; after: string; at: number };
  close(): Promise<void>;
}

export interface ConsolidationOptions {
  answers?: Answers;
  files?: Files;
  processes?: Processes;
  frame?: Partial<PromptFrame>;
  key?: string;
}

/** The Consolidator on real files, with a scripted model. */
export async function consolidationLab(home: string, options: ConsolidationOptions = {}): Promise<ConsolidationLab> {
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const files = options.files ?? nodeFiles();
  const clock = nodeClock(() => 'UTC');
  const holder = `holder-${String(Math.random())}`;
  const processes = options.processes ?? nodeIdentity();
  const store = new SessionStore({ files, clock, log, home, holder, processes, notice: quiet });
  const history = new HistoryFile({ files, clock, log, home, leases: store.leases, notice: quiet });
  const requests: SummaryRequest[] = [];
  const answers = options.answers ?? ((_, n) => products(`- fact ${String(n)}`, `summary ${String(n)}`));
  return {
    consolidator: new Consolidator({ history, clock, log }),
    session: await store.open(options.key ?? 'vscode:test'),
    requests,
    entries: () => historyLines(home),
    card: { id: 'card', after: 'newest', at: 1_000 },
    frame: {
      system: 'the system prompt',
      tools: [],
      fixedTokens: 0,
      budget: 8_000,
      maxTokens: 1_000,
      ratio: 1,
      project: '/project',
      ask: async (request) => {
        requests.push(structuredClone(request));
        return answers(request, requests.length - 1);
      },
      ...options.frame,
    },
    close: () => store.dispose(),
  };
}

/** The entries of a home's history.jsonl; what a killed write left half is passed over, as every reader does. */
export function historyLines(home: string): HistoryEntry[] {
  const path = join(home, 'memory', 'history.jsonl');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .map(parseEntry)
    .filter((entry) => entry !== undefined);
}

/** A whole answer with both products. */
export function products(facts: string, summary: string): SummaryAnswer {
  return { text: `<facts>\n${facts}\n</facts>\n\n<summary>\n${summary}\n</summary>`, complete: true };
}

export function failure(code: string): SummaryAnswer {
  return { error: { code, message: `It failed: ${code}.`, next: [] } };
}

/** Turns of a question and an answer, numbered, of about `tokens` tokens each. */
export function turns(count: number, tokens = 200, from = 0): StoredMessage[] {
  const filler = 'tea '.repeat(Math.ceil((tokens * 3.6) / 8));
  return Array.from({ length: count }, (_, n): StoredMessage[] => {
    const name = String(from + n);
    const at = new Date(Date.UTC(2026, 3, 3, 0, from + n)).toISOString();
    return [
      { role: 'user', content: `question ${name}. ${filler}`, timestamp: at, id: `u${name}` },
      { role: 'assistant', content: `answer ${name}. ${filler}`, timestamp: at, id: `a${name}` },
    ];
  }).flat();
}

/** The numbers of the questions among messages, as `turns` made them. */
export function questionsIn(messages: readonly StoredMessage[]): number[] {
  return messages.flatMap((message) => {
    const found = message.role === 'user' ? /^question (\d+)\./.exec(textOf(message.content)) : null;
    return found ? [Number(found[1])] : [];
  });
}

/** Writes a session's file as an earlier process left it. */
export function seedSession(
  home: string,
  key: string,
  messages: readonly StoredMessage[],
  line: { metadata?: Record<string, unknown>; last_consolidated?: number; updated_at?: string } = {},
): void {
  const at = line.updated_at ?? messages.at(-1)?.timestamp ?? '2026-04-03T00:00:00.000Z';
  const { metadata = {}, last_consolidated = 0 } = line;
  const first = { _type: 'metadata', key, created_at: at, updated_at: at, metadata, last_consolidated };
  const path = join(home, 'sessions', `${key.replaceAll(':', '_')}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, [first, ...messages].map((each) => `${JSON.stringify(each)}\n`).join(''));
}

/** Whether a request that came to the model server asks for facts or a summary. */
export function isConsolidation({ body }: { body: SeenBody }): boolean {
  return JSON.stringify(body.messages.at(-1)).includes('[Consolidation');
}

/** Settings under which the tools leave room for a short chat only: 17,000 tokens. */
export const SMALL_WINDOW = { contextWindowTokens: 20_000, maxTokens: 1_976 };
