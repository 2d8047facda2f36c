import { t } from '@vscode/l10n';
import type { ErrorInfo, StoredMessage, Usage } from '../protocol/message.js';
import type { ModelAnswer } from '../providers/provider.js';
import { isBlank, nextAnswer, type Answered } from './answer.js';
import { errorInfo } from './errorInfo.js';
import { LoopGuard } from './loopGuard.js';
import { isClosing, timestamp, type Run, type RunHooks, type RunResult, type RunSpec } from './run.js';
import { runCalls } from './toolCalls.js';
import { tokensIn } from './usage.js';

const WRAP_UP =
  'You have used all steps of this turn. Without tools: say what is done, what remains, and the next step.';

function blank(): ErrorInfo {
  const message = t('The model gave no answer, also when asked again. Retry, or switch to another model.');
  return { code: 'blank', message, next: ['retry', 'switchModel'] };
}

function looping(): ErrorInfo {
  const message = t(
    'The model made the same call with the same result five times in a row, so the turn was ended. Say what it should do differently.',
  );
  return { code: 'loop', message, next: ['retry', 'switchModel'] };
}

function outOfTokens(): ErrorInfo {
  const message = t(
    'This turn has used its token budget (nanobot.maxTurnTokens). Continue goes on with as much again; so does a message.',
  );
  return { code: 'turn_budget', message, next: ['continue', 'openSettings'] };
}

/**
 * Model ↔ tools until the model has nothing more to do: a function with hooks, which holds no policy. Resolves with how it ended; rejects only
 * where a hook that stores messages rejects, since nothing may be shown as finished that is not on disk.
 */
export async function runAgent(spec: RunSpec, hooks: RunHooks, options: { signal: AbortSignal }): Promise<RunResult> {
  const usage: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  const run: Run = {
    spec,
    hooks,
    signal: options.signal,
    messages: [...spec.messages],
    usage,
    cut: spec.cut,
    steps: 0,
  };
  const guard = new LoopGuard();
  while (run.steps < spec.maxIterations) {
    hooks.emit({ type: 'turn_step', steps: ++run.steps });
    const answered = await nextAnswer(run);
    const failure = failureOf(run, answered.answer);
    await store(run, answered, failure);
    if (failure) return result(run, failure.status, answered.answer.text, failure.error);
    const calls = answered.answer.toolCalls;
    if (calls.length > 0 && (await runCalls(run, calls, guard))) return endWith(run, looping());
    if (run.signal.aborted) return result(run, 'aborted', answered.answer.text);
    const steering = await hooks.steer();
    run.messages.push(...steering);
    if (calls.length === 0 && steering.length === 0) return result(run, 'done', answered.answer.text);
    const spent = overBudget(run);
    if (spent) return endWith(run, spent);
  }
  return wrapUp(run);
}

interface Failure {
  status: 'error' | 'aborted';
  error?: ErrorInfo;
}

function failureOf(run: Run, answer: ModelAnswer): Failure | undefined {
  if (run.signal.aborted || answer.stopReason === 'aborted') return { status: 'aborted' };
  if (answer.stopReason === 'error') {
    const error = answer.error ?? {
      code: 'server' as const,
      message: t('The model failed without a reason.'),
      retryable: true,
    };
    return { status: 'error', error: errorInfo(error) };
  }
  return isBlank(answer) ? { status: 'error', error: blank() } : undefined;
}

/** Puts an answer on disk, then announces it as finished. Calls of a failed or stopped answer are left out: they will not run. */
async function store(run: Run, { id, answer }: Answered, failure: Failure | undefined): Promise<void> {
  const calls = failure ? [] : answer.toolCalls;
  const message: StoredMessage = {
    role: 'assistant',
    content: answer.text,
    timestamp: timestamp(run),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(answer.reasoning ? { reasoning_content: answer.reasoning } : {}),
    ...(answer.thinkingBlocks ? { thinking_blocks: answer.thinkingBlocks } : {}),
    ...(answer.extra ? { extra_content: answer.extra } : {}),
    id,
    turn_id: run.spec.turnId,
    model: answer.model,
    ...(answer.usage ? { usage: answer.usage } : {}),
    ...(failure ? { status: failure.status } : {}),
    ...(failure?.error ? { error: failure.error } : {}),
    ...(failure?.status === 'aborted' && isClosing(run) ? { interrupted: true } : {}),
  };
  await run.hooks.append(message);
  run.messages.push(message);
  for (const call of failure ? answer.toolCalls : []) {
    const summary = t('{0}: not run', call.function.name);
    run.hooks.emit({ type: 'tool_end', callId: call.id, status: 'aborted', summary, ms: 0, output: '' });
  }
  run.hooks.emit({
    type: 'message_end',
    id,
    status: failure?.status ?? 'done',
    ...(failure?.error ? { error: failure.error } : {}),
  });
}

/** What ends the turn where a budget is used up. A turn whose cost is not known has none that could be. */
function overBudget(run: Run): ErrorInfo | undefined {
  const { maxTurnTokens, maxTurnCost = 0 } = run.spec;
  const { cost } = run.usage;
  if (maxTurnTokens > 0 && tokensIn(run.usage) >= maxTurnTokens) return outOfTokens();
  if (maxTurnCost <= 0 || cost === undefined || cost < maxTurnCost) return undefined;
  const message = t(
    'This turn has cost about ${0} and so used its budget of ${1} (nanobot.maxTurnCost). Continue goes on with as much again; so does a message.',
    cost.toFixed(cost < 0.01 ? 4 : 2),
    maxTurnCost,
  );
  return { code: 'turn_cost', message, next: ['continue', 'openSettings'] };
}

/** Ends the turn with a message of ours, for the person only. */
async function endWith(run: Run, error: ErrorInfo): Promise<RunResult> {
  const id = run.hooks.newId();
  run.hooks.emit({ type: 'message_start', id, at: run.hooks.clock.now() });
  await store(
    run,
    { id, answer: { text: '', toolCalls: [], stopReason: 'error', model: '' } },
    { status: 'error', error },
  );
  return result(run, 'error', '', error);
}

async function wrapUp(run: Run): Promise<RunResult> {
  const answered = await nextAnswer(run, { words: WRAP_UP });
  if (isBlank(answered.answer)) {
    answered.answer.text = t(
      'I have used all {0} steps of this turn. Send a message to go on.',
      run.spec.maxIterations,
    );
    run.hooks.emit({ type: 'text', text: answered.answer.text });
  }
  const failure = failureOf(run, answered.answer);
  await store(run, answered, failure);
  return result(run, failure?.status ?? 'done', answered.answer.text, failure?.error);
}

function result(run: Run, status: RunResult['status'], text: string, error?: ErrorInfo): RunResult {
  return { status, usage: run.usage, steps: run.steps, text, cut: run.cut, ...(error ? { error } : {}) };
}
