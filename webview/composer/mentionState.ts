import { signal, type ReadonlySignal } from '@preact/signals';
import type { CommandItem, HostMessage, MentionItem } from '../../src/protocol/wire.js';
import type { PagePorts } from '../ports.js';
import { kindsFor } from './mentionKinds.js';

/** What the list over the composer offers. */
export type Suggestion = { kind: 'mention'; item: MentionItem } | { kind: 'command'; item: CommandItem };

/** The word before the caret that the list completes: `start` is where its `@` or `/` stands. */
export interface Trigger {
  kind: 'mention' | 'command';
  query: string;
  start: number;
}

/** Rows shown at most: they are all looked through by somebody who types a bare slash. */
const MOST = 60;

/** Finds `@word` before the caret, or `/word` at the very start of the text. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  const command = /^\/(\S*)$/.exec(before);
  if (command) return { kind: 'command', query: command[1] ?? '', start: 0 };
  const mention = /(?:^|[\s(])@([^\s@]*)$/.exec(before);
  if (mention) return { kind: 'mention', query: mention[1] ?? '', start: caret - (mention[1] ?? '').length - 1 };
  return null;
}

/** The list that completes what can be attached, and commands. */
export interface MentionState {
  trigger: ReadonlySignal<Trigger | null>;
  suggestions: ReadonlySignal<Suggestion[]>;
  active: ReadonlySignal<number>;
  /** Tells where the caret is after each change of text or caret. */
  look(text: string, caret: number): void;
  move(by: 1 | -1): void;
  /** Closed by Escape it stays closed for the same word. */
  close(): void;
  /** Closed since something was chosen: the next word is another, also where it begins at the same place. */
  chosen(): void;
  mentions(message: Extract<HostMessage, { type: 'mentions' }>): void;
}

/** @param commands the slash commands and skills of the session. */
export function createMentions(ports: PagePorts, commands: () => CommandItem[]): MentionState {
  const trigger = signal<Trigger | null>(null);
  const suggestions = signal<Suggestion[]>([]);
  const active = signal(0);
  let asked = 0;
  let dismissed = -1;
  /** What the host found last. */
  let found: MentionItem[] = [];

  const show = (list: Suggestion[], at = 0) => {
    suggestions.value = list.slice(0, MOST);
    active.value = Math.min(at, Math.max(0, suggestions.value.length - 1));
  };
  /** Kinds stand there at once; what the host finds comes below them, so that the row that is active stays where it is. */
  const mentioned = (query: string): Suggestion[] =>
    [...kindsFor(query), ...found].map((item) => ({ kind: 'mention', item }));
  const end = () => {
    asked++;
    trigger.value = null;
    show([]);
  };
  const look = (text: string, caret: number) => {
    const next = triggerAt(text, caret);
    if (!next) dismissed = -1;
    if (!next || next.start === dismissed) return trigger.value ? end() : undefined;
    const known = trigger.value;
    if (known && known.kind === next.kind && known.query === next.query && known.start === next.start) return;
    trigger.value = next;
    if (next.kind === 'command') return show(matching(commands(), next.query));
    // Until the host has answered, those of its former rows stay that still fit: a list that empties with each key would flicker.
    const isLonger = known?.kind === 'mention' && known.query !== '' && next.query.startsWith(known.query);
    found = isLonger ? found.filter(({ label }) => hasLetters(label, next.query)) : [];
    show(mentioned(next.query));
    asked++;
    ports.post({ type: 'mention', n: asked, query: next.query });
  };

  return {
    trigger,
    suggestions,
    active,
    look,
    move: (by) => {
      const count = suggestions.value.length;
      if (count > 0) active.value = (active.value + by + count) % count;
    },
    close: () => {
      dismissed = trigger.value?.start ?? -1;
      end();
    },
    chosen: end,
    mentions: (message) => {
      if (message.n !== asked || !trigger.value) return;
      const chosen = active.value === 0 ? undefined : suggestions.value[active.value];
      found = message.items;
      const list = mentioned(trigger.value.query);
      // Who has moved down keeps the row, wherever it stands now.
      show(
        list,
        chosen
          ? Math.max(
              0,
              list.findIndex(({ item }) => isSameRow(item, chosen.item)),
            )
          : 0,
      );
    },
  };
}

/** Whether a label has the letters of a query in their order; what narrows the list to a kind is no part of it. */
function hasLetters(label: string, query: string): boolean {
  const wanted = query.replace(/^\w+:/, '').toLowerCase();
  let next = 0;
  for (const letter of label.toLowerCase()) if (letter === wanted[next]) next++;
  return next === wanted.length;
}

function isSameRow(a: MentionItem | CommandItem, b: MentionItem | CommandItem): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Names that start with the query first, then names that contain it. A leading slash in a name is not part of it. */
function matching(commands: CommandItem[], query: string): Suggestion[] {
  const wanted = query.toLowerCase();
  const nameOf = (command: CommandItem) => command.name.replace(/^\//, '').toLowerCase();
  const starting = commands.filter((command) => nameOf(command).startsWith(wanted));
  const containing = commands.filter((command) => !starting.includes(command) && nameOf(command).includes(wanted));
  return [...starting, ...containing].map((item) => ({ kind: 'command', item }));
}
