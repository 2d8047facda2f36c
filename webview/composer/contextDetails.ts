import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { HostMessage } from '../../src/protocol/wire.js';
import type { PagePorts } from '../ports.js';

type Pieces = Extract<HostMessage, { type: 'pieces' }>;

/** The panel that says what the window is filled with. */
export interface ContextDetails {
  isOpen: Signal<boolean>;
  /** Null until the host has looked. */
  pieces: ReadonlySignal<Pieces | null>;
  open(): void;
  listed(pieces: Pieces): void;
}

export function createContextDetails(ports: PagePorts): ContextDetails {
  const isOpen = signal(false);
  const pieces = signal<Pieces | null>(null);
  return {
    isOpen,
    pieces,
    open: () => {
      pieces.value = null;
      isOpen.value = true;
      ports.post({ type: 'listPieces' });
    },
    listed: (message) => void (pieces.value = message),
  };
}
