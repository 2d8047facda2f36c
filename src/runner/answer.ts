import { t } from '@vscode/l10n';
import type { StoredMessage, ToolCall } from '../protocol/message.js';
import type { ModelAnswer, ModelRequest } from '../providers/provider.js';
import { fitWindow, fromCut, govern } from './govern.js';
import { specOf } from './registry.js';
import { timestamp, type Run } from './run.js';
import { sumOf } from '../protocol/usage.js';

/** How often an answer that was cut off by its length limit is continued. */
const MAX_CONTINUATIONS = 3;

const CONTINUE =
  'Your answer was cut off by the length limit. Continue exactly where it stopped, without repeating anything.';
const CONTINUE_CALL =
  'Your answer was cut off by the length limit in the middle of a tool call, which was not run. Make it again in smaller pieces.';

/** An answer, possibly of several requests, under one message id. */
export interface Answered {
  id: string;
  answer: ModelAnswer;
}

/**
 * Gets the next answer: governs and fits the transcript, streams, continues what was cut off (joined into one message, its unfinished tool
 * calls never run) and asks again after a blank answer, at last without tools. Announces the message's start and text, not its end: the caller
 * does that once the message is on disk.
 */
export async function nextAnswer(run: Run, options: { words?: string } = {}): Promise<Answered> {
  const id = run.hooks.newId();
  run.hooks.emit({ type: 'message_start', id, at: run.hooks.clock.now() });
  const extra = options.words === undefined ? [] : [instruction(run, options.words)];
  const inWords = options.words !== undefined;
  let answer = await complete(run, id, extra, inWords);
  if (isBlank(answer) && !run.signal.aborted) {
    run.hooks.emit({ type: 'message_reset', id });
    answer = await complete(run, id, extra, inWords);
  }
  if (isBlank(answer) && !inWords && !run.signal.aborted) {
    run.hooks.emit({ type: 'message_reset', id });
    answer = await complete(run, id, [instruction(run, 'Answer in words now.')], true);
  }
  return { id, answer };
}

/** Whether an answer holds nothing a person or the loop could use. */
export function isBlank(answer: ModelAnswer): boolean {
  const failed = answer.stopReason === 'error' || answer.stopReason === 'aborted';
  return !failed && answer.text.trim() === '' && answer.toolCalls.length === 0;
}

async function complete(run: Run, id: string, extra: StoredMessage[], inWords: boolean): Promise<ModelAnswer> {
  let answer = await streamOnce(run, id, buildRequest(run, extra, inWords));
  let text = answer.text;
  for (let n = 0; n < MAX_CONTINUATIONS && answer.stopReason === 'length' && !run.signal.aborted; n++) {
    const cutCalls = answer.toolCalls.length > 0;
    dropCalls(run, answer.toolCalls);
    const tail: StoredMessage[] = text === '' ? [] : [{ role: 'assistant', content: text, timestamp: timestamp(run) }];
    const ask = instruction(run, cutCalls ? CONTINUE_CALL : CONTINUE);
    answer = await streamOnce(run, id, buildRequest(run, [...extra, ...tail, ask], inWords));
    text += answer.text;
  }
  if (answer.stopReason === 'length') dropCalls(run, answer.toolCalls);
  const calls = answer.stopReason === 'length' || inWords ? [] : answer.toolCalls;
  return { ...answer, text, toolCalls: calls };
}

/** Takes what the page was told of a cut-off call back to a settled state. */
function dropCalls(run: Run, calls: ToolCall[]): void {
  for (const call of calls) {
    run.hooks.emit({
      type: 'tool_end',
      callId: call.id,
      status: 'error',
      summary: t('{0}: cut off before it was complete, not run', call.function.name),
      ms: 0,
      output: '',
    });
  }
}

/** Some models use the same call id in every answer; results find their call by it, so it has to be unique in the transcript. */
class CallIds {
  private readonly used: Set<string>;
  private readonly given = new Map<string, string>();

  constructor(private readonly run: Run) {
    this.used = new Set(run.messages.flatMap((message) => message.tool_calls ?? []).map((call) => call.id));
  }

  /** The id under which a call is known from its announcement on; the same for the same call of this answer. */
  of(id: string): string {
    const known = this.given.get(id);
    if (known !== undefined) return known;
    const unique = this.used.has(id) ? `${id}-${this.run.hooks.newId()}` : id;
    this.used.add(unique);
    this.given.set(id, unique);
    return unique;
  }
}

function instruction(run: Run, text: string): StoredMessage {
  return { role: 'user', content: text, timestamp: timestamp(run) };
}

function buildRequest(run: Run, extra: StoredMessage[], inWords: boolean): ModelRequest {
  const { spec } = run;
  const governed = govern(fromCut(run.messages, run.cut));
  const budget = spec.contextWindow - spec.maxTokens - 1024 - spec.fixedTokens;
  const fitted = fitWindow(governed, Math.max(budget, 1024), run.cut, (message) => spec.estimate(message));
  run.cut = fitted.cut;
  return {
    system: spec.system,
    messages: [...fitted.messages, ...extra],
    tools: spec.tools.for(spec.sessionKey).map(specOf),
    ...(inWords ? { toolChoice: 'none' as const } : {}),
    maxTokens: spec.maxTokens,
    ...(spec.temperature === undefined ? {} : { temperature: spec.temperature }),
    ...(spec.thinking === undefined ? {} : { thinking: spec.thinking }),
    sessionKey: spec.sessionKey,
  };
}

async function streamOnce(run: Run, id: string, request: ModelRequest): Promise<ModelAnswer> {
  const { hooks } = run;
  const ids = new CallIds(run);
  let ended: ModelAnswer | undefined;
  let fallback: string | undefined;
  for await (const event of hooks.stream(request, run.signal)) {
    switch (event.type) {
      case 'text':
      case 'thinking':
        hooks.emit(event);
        break;
      case 'tool_start':
        hooks.emit({
          type: 'tool_start',
          callId: ids.of(event.id),
          name: event.name,
          summary: event.name,
          args: '',
          at: hooks.clock.now(),
        });
        break;
      case 'reset':
        hooks.emit({ type: 'message_reset', id });
        break;
      case 'wait':
        hooks.emit({ type: 'retry_wait', until: event.until, attempt: event.attempt, reason: event.reason });
        break;
      case 'wait_end':
        hooks.emit({ type: 'retry_end' });
        break;
      case 'fallback':
        fallback = event.model;
        hooks.emit({
          type: 'notice',
          notice: {
            id: 'fallback',
            level: 'warning',
            text: t('The model failed; {0} answers instead.', event.model),
            next: ['switchModel'],
          },
        });
        break;
      case 'end':
        ended = {
          ...event.answer,
          toolCalls: event.answer.toolCalls.map((call) => ({ ...call, id: ids.of(call.id) })),
        };
    }
  }
  if (!ended) throw new Error('The provider ended its stream without an end event.');
  run.usage = sumOf(run.usage, ended.usage) ?? run.usage;
  hooks.used(ended.usage, request, fallback);
  return ended;
}
