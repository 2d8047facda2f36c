import { signal, type ReadonlySignal } from '@preact/signals';
import { emptyState, reduce, type ChatState } from '../src/protocol/chatState.js';
import type { AgentEvent } from '../src/protocol/event.js';
import { ACK_MS, type HostMessage } from '../src/protocol/wire.js';
import type { PagePorts } from './ports.js';

type Loaded = Extract<HostMessage, { type: 'loaded' }>;

/** The conversation as it arrives from the host, and as it is drawn. */
export interface Feed {
  /** What is on screen. Follows `latest` at most a few times a picture, the first change without delay. */
  drawn: ReadonlySignal<ChatState>;
  latest(): ChatState;
  snapshot(n: number, state: ChatState): void;
  /** Folds the events in. False if the frame did not follow the last one: it is dropped and a snapshot has been asked for. */
  frame(n: number, events: AgentEvent[]): boolean;
  loaded(message: Loaded): void;
}

/** Changes drawn at once between two pictures; what comes beyond them waits for the next picture and is drawn together. */
const DRAWS_A_PICTURE = 2;

/**
 * Numbers, folds and paces what the host sends. A change is drawn at once, unless two were since the last picture: then it waits for the next one.
 * What is drawn is acknowledged, at most ten times a second, so that the host sees a page that falls behind.
 */
export function createFeed(ports: PagePorts, merge: (state: ChatState, message: Loaded) => ChatState): Feed {
  let latest = emptyState();
  let last: number | null = null;
  let pictureIsPending = false;
  let draws = 0;
  let isDirty = false;
  const drawn = signal(latest);

  let shown = 0;
  let acked: number | null = null;
  let isResting = false;
  const acknowledge = () => {
    if (isResting || acked === shown) return;
    acked = shown;
    isResting = true;
    ports.post({ type: 'ack', n: shown });
    ports.after(ACK_MS, () => {
      isResting = false;
      acknowledge();
    });
  };
  const draw = () => {
    isDirty = false;
    draws++;
    drawn.value = latest;
    shown = last ?? shown;
    acknowledge();
    if (pictureIsPending) return;
    pictureIsPending = true;
    ports.onFrame(() => {
      pictureIsPending = false;
      draws = 0;
      if (isDirty) draw();
    });
  };
  const change = (state: ChatState) => {
    latest = state;
    isDirty = true;
    if (draws < DRAWS_A_PICTURE) draw();
  };

  return {
    drawn,
    latest: () => latest,
    snapshot: (n, state) => {
      last = n;
      acked = null;
      change(state);
    },
    frame: (n, events) => {
      // Until the snapshot is there, frames belong to a page that no longer exists.
      if (last === null) return false;
      if (n !== last + 1) {
        last = null;
        ports.post({ type: 'ready' });
        return false;
      }
      last = n;
      change(events.reduce(reduce, latest));
      return true;
    },
    loaded: (message) => change(merge(latest, message)),
  };
}
