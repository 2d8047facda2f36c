import { t } from '@vscode/l10n';
import type { StoredMessage, ToolCall } from '../protocol/message.js';
import { INTERRUPTED_RESULT } from '../runner/govern.js';
import { isObject, parseLine } from './lines.js';

/** A turn that began and did not end. */
export interface Interruption {
  /**
   * `unanswered`: the model owes an answer. `calls`: some calls of its last answer have no result. `unwritten`: the turn had ended, only its
   * answer stands in nanobot's checkpoint instead of a line.
   */
  kind: 'unanswered' | 'calls' | 'unwritten';
  /** The calls without a result, in order. */
  missing: ToolCall[];
  /** Messages that nanobot kept in its checkpoint and had not yet written as lines. */
  restored: StoredMessage[];
  turnId?: string;
}

/**
 * What is unfinished at the end of a conversation, if anything. A message with `status` (stopped, failed) ends its turn, and so does a result
 * marked aborted: somebody decided that, unless it says that the process ended. `checkpoint` is nanobot's `metadata.runtime_checkpoint`, of whatever shape.
 */
export function findInterruption(visible: readonly StoredMessage[], checkpoint: unknown): Interruption | undefined {
  const restored = restoredFrom(checkpoint, visible);
  const all = restored.length > 0 ? [...visible, ...restored] : visible;
  const last = all.at(-1);
  if (!last) return undefined;
  const start = all.findLastIndex((message) => message.role !== 'tool');
  const head = all[start];
  const turnId = last.turn_id === undefined ? {} : { turnId: last.turn_id };
  if (head?.role !== 'assistant') return { kind: 'unanswered', missing: [], restored, ...turnId };
  if (head.interrupted) return { kind: 'unanswered', missing: [], restored, ...turnId };
  if (head.status !== undefined) return undefined;
  const answered = new Set(all.slice(start + 1).map((message) => message.tool_call_id));
  const missing = (head.tool_calls ?? []).filter((call) => !answered.has(call.id));
  if (missing.length > 0) return { kind: 'calls', missing, restored, ...turnId };
  if (last.role === 'tool' && last.tool?.status !== 'aborted')
    return { kind: 'unanswered', missing, restored, ...turnId };
  return restored.length > 0 ? { kind: 'unwritten', missing, restored, ...turnId } : undefined;
}

/** The messages that close the calls of an interrupted turn, so that the next request is valid. */
export function interruptedResults({ missing, turnId }: Interruption, timestamp: string): StoredMessage[] {
  return missing.map((call) => ({
    role: 'tool',
    tool_call_id: call.id,
    name: call.function.name,
    content: INTERRUPTED_RESULT,
    timestamp,
    ...(turnId === undefined ? {} : { turn_id: turnId }),
    tool: { status: 'error', summary: t('{0}: interrupted', call.function.name), ms: 0 },
  }));
}

/** The checkpoint's assistant message and finished results, without those that are stored as lines already. */
function restoredFrom(checkpoint: unknown, stored: readonly StoredMessage[]): StoredMessage[] {
  if (!isObject(checkpoint)) return [];
  const results: unknown = checkpoint['completed_tool_results'];
  const found = [checkpoint['assistant_message'], ...(Array.isArray(results) ? (results as unknown[]) : [])].flatMap(
    (value) => asMessage(value, stored.at(-1)?.timestamp ?? ''),
  );
  const turn = stored.slice(stored.findLastIndex((message) => message.role === 'user') + 1);
  return found.filter((message) => !turn.some((other) => same(other, message)));
}

function asMessage(value: unknown, time: string): StoredMessage[] {
  if (!isObject(value)) return [];
  const line = parseLine(Buffer.from(JSON.stringify(value)));
  if (line.kind !== 'message' || line.message.role === 'user') return [];
  return [{ ...line.message, timestamp: line.message.timestamp || time }];
}

function same(a: StoredMessage, b: StoredMessage): boolean {
  const essence = (message: StoredMessage) =>
    JSON.stringify([message.role, message.content, message.tool_call_id, message.tool_calls]);
  return essence(a) === essence(b);
}
