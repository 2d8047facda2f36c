import type { SessionEvent } from '../protocol/event.js';
import type { Attachment, Sender } from '../protocol/message.js';
import type { Disposable } from '../platform/ports.js';

/** A message on its way to the loop, from whatever channel. */
export interface InboundMessage {
  /** Unique; the stored message gets it, so a page finds its own bubble again. */
  id: string;
  /** `vscode`, `cli`, `system`, … */
  channel: string;
  /** `channel:chat_id`. */
  sessionKey: string;
  text: string;
  attachments: Attachment[];
  /** False where nobody can be asked anything. */
  watched: boolean;
  /** Nobody typed it just now: it is for the model whatever it looks like, and joins no turn that a person watches. */
  scheduled?: true;
  /** Nobody typed it at all: it is for the model whatever it looks like, and joins a running turn like a person's. */
  sender?: Sender;
  /** Text from outside is in it. */
  untrusted?: true;
  /** Text from outside that goes with the person's words: a server's prompt that they called for, what another extension attached. */
  quoted?: string;
  /** The prompt that the text calls for is in `quoted` already. */
  prompted?: true;
}

/** Why a message was not taken. */
export type Refusal = 'full';

const CAPACITY = 100;

/**
 * The way in and out of the core: channels publish inbound messages and subscribe to events. Bounded: a sender is told at once when 100 messages
 * wait, nothing is dropped in silence.
 */
export class MessageBus {
  private readonly waiting: InboundMessage[] = [];
  private consumer: ((message: InboundMessage) => void) | undefined;
  private readonly listeners = new Set<(event: SessionEvent) => void>();

  /** Hands a message to the loop, or keeps it until one consumes. Undefined means taken. */
  publish(message: InboundMessage): Refusal | undefined {
    if (this.consumer) {
      this.consumer(message);
      return undefined;
    }
    if (this.waiting.length >= CAPACITY) return 'full';
    this.waiting.push(message);
    return undefined;
  }

  /** The one consumer; gets what waited at once. */
  consume(consumer: (message: InboundMessage) => void): Disposable {
    this.consumer = consumer;
    for (const message of this.waiting.splice(0)) consumer(message);
    return { dispose: () => (this.consumer = undefined) };
  }

  /** Announces an event to every channel, in order. A listener must not throw. */
  emit(event: SessionEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  subscribe(listener: (event: SessionEvent) => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }
}
