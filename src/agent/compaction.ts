import { t } from '@vscode/l10n';
import type { CompactionOutcome, PromptFrame } from '../memory/consolidator.js';
import { beginAnew, compactionOf, forgetSummaryOf, owedSpans } from '../memory/sessionMarks.js';
import type { Compaction as Card, ModelInfo } from '../protocol/event.js';
import type { ErrorInfo, StoredMessage } from '../protocol/message.js';
import { SessionBusy } from '../session/errors.js';
import type { Session } from '../session/session.js';
import type { SessionStore } from '../session/store.js';
import type { Conversation } from './conversation.js';
import { FactArchive, type FactArchiveDeps } from './factArchive.js';
import { IdleArchive, type Archived } from './idleArchive.js';
import { promptFrame } from './promptFrame.js';
import { storageFailure } from './storageFailure.js';
import type { ReadyModel } from './readyModel.js';

/** Milliseconds a session is left in peace after its model could not be asked; `/compact` asks at once. */
const REST_MS = 5 * 60_000;

export interface CompactionDeps extends FactArchiveDeps {
  sessions: Pick<SessionStore, 'open' | 'list'>;
  /** What the card says of the model, where that has to be said. */
  byline(model: ModelInfo): string | undefined;
  /** The agent's home, for messages. */
  home: string;
  newId(): string;
}

interface Work {
  kind: 'fit' | 'archive';
  controller: AbortController;
  done: Promise<boolean>;
}

interface LastPrompt {
  frame: PromptFrame;
  model: ReadyModel;
}

/**
 * When conversations are consolidated, and what people see of it: before a turn, in the background after one, on `/compact`, on `/new`, and the
 * facts alone once a session has been idle. One piece of work a session at a time; a turn waits for what makes room for it, and ends what does
 * not. Nothing of it may keep a turn from running: what fails is said, and the runner leaves out what does not fit.
 */
export class Compaction {
  private readonly working = new Map<string, Work>();
  /** What a person started, so that a process that was started for it can wait. */
  private readonly asked = new Map<string, Promise<boolean>>();
  private readonly prompts = new WeakMap<Conversation, LastPrompt>();
  /** Sessions in which a turn runs. */
  private readonly turning = new Set<string>();
  private readonly restUntil = new Map<string, number>();
  private readonly idle: IdleArchive;
  private readonly facts: FactArchive;
  private readonly closing = new AbortController();

  constructor(private readonly deps: CompactionDeps) {
    const { clock, log, sessions } = deps;
    this.facts = new FactArchive(deps);
    this.idle = new IdleArchive({ clock, log, sessions, archive: (key) => this.archiveIdle(key) });
  }

  /** Whether work on this session is under way. */
  isBusy(key: string): boolean {
    return this.working.has(key);
  }

  /** Resolves when no work on this session is under way. */
  async quiet(key: string): Promise<void> {
    await this.working.get(key)?.done.catch(() => undefined);
  }

  /** Resolves when what a person started in this session is over: with false where it failed. */
  async settled(key: string): Promise<boolean> {
    return (await this.asked.get(key)) ?? true;
  }

  /**
   * Makes room before a turn's first request, and says whether it did. Resolves at once where there is enough, and soon after the signal aborts. Never
   * rejects.
   */
  async beforeTurn(
    conversation: Conversation,
    model: ReadyModel,
    system: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { key, session } = conversation;
    const { clock, consolidator, log } = this.deps;
    this.turning.add(key);
    this.idle.forget(key);
    const before = session.metadata.last_consolidated;
    await this.makeWay(key, signal);
    if (signal.aborted) return false;
    await consolidator.recover(session).catch((cause: unknown) => {
      log.warn(`What an earlier process began to note of the chat ${key} could not be finished: ${String(cause)}`);
    });
    const frame = this.frame(model, system, conversation);
    this.prompts.set(conversation, { frame, model });
    const mayStart = this.deps.mayStart(model.info) && clock.now() >= (this.restUntil.get(key) ?? 0);
    if (mayStart && consolidator.isOver(session, frame)) {
      const ended = this.begin(key, 'fit', (own) => this.fit(conversation, frame, { model, signal: own }));
      await this.orStopped(key, ended, signal);
    }
    return session.metadata.last_consolidated !== before;
  }

  /** Called after every turn. In the background, where it ended well: makes room for the next one, and notes what `/new` left. */
  afterTurn(conversation: Conversation, status: 'done' | 'error' | 'aborted'): void {
    const { key, session } = conversation;
    this.turning.delete(key);
    const last = this.prompts.get(conversation);
    if (this.closing.signal.aborted || !last || !this.deps.mayStart(last.model.info)) return;
    this.idle.turnEnded(key, status === 'done');
    if (status !== 'done' || this.working.has(key) || this.deps.clock.now() < (this.restUntil.get(key) ?? 0)) return;
    if (this.deps.consolidator.isOver(session, last.frame))
      void this.begin(key, 'fit', (signal) => this.fit(conversation, last.frame, { ...last, signal }));
    else if (owedSpans(session).length > 0)
      void this.begin(key, 'archive', async (signal) => !(await this.facts.note(session, last.frame, signal)));
  }

  /** `/compact`: summarises everything but the newest turn, however much room there is. Resolves when it has begun, or was refused. */
  async compact(conversation: Conversation): Promise<void> {
    const { key, session } = conversation;
    if (conversation.running || this.working.get(key)?.kind === 'fit') {
      const words = conversation.running
        ? t('A turn is running. Send /compact again when it is over.')
        : t('That is being done already. Send /compact again when it is over.');
      conversation.notice('command', 'info', words);
      return;
    }
    await this.makeWay(key, this.closing.signal);
    const ended = this.begin(key, 'fit', async (signal) => {
      const lease = await session.acquire();
      if (lease !== 'held') throw new SessionBusy(key, lease.by);
      const [model, system] = await this.facts.modelFor(session, true);
      if ('error' in model) return this.tell(conversation, model.error);
      const frame = this.frame(model, system, conversation);
      return this.fit(conversation, frame, { model, signal, all: true });
    });
    this.remember(
      key,
      ended.catch((cause: unknown) => this.tell(conversation, storageFailure(cause, this.deps.home))),
    );
  }

  /** `/new` in a session that keeps its key: the prompt begins anew at once; what it held is noted in the background. */
  async beginAnew(conversation: Conversation): Promise<void> {
    const { key, session } = conversation;
    await this.end(key);
    await this.deps.consolidator.recover(session);
    await beginAnew(session);
    conversation.cut = {};
    conversation.forgetReads();
    await conversation.refresh();
    this.archiveNow(conversation);
  }

  /** Notes the facts of a conversation that a person has left for another, in the background. */
  archiveNow(conversation: Conversation): void {
    const { key, session } = conversation;
    this.idle.forget(key);
    if (conversation.running || this.working.has(key) || !this.facts.owes(session)) return;
    const noted = this.noteAlone(session, { asked: false }).then((failure) => failure === undefined);
    this.remember(
      key,
      noted.catch(() => false),
    );
  }

  /** Notes the facts of the newest chats at once, because a person wants them read (see `DreamChats`). */
  async noteNow(signal: AbortSignal, begun: () => void): Promise<ErrorInfo | undefined> {
    const { log, sessions, home } = this.deps;
    try {
      const keys = await this.idle.owing();
      if (keys.length === 0) return undefined;
      const model = await this.deps.resolveModel({ watched: true });
      const by = 'error' in model ? undefined : model.info;
      for (const key of keys) {
        const session = await sessions.open(key);
        if (signal.aborted || this.closing.signal.aborted) return undefined;
        if (this.working.get(key)?.kind === 'archive') await this.quiet(key);
        if (this.turning.has(key) || this.working.has(key) || !this.facts.owes(session, by)) continue;
        if ('error' in model) return model.error;
        begun();
        const failure = await this.noteAlone(session, { asked: true, signal });
        if (failure) return failure;
      }
      return undefined;
    } catch (cause) {
      log.warn(`What was said in chats could not be noted: ${String(cause)}`);
      return storageFailure(cause, home);
    }
  }

  /** Before messages from this index on leave the conversation: a summary that covers some of them goes as well. */
  async beforeTakingOut(conversation: Conversation, from: number): Promise<void> {
    await this.end(conversation.key);
    await forgetSummaryOf(conversation.session, from);
  }

  /** Stops what a person sees running. What is done of it stays. */
  stop(key: string): void {
    const work = this.working.get(key);
    if (work?.kind === 'fit') work.controller.abort();
  }

  /** Ends the work on a session and resolves when nothing of it writes any more. */
  async end(key: string): Promise<void> {
    this.idle.forget(key);
    const work = this.working.get(key);
    work?.controller.abort();
    await work?.done.catch(() => undefined);
  }

  /** Ends all work; nothing begins any more. */
  async close(): Promise<void> {
    this.closing.abort();
    this.idle.close();
    await Promise.all([...this.working.keys()].map((key) => this.end(key)));
  }

  /** Runs a piece of work; one at a time a session. */
  private begin(key: string, kind: Work['kind'], run: (signal: AbortSignal) => Promise<boolean>): Promise<boolean> {
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, this.closing.signal]);
    const done = run(signal).finally(() => {
      this.working.delete(key);
    });
    done.catch((cause: unknown) => {
      this.deps.log.error(`The chat ${key} could not be consolidated.`, cause);
    });
    this.working.set(key, { kind, controller, done });
    return done;
  }

  /** Resolves with what kept it from being done, if anything did. */
  private async noteAlone(
    session: Session,
    { asked, signal }: { asked: boolean; signal?: AbortSignal },
  ): Promise<ErrorInfo | undefined> {
    let failure: ErrorInfo | undefined;
    await this.begin(session.key, 'archive', async (own) => {
      const either = signal ? AbortSignal.any([own, signal]) : own;
      failure = await this.facts.noteAlone(session, either, { asked });
      return failure === undefined;
    });
    return failure;
  }

  private remember(key: string, done: Promise<boolean>): void {
    const settled = done.finally(() => {
      if (this.asked.get(key) === settled) this.asked.delete(key);
    });
    this.asked.set(key, settled);
  }

  /** Facts can wait, room cannot: an archive ends, a fit is waited for. */
  private async makeWay(key: string, signal: AbortSignal): Promise<void> {
    const work = this.working.get(key);
    if (work?.kind === 'archive') await this.end(key);
    else if (work) await this.orStopped(key, work.done, signal);
  }

  private async orStopped(key: string, done: Promise<boolean>, signal: AbortSignal): Promise<void> {
    const stop = () => {
      this.stop(key);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    await done.catch(() => undefined);
    signal.removeEventListener('abort', stop);
  }

  private async fit(
    conversation: Conversation,
    frame: PromptFrame,
    { model, signal, all }: { model: ReadyModel; signal: AbortSignal; all?: boolean },
  ): Promise<boolean> {
    const by = this.deps.byline(model.info);
    const card = {
      id: this.deps.newId(),
      after: newestArticle(conversation.session)?.id ?? '',
      at: this.deps.clock.now(),
      ...(by === undefined ? {} : { by }),
    };
    const show = (more: Pick<Card, 'status' | 'messages' | 'error'>) => {
      conversation.emit({ type: 'compaction', ...card, ...more });
    };
    const onRound = (messages: number) => {
      show({ status: 'running', messages });
    };
    let outcome: CompactionOutcome;
    try {
      const options = { signal, card, onRound, ...(all ? { all } : {}) };
      outcome = await this.deps.consolidator.fit(conversation.session, frame, options);
    } catch (cause) {
      const error = storageFailure(cause, this.deps.home);
      outcome = { kind: 'failed', error, rounds: 0, messages: 0, raw: 0 };
    }
    if (outcome.kind === 'fits') {
      if (all)
        conversation.notice('command', 'info', t('There is nothing to summarise: only the newest turn is there.'));
      return true;
    }
    if (outcome.rounds > 0) {
      const first = this.deps.consolidator.firstToSend(conversation.session, frame);
      conversation.cut = first === undefined ? {} : { from: first };
      conversation.forgetReads();
    }
    if (outcome.kind === 'failed') this.restUntil.set(conversation.key, this.deps.clock.now() + REST_MS);
    const done = outcome.rounds > 0 && outcome.kind !== 'failed' ? compactionOf(conversation.session) : null;
    if (done) conversation.emit({ type: 'compaction', ...done });
    else show({ status: 'failed', messages: outcome.messages, error: failureOf(outcome) });
    return outcome.kind === 'done';
  }

  /** Must not reject: nobody waits for it. */
  private async archiveIdle(key: string): Promise<Archived> {
    if (this.closing.signal.aborted || this.turning.has(key)) return 'nothing';
    try {
      const session = await this.deps.sessions.open(key);
      if (this.working.has(key) || !this.facts.owes(session)) return 'nothing';
      return (await this.noteAlone(session, { asked: false })) ? 'failed' : 'noted';
    } catch (cause) {
      this.deps.log.warn(`The facts of the chat ${key} were not noted: ${String(cause)}`);
      return 'failed';
    }
  }

  private frame(model: ReadyModel, system: string, conversation: Conversation): PromptFrame {
    const { key: sessionKey, refusedImages } = conversation;
    return promptFrame(this.deps, model, {
      sessionKey,
      system,
      refusedImages,
      waiting: (event, cancel) => {
        if (!conversation.running) return;
        conversation.running.cancelWait = cancel;
        conversation.emit(event);
      },
    });
  }

  private tell(conversation: Conversation, { message, next }: ErrorInfo): false {
    conversation.notice('command', 'warning', t('Nothing was summarised. {0}', message), next);
    return false;
  }
}

function newestArticle(session: Session): StoredMessage | undefined {
  return session.visible().findLast((message) => message.role !== 'tool');
}

function failureOf(outcome: Exclude<CompactionOutcome, { kind: 'fits' }>): ErrorInfo {
  if (outcome.kind !== 'failed')
    return { code: 'stopped', message: t('Stopped before anything was summarised.'), next: [] };
  const { code, message, next } = outcome.error;
  return {
    code,
    message: t(
      'Earlier messages could not be summarised. They stay in the chat; what does not fit is left out of requests, the oldest first. ({0})',
      message,
    ),
    next: next.filter((step) => step !== 'retry' && step !== 'newChat'),
  };
}
