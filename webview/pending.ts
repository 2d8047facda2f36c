import { signal, type ReadonlySignal } from '@preact/signals';
import type { ChatState } from '../src/protocol/chatState.js';
import type { AgentEvent } from '../src/protocol/event.js';
import type { Attachment } from '../src/protocol/message.js';

/** A prompt that was posted and that the host has not confirmed yet. */
export interface PendingPrompt {
  id: string;
  text: string;
  attachments: Attachment[];
}

/** The prompts between Enter and the host's answer. */
export interface Pending {
  prompts: ReadonlySignal<PendingPrompt[]>;
  add(prompt: PendingPrompt): void;
  /** Takes a prompt back and returns it. */
  take(id: string): PendingPrompt | undefined;
  /** Drops what an event confirms: the message itself, or its place in the queue. */
  confirm(event: AgentEvent): void;
  /** Drops what a snapshot holds; another session's snapshot drops all. */
  compare(before: ChatState, after: ChatState): void;
}

export function createPending(): Pending {
  const prompts = signal<PendingPrompt[]>([]);
  const keep = (test: (prompt: PendingPrompt) => boolean) => {
    if (!prompts.value.every(test)) prompts.value = prompts.value.filter(test);
  };
  return {
    prompts,
    add: (prompt) => void (prompts.value = [...prompts.value, prompt]),
    take: (id) => {
      const taken = prompts.value.find((prompt) => prompt.id === id);
      keep((prompt) => prompt.id !== id);
      return taken;
    },
    confirm: (event) => {
      if (event.type === 'user_message') keep((prompt) => prompt.id !== event.id);
      if (event.type === 'queue') keep((prompt) => !event.queue.some((queued) => queued.id === prompt.id));
    },
    compare: (before, after) => {
      const isOther = before.session.key !== after.session.key;
      const known = new Set([...after.messages, ...after.queue].map((message) => message.id));
      keep((prompt) => !isOther && !known.has(prompt.id));
    },
  };
}
