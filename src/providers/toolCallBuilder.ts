import type { ToolCall } from '../protocol/message.js';
import { field, record, string, type Json } from './json.js';
import type { StreamEvent } from './provider.js';

interface OpenCall {
  /** As the endpoint numbers it, where it does. */
  index: number | undefined;
  /** As the endpoint named it; empty until it did. */
  sentId: string;
  id: string;
  name: string;
  args: string;
  extra: Json | undefined;
  announced: boolean;
}

/**
 * Puts tool calls together from the pieces a stream brings: with or without index and id, several under one index, the name first or late,
 * arguments cut anywhere or given as an object. A call is announced once its name is known; one that never gets a name is dropped.
 */
export class ToolCallBuilder {
  readonly #calls: OpenCall[] = [];
  readonly #newId: () => string;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  get size(): number {
    return this.#calls.length;
  }

  *add(part: Json): Iterable<StreamEvent> {
    const fn = record(field(part, 'function')) ?? {};
    const call = this.#find(part, fn);
    const sentId = string(part, 'id');
    if (sentId !== '' && call.sentId === '') {
      call.sentId = sentId;
      // Once announced, a call keeps the id it was announced under.
      if (!call.announced) call.id = sentId;
    }
    call.name ||= string(fn, 'name');
    const args = field(fn, 'arguments');
    if (typeof args === 'string') call.args += args;
    else if (record(args)) call.args += JSON.stringify(args);
    call.extra = record(field(part, 'extra_content')) ?? call.extra;
    if (call.name !== '' && !call.announced) {
      call.announced = true;
      yield { type: 'tool_start', id: call.id, name: call.name };
    }
  }

  calls(): ToolCall[] {
    return this.#calls
      .filter((call) => call.name !== '')
      .map((call) => ({
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: call.args.trim() === '' ? '{}' : call.args },
        ...(call.extra ? { extra_content: call.extra } : {}),
      }));
  }

  /** The call this piece belongs to; a new one where the piece begins one. */
  #find(part: Json, fn: Json): OpenCall {
    const index = typeof part['index'] === 'number' ? part['index'] : undefined;
    const sentId = string(part, 'id');
    const name = string(fn, 'name');
    const sameId = sentId === '' ? undefined : this.#calls.find((call) => call.sentId === sentId);
    if (sameId) return sameId;
    const candidate = index === undefined ? this.#calls.at(-1) : this.#calls.findLast((call) => call.index === index);
    if (!candidate) return this.#open(index, sentId);
    // Gemini numbers every call 0, others number none: an id or a name where there already is one begins the next call.
    const otherId = sentId !== '' && candidate.sentId !== '';
    const begins = index === undefined && name !== '' && candidate.name !== '' && candidate.args !== '';
    return otherId || begins ? this.#open(index, sentId) : candidate;
  }

  #open(index: number | undefined, sentId: string): OpenCall {
    const call = { index, sentId, id: sentId || this.#newId(), name: '', args: '', extra: undefined, announced: false };
    this.#calls.push(call);
    return call;
  }
}
