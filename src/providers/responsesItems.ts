import { field, list, record, string, type Json } from './json.js';
import { BETWEEN } from './responsesReplay.js';

/** One item of the answer while it streams. */
export interface OpenItem {
  type: string;
  /** Of a call, as results name it. */
  id: string;
  name: string;
  /** Text, thoughts or arguments so far. */
  body: string;
  announced: boolean;
  /** As the endpoint gave it at its end. */
  done: Json | undefined;
  /** Of a call, as the endpoint names it; empty until it has. */
  callId: string;
  /** The endpoint has announced it, so that pieces may be meant for it whatever they call it. */
  known: boolean;
}

/** What an event says of its item: that it begins, that it ends, or a piece of it. */
export type Moment = 'added' | 'done' | 'piece';

/**
 * The items of one answer, each found again by whatever an event names it with. Endpoints differ: some send no `output_index` or always the same, some
 * other ids in each event, some no id for calls, whose `call_id` then stands in the deltas as well.
 */
export class OpenItems {
  readonly #items: OpenItem[] = [];
  readonly #named = new Map<string, OpenItem>();
  readonly #newId: () => string;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  get all(): readonly OpenItem[] {
    return this.#items;
  }

  /** The item an event belongs to, begun where it is the first to name it. `item` holds at least a type. */
  of(data: Json, item: Json, moment: Moment): OpenItem {
    const names = namesOf(data, item);
    const found = this.#byName(names, item, moment);
    if (found) return this.#learnt(found, item, names, moment);
    const guessed = typeof field(data, 'output_index') === 'number' ? undefined : this.#byForm(names, item, moment);
    // What a piece is wrongly called says nothing about the next one.
    if (guessed) return this.#learnt(guessed, item, moment === 'piece' ? [] : names, moment);
    return this.#learnt(this.#made(item), item, names, moment);
  }

  /** The items of a finished answer, each with the streamed one it is: by its ids, else by its place among those of its type. */
  ofOutput(output: readonly Json[]): [OpenItem, Json][] {
    const free = new Set(this.#items);
    const take = (open: OpenItem | undefined) => (open && free.delete(open) ? open : undefined);
    const byId = output.map((item) => take(this.#byName(namesOf({}, item), item, 'done')));
    return output.map((item, at) => {
      const open = byId[at] ?? take(this.#inPlace(item, at, free));
      return [this.#learnt(open ?? this.#made(item), item, namesOf({}, item), 'done'), item];
    });
  }

  #inPlace(item: Json, at: number, free: ReadonlySet<OpenItem>): OpenItem | undefined {
    const placed = this.#named.get(`#${String(at)}`);
    if (placed && free.has(placed) && sameType(placed, item) && !otherCall(placed, item)) return placed;
    return [...free].find((open) => sameType(open, item) && sameName(open, item));
  }

  #byName(names: readonly string[], item: Json, moment: Moment): OpenItem | undefined {
    return names
      .map((name) => this.#named.get(name))
      .find((open) => {
        if (!open || !sameType(open, item)) return false;
        return !(otherCall(open, item) && (moment === 'added' || open.done));
      });
  }

  /** The item that an event without a usable name means most likely. */
  #byForm(names: readonly string[], item: Json, moment: Moment): OpenItem | undefined {
    const ofType = this.#items.filter((open) => sameType(open, item) && !otherCall(open, item));
    const unfinished = ofType.filter((open) => !open.done);
    // Its pieces came first, with no name.
    if (moment === 'added') return unfinished.find((open) => !open.known && !this.#isNamed(open));
    if (moment === 'piece') {
      const newest = unfinished.at(-1);
      const fits = names.length === 0 || item['type'] === 'function_call' || newest?.known === true;
      return fits ? newest : undefined;
    }
    const whole = wholeOf(item);
    const begun = unfinished.find((open) => open.body !== '' && whole.startsWith(open.body) && sameName(open, item));
    if (begun || names.length > 0) return begun;
    const empty = unfinished.find((open) => open.body === '' && sameName(open, item));
    return empty ?? ofType.find((open) => open.body === whole && sameName(open, item));
  }

  #isNamed(open: OpenItem): boolean {
    return [...this.#named.values()].includes(open);
  }

  #made(item: Json): OpenItem {
    const made: OpenItem = {
      type: string(item, 'type'),
      id: this.#newId(),
      name: '',
      body: '',
      announced: false,
      done: undefined,
      callId: '',
      known: false,
    };
    this.#items.push(made);
    return made;
  }

  #learnt(open: OpenItem, item: Json, names: readonly string[], moment: Moment): OpenItem {
    open.known ||= moment !== 'piece';
    open.name ||= string(item, 'name');
    open.callId ||= string(item, 'call_id');
    // Once it was announced, results are told by the id it has.
    if (!open.announced && open.callId !== '') open.id = open.callId;
    for (const name of names) this.#named.set(name, open);
    return open;
  }
}

/** What an event may call its item by, the most reliable first. Calls share one space of names: some deltas hold a `call_id` as `item_id`. */
function namesOf(data: Json, item: Json): string[] {
  const index = field(data, 'output_index');
  const ids = [string(data, 'item_id'), string(item, 'id'), string(item, 'call_id')].filter(Boolean);
  return [...(typeof index === 'number' ? [`#${String(index)}`] : []), ...ids.map((id) => `=${id}`)];
}

function sameType(open: OpenItem, item: Json): boolean {
  return open.type === string(item, 'type');
}

function sameName(open: OpenItem, item: Json): boolean {
  return open.name === '' || open.name === string(item, 'name');
}

function otherCall({ callId }: OpenItem, item: Json): boolean {
  const other = string(item, 'call_id');
  return callId !== '' && other !== '' && callId !== other;
}

/** Text, thoughts or arguments of a finished item. */
export function wholeOf(item: Json): string {
  if (item['type'] === 'function_call') return string(item, 'arguments');
  if (item['type'] === 'message') return textsOf(item, 'content', '');
  return textsOf(item, 'summary', BETWEEN) || textsOf(item, 'content', BETWEEN);
}

function textsOf(item: Json, name: string, between: string): string {
  return list(item, name)
    .map((part) => string(record(part), 'text') || string(record(part), 'refusal'))
    .join(between);
}
