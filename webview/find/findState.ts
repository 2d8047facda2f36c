import { signal, type ReadonlySignal } from '@preact/signals';
import type { FindHit, HostMessage } from '../../src/protocol/wire.js';
import type { PagePorts } from '../ports.js';

/** Milliseconds of rest after a key before the conversation is searched. */
const TYPING_MS = 120;

/** The find bar: the host searches the whole conversation, the page steps through the hits. */
export interface FindState {
  isOpen: ReadonlySignal<boolean>;
  query: ReadonlySignal<string>;
  hits: ReadonlySignal<FindHit[]>;
  /** Position in `hits`, or -1. */
  current: ReadonlySignal<number>;
  /** True from a change of the query until its hits are there. */
  isBusy: ReadonlySignal<boolean>;
  open(): void;
  close(): void;
  type(query: string): void;
  step(by: 1 | -1): void;
  found(message: Extract<HostMessage, { type: 'found' }>): void;
}

/** @param show brings a hit to the screen: it is loaded already or has to be fetched first. */
export function createFind(ports: PagePorts, show: (hit: FindHit) => void): FindState {
  const isOpen = signal(false);
  const query = signal('');
  const hits = signal<FindHit[]>([]);
  const current = signal(-1);
  const isBusy = signal(false);
  let asked = 0;
  let cancel = () => {};

  const goTo = (position: number) => {
    current.value = position;
    const hit = hits.value[position];
    if (hit) show(hit);
  };
  const forget = () => {
    cancel();
    asked++;
    hits.value = [];
    current.value = -1;
    isBusy.value = false;
  };
  const ask = () => {
    asked++;
    ports.post({ type: 'find', n: asked, query: query.value });
  };

  return {
    isOpen,
    query,
    hits,
    current,
    isBusy,
    open: () => void (isOpen.value = true),
    close: () => {
      isOpen.value = false;
      query.value = '';
      forget();
    },
    type: (next) => {
      if (next === query.value) return;
      forget();
      query.value = next;
      if (next.trim() === '') return;
      isBusy.value = true;
      cancel = ports.after(TYPING_MS, ask);
    },
    step: (by) => {
      const count = hits.value.length;
      if (count > 0) goTo((current.value + by + count) % count);
    },
    found: (message) => {
      if (message.n !== asked) return;
      isBusy.value = false;
      hits.value = message.hits;
      // The newest hit first: that is where the reader is.
      goTo(message.hits.length - 1);
    },
  };
}
