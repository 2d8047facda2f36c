import { reasonOf } from '../platform/reason.js';
import { englishReason } from '../platform/words.js';
import type { StoredMessage, ToolCall, ToolMeta } from '../protocol/message.js';
import type { Disposable } from '../platform/ports.js';
import { looseArguments, parseArguments } from './arguments.js';
import type { LoopGuard } from './loopGuard.js';
import { INTERRUPTED_RESULT } from './govern.js';
import { isClosing, timestamp, type Run } from './run.js';
import { ToolError, type Tool, type ToolContext, type ToolResult } from './tool.js';

/** Read-only calls that run together at most. */
const MAX_TOGETHER = 8;
/** Characters of a result the model gets whole; a longer one goes to a file, with this much of its head and tail shown. */
const MAX_RESULT = 16_000;
const SHOWN_HEAD = 10_000;
const SHOWN_TAIL = 4_000;
/** Characters of arguments and output that are shown to a person. */
const MAX_SHOWN = 4_000;
/** Milliseconds a tool is given to end after Stop before the turn goes on without it. */
const ABORT_GRACE_MS = 5_000;

const STOPPED = 'Error: stopped by the person before this finished';

interface Outcome {
  status: ToolMeta['status'];
  text: string;
  summary?: string;
  ms: number;
  result?: ToolResult;
}

/**
 * Runs the calls of one answer: neighbouring read-only ones together, any other alone. Every call gets a result, stored as it arrives, whatever
 * happens. Returns true when the loop guard wants the turn to end.
 */
export async function runCalls(run: Run, calls: ToolCall[], guard: LoopGuard): Promise<boolean> {
  let end = false;
  for (const group of grouped(run, calls)) {
    // Calls run side by side, yet are recorded in their order: each as soon as it and those before it are done.
    let recorded = Promise.resolve();
    for (const call of group) {
      const settled = settle(run, call);
      recorded = recorded.then(async () => {
        const outcome = await settled;
        const verdict = guard.note(call.function.name, call.function.arguments, outcome.text);
        end ||= verdict.end;
        await record(run, call, verdict.note ? { ...outcome, text: outcome.text + verdict.note } : outcome);
      });
    }
    await recorded;
  }
  return end;
}

function grouped(run: Run, calls: ToolCall[]): ToolCall[][] {
  const groups: ToolCall[][] = [];
  let together = false;
  for (const call of calls) {
    const readOnly = run.spec.tools.find(call.function.name)?.readOnly ?? false;
    const last = groups.at(-1);
    if (readOnly && together && last && last.length < MAX_TOGETHER) last.push(call);
    else groups.push([call]);
    together = readOnly;
  }
  return groups;
}

/** Find → validate → approve → run. Never rejects. */
async function settle(run: Run, call: ToolCall): Promise<Outcome> {
  const { hooks, spec, signal } = run;
  const name = call.function.name;
  const tool = spec.tools.find(name);
  const loose = looseArguments(call.function.arguments);
  const summary = tool?.summary(loose) ?? name;
  hooks.emit({
    type: 'tool_start',
    callId: call.id,
    name,
    summary,
    args: shorten(call.function.arguments, MAX_SHOWN),
    at: hooks.clock.now(),
  });
  if (signal.aborted) return cutShort(run, 0);
  if (!tool || !spec.tools.for(spec.sessionKey).includes(tool)) {
    return { status: 'error', text: `Error: ${spec.tools.unknown(name, spec.sessionKey)}`, ms: 0 };
  }
  const parsed = parseArguments(tool, call.function.arguments);
  if (!parsed.ok) return { status: 'error', text: `Error: ${parsed.error}`, ms: 0 };
  const context = hooks.toolContext(call.id);
  try {
    const accesses = await tool.access(parsed.args, context);
    const verdict = await hooks.approve(tool, parsed.args, accesses, call.id);
    if (signal.aborted) return cutShort(run, 0);
    if (!verdict.allow) return { status: 'denied', text: `Error: ${verdict.reason}`, ms: 0 };
  } catch (cause) {
    return { status: signal.aborted ? 'aborted' : 'error', text: `Error: ${englishReason(cause)}`, ms: 0 };
  }
  return execute(run, tool, parsed.args, context);
}

async function execute(run: Run, tool: Tool, args: unknown, context: ToolContext): Promise<Outcome> {
  const started = run.hooks.clock.now();
  const elapsed = () => run.hooks.clock.now() - started;
  try {
    const result = await withAbort(tool.run(args, context), run);
    const text = result.text.trim() === '' ? '(tool completed with no output)' : result.text;
    if (result.failed && isClosing(run)) return cutShort(run, elapsed());
    const failed = run.signal.aborted ? 'aborted' : 'error';
    const status = result.failed ? failed : 'ok';
    return { status, text, ms: elapsed(), result, ...(result.summary ? { summary: result.summary } : {}) };
  } catch (cause) {
    if (run.signal.aborted) return cutShort(run, elapsed());
    return { status: 'error', text: `Error: ${englishReason(cause)}`, ms: elapsed() };
  }
}

/** The outcome of a call that Stop, or the end of the process, cut short. */
function cutShort(run: Run, ms: number): Outcome {
  if (isClosing(run)) return { status: 'error', text: INTERRUPTED_RESULT, ms };
  return { status: 'aborted', text: STOPPED, ms };
}

/** A tool has to end soon after Stop; one that does not is left behind, so that Stop always works. */
function withAbort<T>(work: Promise<T>, { signal, hooks }: Run): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: Disposable | undefined;
    const aborted = () => {
      timer = hooks.clock.after(ABORT_GRACE_MS, () => {
        reject(new ToolError(STOPPED));
      });
    };
    if (signal.aborted) aborted();
    else signal.addEventListener('abort', aborted, { once: true });
    void work.then(resolve, reject).finally(() => {
      timer?.dispose();
      signal.removeEventListener('abort', aborted);
    });
  });
}

async function record(run: Run, call: ToolCall, outcome: Outcome): Promise<void> {
  const { hooks } = run;
  const name = call.function.name;
  const summary =
    outcome.summary ?? run.spec.tools.find(name)?.summary(looseArguments(call.function.arguments)) ?? name;
  const content = await spilled(run, call.id, outcome.text);
  const { files, diff, images } = outcome.result ?? {};
  const meta: ToolMeta = {
    status: outcome.status,
    summary,
    ms: outcome.ms,
    ...(files ? { files } : {}),
    ...(diff ? { diff } : {}),
  };
  const message: StoredMessage = {
    role: 'tool',
    tool_call_id: call.id,
    name,
    content: images && images.length > 0 ? [{ type: 'text', text: content }, ...images] : content,
    timestamp: timestamp(run),
    id: hooks.newId(),
    turn_id: run.spec.turnId,
    tool: meta,
  };
  await hooks.append(message);
  run.messages.push(message);
  hooks.emit({ type: 'tool_end', callId: call.id, ...meta, output: shorten(content, MAX_SHOWN) });
}

function spilled(run: Run, callId: string, text: string): Promise<string> {
  return fitted(text, () => run.hooks.spill(callId, text));
}

/** Writes a long result under the home; resolves with its path. `outside`: somebody else wrote it, which its name says from then on. */
export type Spill = (name: string, text: string, options?: { outside?: boolean }) => Promise<string>;

/** A text as the model gets it: whole, or head and tail with the path of the file that `spill` writes. Never rejects. */
export async function fitted(text: string, spill: () => Promise<string>): Promise<string> {
  if (text.length <= MAX_RESULT) return text;
  const left = text.length - SHOWN_HEAD - SHOWN_TAIL;
  // The call was made: that its whole result could not be kept must not make it look as if it was not.
  const where = await spill().then(
    (path) => `the whole result is in ${path}`,
    (cause: unknown) => `the whole result could not be kept: ${reasonOf(cause)}`,
  );
  return `${text.slice(0, SHOWN_HEAD)}\n\n… ${String(left)} characters left out; ${where} …\n\n${text.slice(-SHOWN_TAIL)}`;
}

/** Head and tail of a text that is shown to a person. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = Math.floor(max * 0.7);
  return `${text.slice(0, head)}\n…\n${text.slice(text.length - (max - head))}`;
}
