import { signal, type ReadonlySignal } from '@preact/signals';
import type { ChatMessage, ChatState } from '../src/protocol/chatState.js';
import type { AgentEvent } from '../src/protocol/event.js';
import { strings } from './strings.js';

/** Characters of an answer that are read out; the rest is in the transcript. */
const MOST = 400;

/** What screen readers are told: finished messages and subagents, and approvals; nothing while text streams. */
export interface Announcer {
  text: ReadonlySignal<string>;
  /** @param state the conversation after the event. */
  hear(event: AgentEvent, state: ChatState): void;
  say(text: string): void;
}

export function createAnnouncer(): Announcer {
  const text = signal('');
  const announced = new Set<string>();
  // The same words twice would be no change and not be read again.
  const say = (next: string) => void (text.value = next === text.value ? `${next}\u00a0` : next);
  return {
    text,
    say,
    hear: (event, state) => {
      if (event.type === 'approval_start') say(strings.announceApproval(event.approval.title, event.approval.detail));
      if (event.type === 'question_start') say(strings.announceQuestion(event.question.text));
      if (event.type === 'subagent' && event.endedAt !== undefined && !announced.has(event.id)) {
        announced.add(event.id);
        say(strings.announceSubagent(event.label, strings.subagentStatus[event.status]));
      }
      if (event.type !== 'message_end') return;
      const message = state.messages.findLast((candidate) => candidate.id === event.id);
      const words = message ? wordsOf(message) : '';
      if (event.error) say(strings.announceError(event.error.message));
      else if (words !== '') say(strings.announceAnswer(words));
    },
  };
}

function wordsOf(message: ChatMessage): string {
  const text = message.parts.map((part) => (part.kind === 'text' ? part.text : '')).join(' ');
  return text.trim().slice(0, MOST);
}
