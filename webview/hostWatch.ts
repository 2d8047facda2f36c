import { signal, type ReadonlySignal } from '@preact/signals';
import type { PagePorts } from './ports.js';

/** Milliseconds in which the host confirms a prompt: its event loop may be busy with another extension for a while. */
const SILENCE_MS = 10_000;
/** Errors that the host is told of, of one page; and characters of one. */
const MAX_TOLD = 20;
const MAX_TEXT = 4_000;

/** The host as the page sees it: whether it still answers, and where it is told of what goes wrong here. */
export interface HostWatch {
  /** True while a prompt waits and nothing at all came from the host. */
  isSilent: ReadonlySignal<boolean>;
  /** A prompt was posted; `isPending` says whether it still waits. */
  sent(isPending: () => boolean): void;
  /** Something came. */
  heard(): void;
  report(error: unknown): void;
}

export function createHostWatch(ports: PagePorts): HostWatch {
  const isSilent = signal(false);
  let heardAt = ports.now();
  let told = 0;
  return {
    isSilent,
    sent: (isPending) => {
      const at = ports.now();
      ports.after(SILENCE_MS, () => {
        if (isPending() && heardAt < at) isSilent.value = true;
      });
    },
    heard: () => {
      heardAt = ports.now();
      if (isSilent.value) isSilent.value = false;
    },
    report: (error) => {
      if (told++ >= MAX_TOLD) return;
      const text = error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : String(error);
      ports.post({ type: 'pageError', text: text.slice(0, MAX_TEXT) });
    },
  };
}
