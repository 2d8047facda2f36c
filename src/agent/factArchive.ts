import type { Consolidator, PromptFrame } from '../memory/consolidator.js';
import { notedUpTo, owedSpans, type Span } from '../memory/sessionMarks.js';
import type { Log } from '../platform/ports.js';
import type { ModelInfo } from '../protocol/event.js';
import type { ErrorInfo, StoredMessage } from '../protocol/message.js';
import type { Session } from '../session/session.js';
import type { ContextBuilder } from './context.js';
import { choiceIn } from './modelChoice.js';
import { promptFrame, type FrameDeps } from './promptFrame.js';
import type { ReadyModel } from './readyModel.js';

export interface FactArchiveDeps extends FrameDeps {
  consolidator: Consolidator;
  context: Pick<ContextBuilder, 'system'>;
  log: Log;
  resolveModel(options: { watched: boolean; model?: string }): Promise<ReadyModel | { error: ErrorInfo }>;
  /** Whether a model may do this work when nobody asked for it. */
  mayStart(model: ModelInfo): boolean;
  /** Whether the answers of a model, by the name stored with them, say anything worth noting. */
  isWorthNoting(model: string): boolean;
}

/** Notes the facts of chats in the history and leaves their prompts as they are. */
export class FactArchive {
  constructor(private readonly deps: FactArchiveDeps) {}

  /** Notes what is owed of a session, with a model that is there. Resolves with what kept it from being done, if anything did. */
  async note(session: Session, frame: PromptFrame, signal: AbortSignal): Promise<ErrorInfo | undefined> {
    const outcome = await this.deps.consolidator.archive(session, frame, { signal });
    if (outcome.kind !== 'failed') return undefined;
    this.deps.log.warn(`The facts of the chat ${session.key} were not noted: ${outcome.error.message}`);
    return outcome.error;
  }

  /**
   * The same where nobody waits in that chat: with a model that may be used (unasked: by itself), and without taking the session from another window.
   * A model that is not there is an error only where a person asked.
   */
  async noteAlone(
    session: Session,
    signal: AbortSignal,
    { asked }: { asked: boolean },
  ): Promise<ErrorInfo | undefined> {
    const [model, system] = await this.modelFor(session, asked);
    if ('error' in model) return asked ? model.error : undefined;
    if (!asked && !this.deps.mayStart(model.info)) return undefined;
    const isHeld = session.leaseState === 'held';
    if ((await session.acquire()) !== 'held') return undefined;
    try {
      const prompt = { sessionKey: session.key, system, refusedImages: new Set<string>() };
      return await this.note(session, promptFrame(this.deps, model, prompt), signal);
    } finally {
      if (!isHeld) await session.release();
    }
  }

  /** The model and the system prompt of a session's channel. */
  async modelFor(
    session: Session,
    watched: boolean,
  ): Promise<[model: ReadyModel | { error: ErrorInfo }, system: string]> {
    const channel = session.key.split(':')[0] ?? '';
    const own = choiceIn(session.metadata.metadata).model;
    const [model, system] = await Promise.all([
      this.deps.resolveModel({ watched, ...(own ? { model: own } : {}) }),
      this.deps.context.system(channel),
    ]);
    return [model, system.text];
  }

  /**
   * Whether something was said here whose facts have not been noted. `by` is the model that would note them: one that may only do so when it is asked
   * would pass over what was said to others, and it would count as noted, so such chats are left to those.
   */
  owes(session: Session, by?: ModelInfo): boolean {
    const spans: Span[] = [...owedSpans(session), [notedUpTo(session), session.messages.length]];
    const owed = spans.map(([from, to]) => session.messages.slice(from, to));
    const said = owed.filter((messages) => messages.some(({ role }) => role === 'user'));
    const isWorth = ({ role, model }: StoredMessage) =>
      role === 'assistant' && (model === undefined || this.deps.isWorthNoting(model));
    if (!by || this.deps.mayStart(by)) return said.some((messages) => messages.some(isWorth));
    return said.some((messages) => messages.some(({ role }) => role === 'assistant')) && !owed.flat().some(isWorth);
  }
}
