import { t } from '@vscode/l10n';
import type { Clock } from '../../platform/ports.js';
import type { ErrorInfo, StoredMessage } from '../../protocol/message.js';
import type { ModelRequest } from '../../providers/provider.js';
import { ToolRegistry, specOf } from '../../runner/registry.js';
import type { RunHooks, RunStreamEvent } from '../../runner/run.js';
import { runAgent } from '../../runner/runner.js';
import { ToolError, type Tool, type ToolContext } from '../../runner/tool.js';
import { tokensIn } from '../../runner/usage.js';
import { estimateMessage, estimateText } from '../tokens.js';
import type { DreamModel } from './ports.js';

const SESSION = 'dream';
/** Failures that come from what was sent or answered, and would come again with the same batch. All others are the model's or the network's. */
const OF_THE_BATCH = new Set(['context_length', 'refused', 'blank']);

/** Tokens that one run may use, sent and received. */
export const RUN_TOKENS = 60_000;

/** The tokens of one run, both phases together. */
export class Budget {
  used = 0;
  /** True once a request was not sent because it would have gone over the limit. */
  spent = false;

  constructor(readonly limit: number) {}

  get left(): number {
    return Math.max(0, this.limit - this.used);
  }
}

export interface PhaseDeps {
  model: DreamModel;
  clock: Clock;
  newId(): string;
  signal: AbortSignal;
  budget: Budget;
}

/** One phase: what the model is told, and what it may do. */
export interface PhaseSpec {
  system: string;
  words: string;
  tools: Tool[];
  maxIterations: number;
}

export type PhaseResult =
  | { status: 'done'; text: string }
  | { status: 'aborted' }
  /** `ofTheBatch`: asking the same again would fail again. */
  | { status: 'failed'; error: ErrorInfo; ofTheBatch: boolean };

/** Runs one phase to its end. Resolves with `failed` also where the steps or the tokens were used up: it was then not completed. */
export async function runPhase(deps: PhaseDeps, spec: PhaseSpec): Promise<PhaseResult> {
  const { model, budget, signal, clock } = deps;
  const tools = new ToolRegistry();
  tools.register(...spec.tools);
  let stepsWithCalls = 0;
  const fixedTokens = estimateText(spec.system) + estimateText(JSON.stringify(spec.tools.map(specOf)));
  const turnId = deps.newId();
  const result = await runAgent(
    {
      sessionKey: SESSION,
      turnId,
      system: spec.system,
      messages: [
        {
          role: 'user',
          content: spec.words,
          timestamp: new Date(clock.now()).toISOString(),
          id: deps.newId(),
          turn_id: turnId,
        },
      ],
      tools,
      maxTokens: model.maxTokens,
      contextWindow: model.contextWindow,
      maxIterations: spec.maxIterations,
      maxTurnTokens: 0,
      cut: {},
      estimate: estimateMessage,
      fixedTokens,
    },
    hooksOf(deps, turnId, (message) => {
      if ((message.tool_calls?.length ?? 0) > 0) stepsWithCalls++;
    }),
    { signal },
  );
  if (result.status === 'aborted') return { status: 'aborted' };
  if (budget.spent) {
    const whole = budget.limit >= RUN_TOKENS;
    const reason = whole
      ? t('It would have taken more than the {0} tokens that a run has.', budget.limit)
      : t('It would have taken more than the {0} tokens that are left for today.', budget.limit);
    return failed('budget', reason, whole);
  }
  if (result.error?.code === 'loop') {
    return failed('loop', t('The model made the same call with the same result again and again.'), true);
  }
  if (result.error) return { status: 'failed', error: result.error, ofTheBatch: OF_THE_BATCH.has(result.error.code) };
  if (stepsWithCalls >= spec.maxIterations) {
    return failed('steps', t('The model was not done after {0} steps.', spec.maxIterations), true);
  }
  return { status: 'done', text: result.text };
}

function failed(code: string, message: string, ofTheBatch: boolean): PhaseResult {
  return { status: 'failed', error: { code, message, next: ['openLog'] }, ofTheBatch };
}

/** Nothing of a phase is stored or shown: what counts is the list of findings, and what the files say in the end. */
function hooksOf(deps: PhaseDeps, turnId: string, noteAppended: (message: StoredMessage) => void): RunHooks {
  const { model, budget, clock, newId, signal } = deps;
  return {
    stream: (request, streamSignal) =>
      budget.used + weightOf(request) > budget.limit ? overBudget(budget) : model.stream(request, streamSignal),
    append: (message) => {
      noteAppended(message);
      return Promise.resolve();
    },
    emit: () => undefined,
    approve: () => Promise.resolve({ allow: true }),
    toolContext: (callId) => toolContext(callId, turnId, signal),
    steer: () => Promise.resolve([]),
    spill: () => Promise.reject(new Error('Dream keeps no long results.')),
    used: (usage, request) => {
      budget.used += usage ? tokensIn(usage) : weightOf(request);
    },
    newId,
    clock,
  };
}

async function* overBudget(budget: Budget): AsyncGenerator<RunStreamEvent> {
  budget.spent = true;
  yield {
    type: 'end',
    answer: {
      text: '',
      toolCalls: [],
      stopReason: 'error',
      model: '',
      error: { code: 'quota', message: 'The tokens of this run are used up.', retryable: false },
    },
  };
  await Promise.resolve();
}

function weightOf(request: ModelRequest): number {
  const messages = request.messages.reduce((sum, message) => sum + estimateMessage(message), 0);
  return estimateText(request.system) + messages + estimateText(JSON.stringify(request.tools));
}

function toolContext(callId: string, turnId: string, signal: AbortSignal): ToolContext {
  const nobody = () => Promise.reject(new ToolError('Nobody is watching, so nothing can be asked.'));
  return {
    sessionKey: SESSION,
    turnId,
    callId,
    signal,
    watched: false,
    reads: { note: () => undefined, forget: () => undefined, check: () => 'fresh' },
    update: () => undefined,
    beforeChange: () => Promise.resolve(),
    amended: () => undefined,
    markUntrusted: () => undefined,
    isUntrusted: () => false,
    ask: nobody,
    setTodo: () => undefined,
    askSave: nobody,
  };
}
