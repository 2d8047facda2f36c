import type { MessageBus } from '../bus/bus.js';
import type { Settings } from '../config/schema.js';
import type { Clock, Disposable, Log } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';
import type { ModelInfo, SessionEvent } from '../protocol/event.js';
import { textOf, wordsOf, type ErrorInfo, type StoredMessage } from '../protocol/message.js';
import type { Session } from '../session/session.js';
import instruction from '../templates/sessionTitle.md';
import { askSummary } from './askSummary.js';
import type { Conversation } from './conversation.js';
import type { ReadyModel } from './readyModel.js';
import { titleFrom } from './receive.js';
import { withLeaseAsBefore } from './sessionShelf.js';

/** Turns after which a chat that has no name keeps its first words. */
const TURNS = 3;
/** Characters of what the person and the agent said that are read for a name, each. */
const MOST_READ = 2_000;
/** Characters of a name. */
const MOST_SHOWN = 60;
/** Tokens of the answer. A model that thinks first needs most of them for that. */
const MAX_TOKENS = 600;
/** Milliseconds after which the first words stay. */
const PATIENCE_MS = 60_000;

export interface TitleDeps {
  bus: Pick<MessageBus, 'subscribe'>;
  clock: Clock;
  log: Log;
  settings(): Pick<Settings, 'sessionTitles'>;
  /** The conversation of a session that has been read already. */
  conversation(key: string): Conversation | undefined;
  resolveModel(options: { watched: boolean; model?: string }): Promise<ReadyModel | { error: ErrorInfo }>;
  /** Whether this model may be asked for what nobody asked for. */
  mayStart(model: ModelInfo): boolean;
  newId(): string;
}

/**
 * Has the model name a chat, in the background, once its first turn has ended well. A turn that begins meanwhile ends the attempt, and the next end of
 * one begins another. A name that a person gave is never changed; where the model has none to offer the first words stay.
 */
export class SessionTitles {
  private readonly asking = new Map<string, { controller: AbortController; done: Promise<void> }>();
  private readonly tried = new Set<string>();
  private readonly subscription: Disposable;

  constructor(private readonly deps: TitleDeps) {
    this.subscription = deps.bus.subscribe((event) => {
      this.hear(event);
    });
  }

  /** Resolves when nothing of this session is asked any more. */
  async settled(key: string): Promise<void> {
    await this.asking.get(key)?.done;
  }

  /** Ends every attempt; none begins any more. */
  async close(): Promise<void> {
    this.subscription.dispose();
    const all = [...this.asking.values()];
    for (const { controller } of all) controller.abort();
    await Promise.all(all.map(({ done }) => done));
  }

  private hear({ sessionKey: key, event }: SessionEvent): void {
    if (event.type === 'turn_start') this.asking.get(key)?.controller.abort();
    if (event.type !== 'turn_end' || event.status !== 'done' || this.asking.has(key)) return;
    const conversation = this.deps.conversation(key);
    if (!conversation || !this.isWanted(conversation)) return;
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(PATIENCE_MS)]);
    const done = this.name(conversation, signal)
      .catch((cause: unknown) => {
        this.deps.log.debug(`The chat ${key} keeps its first words for a name: ${reasonOf(cause)}`);
      })
      .finally(() => this.asking.delete(key));
    this.asking.set(key, { controller, done });
  }

  /** Chats of people alone: what schedules, subagents and other programs say is named by them. */
  private isWanted({ key, session }: Conversation): boolean {
    if (!this.deps.settings().sessionTitles || !key.startsWith('vscode:') || this.tried.has(key)) return false;
    if (!hasFirstWords(session)) return false;
    return new Set(session.messages.map((message) => message.turn_id)).size <= TURNS;
  }

  private async name(conversation: Conversation, signal: AbortSignal): Promise<void> {
    const { deps } = this;
    const { key, session, state } = conversation;
    const model = await deps.resolveModel({ watched: true, ...(state.model ? { model: state.model.id } : {}) });
    if ('error' in model || !deps.mayStart(model.info) || signal.aborted) return;
    const answer = await askSummary(
      model,
      { system: '', messages: [], tools: [], maxTokens: MAX_TOKENS, instruction: question(session.visible()) },
      { signal, refusedImages: new Set(), sessionKey: `title:${deps.newId()}`, clock: deps.clock },
    );
    if (signal.aborted) return;
    this.tried.add(key);
    const title = 'error' in answer ? '' : plainTitle(answer.text);
    if (title === '') return;
    await withLeaseAsBefore(session, () =>
      session.setMetadata({ title, titled: 'model' }, { onlyIf: () => hasFirstWords(session) }),
    );
    conversation.announceSession();
  }
}

/** Whether a chat still goes by what was said first: nobody has named it. */
function hasFirstWords({ metadata: { metadata }, messages }: Session): boolean {
  const first = messages.find(({ role, sender }) => role === 'user' && !sender);
  if (!first || metadata['titled'] !== undefined) return false;
  return metadata['title'] === titleFrom(wordsOf(first));
}

function question(messages: readonly StoredMessage[]): string {
  const said = messages.find(({ role, sender }) => role === 'user' && !sender);
  const answered = messages.findLast(({ role, content }) => role === 'assistant' && textOf(content) !== '');
  const part = (tag: string, message: StoredMessage | undefined) =>
    `<${tag}>\n${message ? wordsOf(message).slice(0, MOST_READ) : ''}\n</${tag}>`;
  return `${instruction.trim()}\n\n${part('person', said)}\n${part('agent', answered)}`;
}

/** A name of one line in plain text: without what models put around one, and without characters that are not seen. */
export function plainTitle(answer: string): string {
  const line = answer
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, (run) => (run.includes('\n') ? '\n' : ' '))
    .split('\n')
    .map((each) => each.replace(/^[\s#>*_`"'“”„«»‘’-]+|[\s*_`"'“”„«»‘’]+$/gu, '').replace(/[.。]$/u, ''))
    .find((each) => each !== '');
  const words = (line ?? '').replaceAll(/\s+/g, ' ');
  return words.length > MOST_SHOWN ? `${words.slice(0, MOST_SHOWN - 1).trimEnd()}…` : words;
}
