import { list, number, record, string, type Json } from './json.js';
import type { Turn, TurnCall } from './transcript.js';

/** Where an answer's sketch stands in a message's `extra_content`. */
const NAME = 'openai_responses';

/** What stands between two messages of one answer. */
export const BETWEEN = '\n\n';

/** One item of an answer as it is kept: reasoning whole, of the rest only what the stored message does not say itself. */
export type KeptItem =
  | { type: 'reasoning'; item: Json }
  /** So many characters of the message's text. */
  | { type: 'message'; length: number; phase?: string }
  /** The next of the message's calls. */
  | { type: 'call' };

type AssistantTurn = Extract<Turn, { role: 'assistant' }>;

/** The order and the reasoning of an answer, for `extra_content`; undefined where they say nothing that text and calls do not. `from` is who wrote it. */
export function sketch(from: string, output: readonly KeptItem[]): Record<string, unknown> | undefined {
  const tells = output.some(
    (item) => item.type === 'reasoning' || (item.type === 'message' && item.phase !== undefined),
  );
  return tells ? { [NAME]: { from, output } } : undefined;
}

/**
 * A turn as input items: with its reasoning where this endpoint's model wrote it and can read it, else as plain text and calls. Ids of reasoning that was replayed
 * are added to `replayed`. A sketch that does not fit the message (it was cut, joined or edited) is left aside.
 */
export function assistantItems(
  turn: AssistantTurn,
  place: { from: string; refused: ReadonlySet<string>; replayed: string[] },
): Json[] {
  const kept = record(turn.extra?.[NAME]);
  if (!kept || string(kept, 'from') !== place.from) return plainItems(turn);
  const output = list(kept, 'output').map((item): Json => record(item) ?? {});
  if (!fits(turn, output)) return plainItems(turn);
  const items: Json[] = [];
  const calls = [...turn.calls];
  let at = 0;
  output.forEach((item, n) => {
    if (item['type'] === 'message') {
      const length = number(item, 'length');
      items.push(...messageItems(turn.text.slice(at, at + length), string(item, 'phase')));
      at += length + BETWEEN.length;
    } else if (item['type'] === 'call') items.push(...calls.splice(0, 1).map(callItem));
    else {
      const reasoning = record(item['item']);
      // Reasoning that led to nothing is refused.
      const leads = output.slice(n + 1).some((later) => later['type'] !== 'reasoning');
      if (!reasoning || !leads || place.refused.has(string(reasoning, 'id'))) return;
      place.replayed.push(string(reasoning, 'id'));
      items.push(reasoning);
    }
  });
  return items;
}

function fits(turn: AssistantTurn, output: readonly Json[]): boolean {
  const messages = output.filter((item) => item['type'] === 'message');
  const between = BETWEEN.length * Math.max(0, messages.length - 1);
  const length = messages.reduce((sum, item) => sum + number(item, 'length'), between);
  return length === turn.text.length && output.filter((item) => item['type'] === 'call').length === turn.calls.length;
}

function plainItems(turn: AssistantTurn): Json[] {
  return [...messageItems(turn.text, ''), ...turn.calls.map(callItem)];
}

function messageItems(text: string, phase: string): Json[] {
  if (text.trim() === '') return [];
  const content = [{ type: 'output_text', text }];
  return [{ type: 'message', role: 'assistant', content, ...(phase === '' ? {} : { phase }) }];
}

function callItem(call: TurnCall): Json {
  return { type: 'function_call', call_id: call.id, name: call.name, arguments: call.arguments };
}

/** A finished reasoning item in the form in which it goes back; undefined where nobody kept what it holds. */
export function replayable(item: Json): Json | undefined {
  const encrypted = string(item, 'encrypted_content');
  const content = list(item, 'content');
  if (encrypted === '' && content.length === 0) return undefined;
  return {
    type: 'reasoning',
    id: string(item, 'id'),
    summary: list(item, 'summary'),
    ...(content.length > 0 ? { content } : {}),
    ...(encrypted === '' ? {} : { encrypted_content: encrypted }),
  };
}
