import { t } from '@vscode/l10n';
import type { Settings } from '../config/schema.js';
import { summaryNote } from '../memory/sessionMarks.js';
import type { TokenCounter } from '../memory/tokenCounter.js';
import { estimateMessage, estimateText, shareTokens } from '../memory/tokens.js';
import type { Clock, Log, Workspace } from '../platform/ports.js';
import type { ErrorInfo, NextStep, StoredMessage, Usage } from '../protocol/message.js';
import type { ModelRequest } from '../providers/provider.js';
import { LEFT_OUT } from '../runner/govern.js';
import { specOf, type ToolRegistry } from '../runner/registry.js';
import type { RunHooks } from '../runner/run.js';
import { runAgent } from '../runner/runner.js';
import type { ToolContext } from '../runner/tool.js';
import type { Spill } from '../runner/toolCalls.js';
import type { ContextBuilder, SystemPrompt } from './context.js';
import type { Compaction } from './compaction.js';
import { contextUsage, weigh } from './contextMeter.js';
import type { Conversation, TurnSnapshots } from './conversation.js';
import { shownAs, tuningOf } from './modelChoice.js';
import type { PartialDeps } from './partialAnswer.js';
import { limitsOf } from './promptFrame.js';
import { storageFailure } from './storageFailure.js';
import type { ReadyModel } from './readyModel.js';
import { profileOf } from './subagentRecord.js';
import { TurnAsking, type AskingDeps } from './turnAsking.js';
import { turnTokens } from './turnBudget.js';
import { userMessage } from './userMessage.js';

export interface TurnDeps extends AskingDeps {
  context: ContextBuilder;
  tools: ToolRegistry;
  snapshots: TurnSnapshots;
  workspace: Pick<Workspace, 'folders'>;
  tokens: Pick<TokenCounter, 'ready' | 'count' | 'ratio' | 'correct'>;
  compaction: Pick<Compaction, 'beforeTurn'>;
  clock: Clock;
  log: Log;
  settings(): Settings;
  /** Lets tools that come from elsewhere get ready; takes no longer than a turn may be kept waiting, and never rejects. */
  prepareTools(options: { watched: boolean; signal: AbortSignal }): Promise<void>;
  /** `model` in place of the one that is set. */
  resolveModel(options: { watched: boolean; model?: string }): Promise<ReadyModel | { error: ErrorInfo }>;
  spill: Spill;
  /** The agent's home. */
  home: string;
  /** The folder that a session which begins now belongs to. */
  folder(): string | undefined;
  files: PartialDeps['files'];
}

/**
 * The share of the window from which on messages are counted and not only estimated. The tokenizer is a thread of some 40 MB: a conversation that
 * is far from its window needs no exact number.
 */
const COUNT_FROM = 1 / 4;

/** One turn as it was asked for. */
export interface TurnRequest {
  turnId: string;
  channel: string;
  watched: boolean;
  controller: AbortController;
}

/**
 * Runs one turn of a conversation whose newest stored message is the person's (or which was interrupted): builds the context, runs the model
 * with its tools, stores and announces what comes. Resolves with how it ended; every failure that a person can do something about ends as a
 * message in the conversation.
 */
export async function runTurn(
  conversation: Conversation,
  request: TurnRequest,
  deps: TurnDeps,
): Promise<'done' | 'error' | 'aborted'> {
  return new Turn(conversation, request, deps).run();
}

class Turn {
  private readonly signal: AbortSignal;
  private readonly asking: TurnAsking;
  private untrusted: boolean;
  private readonly wroteFromUntrusted: string[] = [];
  private usage: Usage | undefined;
  private readonly untrustedCalls = new Set<string>();
  /** Stands for what was summarised, before everything else that is sent. */
  private note: StoredMessage[] = [];
  /** Whether the conversation has grown so far that it matters what its messages weigh exactly. */
  private counting = false;

  constructor(
    private readonly conversation: Conversation,
    private readonly request: TurnRequest,
    private readonly deps: TurnDeps,
  ) {
    this.signal = request.controller.signal;
    this.asking = new TurnAsking(conversation, request, deps, () => ({
      untrusted: this.untrusted,
      wroteFromUntrusted: this.wroteFromUntrusted,
    }));
    this.untrusted = hasUntrusted(conversation.session.messages, request.turnId);
  }

  async run(): Promise<'done' | 'error' | 'aborted'> {
    const { conversation, request, deps } = this;
    const started = deps.clock.now();
    conversation.emit({ type: 'turn_start', turnId: request.turnId, at: started });
    let status: 'done' | 'error' | 'aborted' = 'error';
    try {
      status = await this.answer();
    } catch (cause) {
      deps.log.error('The turn failed.', cause);
      this.failedToStore(cause);
    }
    const { changes } = await deps.snapshots.finish(request.turnId).catch(() => ({ changes: [] }));
    conversation.emit({
      type: 'turn_end',
      turnId: request.turnId,
      status,
      ms: deps.clock.now() - started,
      ...(this.usage ? { usage: this.usage } : {}),
      ...(changes.length > 0 ? { changes } : {}),
    });
    if (this.counting) void deps.tokens.count(conversation.session.forModel(conversation.cut.from));
    return status;
  }

  private async answer(): Promise<'done' | 'error' | 'aborted'> {
    const { conversation, deps, request } = this;
    const profile = profileOf(conversation.session);
    const { choice } = conversation;
    const wanted = profile?.model ?? choice.model;
    const channel = profile?.channel ?? request.channel;
    const [model, promptBefore] = await Promise.all([
      deps.resolveModel({ watched: request.watched, ...(wanted ? { model: wanted } : {}) }),
      deps.context.system(channel),
      deps.tokens.ready(),
      deps.prepareTools({ watched: request.watched, signal: this.signal }),
    ]);
    if ('error' in model) return this.refuse(model.error);
    const tuning = tuningOf(deps.settings(), choice);
    conversation.announceModel(shownAs(model.info, choice, tuning.thinking));
    const madeRoom = await deps.compaction.beforeTurn(conversation, model, promptBefore.text, this.signal);
    // What was noted stands in the prompt from now on: with it already in this turn, the next one begins the same.
    const system = madeRoom ? await deps.context.system(channel) : promptBefore;
    this.note = [summaryNote(conversation.session)].filter((note) => note !== undefined);
    const settings = deps.settings();
    const toolTokens = estimateText(JSON.stringify(deps.tools.for(conversation.key).map(specOf)));
    const { contextWindow, maxTokens } = limitsOf(settings, model.info);
    const inItsTokens = (estimate: number) => Math.ceil(estimate * deps.tokens.ratio(model.info.id));
    const result = await runAgent(
      {
        sessionKey: conversation.key,
        turnId: request.turnId,
        system: system.text,
        messages: conversation.session.forModel(conversation.cut.from),
        tools: deps.tools,
        maxTokens,
        ...tuning,
        contextWindow,
        maxIterations: Math.min(settings.maxToolIterations, profile?.maxIterations ?? Infinity),
        maxTurnTokens: turnTokens(settings.maxTurnTokens, conversation.key, request.watched, profile?.allowance),
        maxTurnCost: settings.maxTurnCost,
        cut: conversation.cut,
        estimate: (message) => inItsTokens(estimateMessage(message)),
        fixedTokens: inItsTokens(
          this.note.reduce((sum, note) => sum + estimateMessage(note), estimateText(system.text) + toolTokens),
        ),
      },
      this.hooks(model, system, toolTokens, contextWindow),
      { signal: this.signal },
    );
    conversation.cut = result.cut;
    this.usage = result.usage;
    return result.status;
  }

  private hooks(model: ReadyModel, system: SystemPrompt, toolTokens: number, window: number): RunHooks {
    const { conversation, deps, request } = this;
    return {
      stream: (modelRequest, signal) => {
        const leftOut = modelRequest.messages.findLast((message) => message.content === LEFT_OUT);
        conversation.noteWindow(`${modelRequest.messages[0]?.id ?? ''} ${leftOut?.id ?? ''}`);
        return model.stream(this.withNote(modelRequest), {
          signal,
          onWait: (cancel) => {
            if (conversation.running) conversation.running.cancelWait = cancel;
          },
          refusedImages: conversation.refusedImages,
        });
      },
      append: (message) => this.append(message),
      emit: (event) => {
        conversation.emit(event);
      },
      approve: (tool, _args, accesses, callId) => this.asking.approve(tool, accesses, callId),
      toolContext: (callId) => this.toolContext(callId),
      steer: () => this.steer(),
      spill: (callId, text) =>
        deps.spill(`${request.turnId}-${callId}`, text, { outside: this.untrustedCalls.has(callId) }),
      used: (usage, sent, fallback) => {
        const id = fallback ?? model.info.id;
        const weight = weigh(this.withNote(sent), system, toolTokens);
        if (usage && !usage.estimated) deps.tokens.correct(id, weight.total, usage.inputTokens);
        const context = contextUsage(weight, { usage, ratio: deps.tokens.ratio(id), window });
        this.counting = context.used >= window * COUNT_FROM;
        conversation.emit({ type: 'context', usage: context });
      },
      newId: deps.newId,
      clock: deps.clock,
    };
  }

  private withNote(request: ModelRequest): ModelRequest {
    return this.note.length === 0 ? request : { ...request, messages: [...this.note, ...request.messages] };
  }

  private async append(message: StoredMessage): Promise<void> {
    const isUntrusted = message.tool_call_id !== undefined && this.untrustedCalls.has(message.tool_call_id);
    const [stored] = await this.conversation.append([isUntrusted ? { ...message, untrusted: true } : message]);
    if (stored) shareTokens(message, stored);
    if (this.counting) void this.deps.tokens.count([message]);
  }

  /** What the person sent meanwhile becomes part of the conversation: on disk first, then out of the queue. */
  private async steer(): Promise<StoredMessage[]> {
    const { conversation, deps, request } = this;
    const queued = conversation.state.queue.filter((entry) => entry.armed);
    const messages: StoredMessage[] = [];
    for (const { armed: _armed, ...message } of queued) messages.push(await userMessage(deps, message, request));
    if (messages.length === 0) return [];
    this.untrusted ||= messages.some((message) => message.untrusted === true);
    await conversation.append(messages);
    for (const message of queued) conversation.announceMessage(message, deps.clock.now());
    await conversation.dequeue(queued.map((entry) => entry.id));
    return messages;
  }

  private toolContext(callId: string): ToolContext {
    const { conversation, deps, request, signal } = this;
    return {
      sessionKey: conversation.key,
      turnId: request.turnId,
      callId,
      signal,
      watched: request.watched,
      reads: conversation.reads,
      update: (tail) => {
        conversation.emit({ type: 'tool_update', callId, tail });
      },
      beforeChange: async (path, from) => {
        await deps.snapshots.before(profileOf(conversation.session)?.changesOf ?? request.turnId, path, from);
        if (this.untrusted) this.wroteFromUntrusted.push(path);
      },
      amended: (path) => this.asking.amended(callId, path),
      markUntrusted: () => {
        this.untrusted = true;
        this.untrustedCalls.add(callId);
      },
      isUntrusted: () => this.untrusted,
      ask: (question) => this.asking.ask(callId, question.text, question.options),
      setTodo: (items) => {
        conversation.emit({ type: 'todo', items });
      },
      askSave: (files) => this.asking.askSave(callId, files),
    };
  }

  /** Ends a turn that could not begin with a message that says why and what to do; stored, so that it is there after a reload. */
  private async refuse(error: ErrorInfo): Promise<'error'> {
    const { conversation, deps, request } = this;
    const id = deps.newId();
    conversation.emit({ type: 'message_start', id, at: deps.clock.now() });
    await conversation.append([
      {
        role: 'assistant',
        content: '',
        timestamp: new Date(deps.clock.now()).toISOString(),
        id,
        turn_id: request.turnId,
        status: 'error',
        error,
      },
    ]);
    conversation.emit({ type: 'message_end', id, status: 'error', error });
    return 'error';
  }

  /**
   * The disk refused, or the chat went to another window: what cannot be stored is not shown as finished, and nothing is left running. The turn
   * counts as interrupted, so the next step is to go on with it.
   */
  private failedToStore(cause: unknown): void {
    const { conversation, request, deps } = this;
    request.controller.abort();
    for (const part of conversation.state.messages.flatMap((message) => message.parts)) {
      if (part.kind !== 'tool' || (part.status !== 'running' && part.status !== 'waiting')) continue;
      const { callId, summary } = part;
      conversation.emit({
        type: 'tool_end',
        callId,
        status: 'aborted',
        summary,
        ms: 0,
        output: t('Its result was not saved.'),
      });
    }
    const failure = storageFailure(cause, deps.home);
    const next: NextStep[] = failure.code === 'storage' ? ['resume', ...failure.next] : failure.next;
    const error: ErrorInfo = { code: failure.code, message: t('The turn ended: {0}', failure.message), next };
    const last = conversation.state.messages.at(-1);
    if (last?.role === 'assistant' && last.status === 'streaming') {
      conversation.emit({ type: 'message_end', id: last.id, status: 'error', error });
    } else conversation.notice('storage', 'error', error.message, error.next);
  }
}

/** Whether text from outside is among what is stored of a turn: one that is gone on with or made anew, or that such a message began. */
function hasUntrusted(messages: readonly StoredMessage[], turnId: string): boolean {
  // An answer that is made anew belongs to another turn than what it answers.
  const turns = new Set([turnId, messages.at(-1)?.turn_id]);
  for (let at = messages.length - 1; at >= 0 && turns.has(messages[at]?.turn_id); at--) {
    if (messages[at]?.untrusted) return true;
  }
  return false;
}
