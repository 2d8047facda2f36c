import { t } from '@vscode/l10n';
import type { SummaryAnswer } from '../memory/consolidator.js';
import type { SummaryRequest } from '../memory/summaryRequest.js';
import type { Clock } from '../platform/ports.js';
import type { AgentEvent } from '../protocol/event.js';
import type { StoredMessage } from '../protocol/message.js';
import type { ModelAnswer, ModelRequest } from '../providers/provider.js';
import { errorInfo } from '../runner/errorInfo.js';
import type { ReadyModel, StreamOptions } from './readyModel.js';

export interface AskOptions extends Omit<StreamOptions, 'onWait'> {
  sessionKey: string;
  clock: Clock;
  /** Told of waits before a retry, with what ends one at once. */
  waiting?(event: Extract<AgentEvent, { type: 'retry_wait' | 'retry_end' }>, cancel: () => void): void;
}

/**
 * Asks the session's model for facts and summary, with the retries and fallbacks of a turn. The tools stay callable, since the request would not
 * begin like a turn's otherwise and the provider's cache would miss; a model that calls one in place of answering is asked again in words only.
 * Never rejects; a stopped request is an error.
 */
export async function askSummary(
  model: ReadyModel,
  request: SummaryRequest,
  options: AskOptions,
): Promise<SummaryAnswer> {
  const { system, messages, tools, maxTokens, instruction } = request;
  const last: StoredMessage = {
    role: 'user',
    content: instruction,
    timestamp: new Date(options.clock.now()).toISOString(),
  };
  const whole: ModelRequest = {
    system,
    messages: [...messages, last],
    tools,
    maxTokens,
    sessionKey: options.sessionKey,
  };
  let answer = await answerOf(model, whole, options);
  if (answer.toolCalls.length > 0 && answer.text.trim() === '' && !options.signal.aborted)
    answer = await answerOf(model, { ...whole, toolChoice: 'none' }, options);
  if (answer.stopReason === 'error' || answer.stopReason === 'aborted') {
    const reason = { code: 'server' as const, message: t('The model failed without a reason.'), retryable: true };
    return { error: errorInfo(answer.error ?? reason) };
  }
  return { text: answer.text, complete: answer.stopReason !== 'length' };
}

async function answerOf(model: ReadyModel, request: ModelRequest, options: AskOptions): Promise<ModelAnswer> {
  let cancel = () => {};
  const stream = model.stream(request, {
    signal: options.signal,
    refusedImages: options.refusedImages,
    onWait: (end) => (cancel = end),
  });
  for await (const event of stream) {
    if (event.type === 'end') return event.answer;
    if (event.type === 'wait') {
      const { until, attempt, reason } = event;
      options.waiting?.({ type: 'retry_wait', until, attempt, reason }, cancel);
    } else if (event.type === 'wait_end') options.waiting?.({ type: 'retry_end' }, () => undefined);
  }
  throw new Error('The provider ended its stream without an end event.');
}
