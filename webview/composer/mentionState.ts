import { signal, type ReadonlySignal } from '@preact/signals';
import type { CommandItem, HostMessage, MentionItem } from '../../src/protocol/wire.js';
import type { PagePorts } from '../ports.js';

/** What the list over the composer offers. */
export type Suggestion = { kind: 'file'; item: MentionItem } | { kind: 'command'; item: CommandItem };

/** The word before the caret that the list completes: `start` is where its `@` or `/` stands. */
export interface Trigger {
  kind: 'file' | 'command';
  query: string;
  start: number;
}

/** Files shown at most, and commands with skills: those are all looked through by somebody who types a bare slash. */
const MOST = 12;
const MOST_COMMANDS = 60;

/** Finds `@word` before the caret, or `/word` at the very start of the text. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  const command = /^\/(\S*)$/.exec(before);
  if (command) return { kind: 'command', query: command[1] ?? '', start: 0 };
  const mention = /(?:^|[\s(])@([^\s@]*)$/.exec(before);
  if (mention) return { kind: 'file', query: mention[1] ?? '', start: caret - (mention[1] ?? '').length - 1 };
  return null;
}

/** The list that completes files and commands. */
export interface MentionState {
  trigger: ReadonlySignal<Trigger | null>;
  suggestions: ReadonlySignal<Suggestion[]>;
  active: ReadonlySignal<number>;
  /** Tells where the caret is after each change of text or caret. */
  look(text: string, caret: number): void;
  move(by: 1 | -1): void;
  /** Closed by Escape it stays closed for the same word. */
  close(): void;
  mentions(message: Extract<HostMessage, { type: 'mentions' }>): void;
}

/** @param commands the slash commands and skills of the session. */
export function createMentions(ports: PagePorts, commands: () => CommandItem[]): MentionState {
  const trigger = signal<Trigger | null>(null);
  const suggestions = signal<Suggestion[]>([]);
  const active = signal(0);
  let asked = 0;
  let dismissed = -1;

  const show = (list: Suggestion[]) => {
    suggestions.value = list.slice(0, list[0]?.kind === 'command' ? MOST_COMMANDS : MOST);
    active.value = 0;
  };
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
    if (known?.kind !== 'file') show([]);
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
    mentions: (message) => {
      if (message.n === asked) show(message.items.map((item) => ({ kind: 'file', item })));
    },
  };
}

/** Names that start with the query first, then names that contain it. A leading slash in a name is not part of it. */
function matching(commands: CommandItem[], query: string): Suggestion[] {
  const wanted = query.toLowerCase();
  const nameOf = (command: CommandItem) => command.name.replace(/^\//, '').toLowerCase();
  const starting = commands.filter((command) => nameOf(command).startsWith(wanted));
  const containing = commands.filter((command) => !starting.includes(command) && nameOf(command).includes(wanted));
  return [...starting, ...containing].map((item) => ({ kind: 'command', item }));
}
