import type { MessageBus } from '../bus/bus.js';
import { unlessAborted } from '../platform/abort.js';
import type { Disposable } from '../platform/ports.js';

/** The turns that run in this process, told from the events on the bus. */
export class RunningTurns {
  private readonly running = new Set<string>();
  private readonly waiting = new Set<() => void>();
  private readonly subscription: Disposable;

  constructor(bus: MessageBus) {
    this.subscription = bus.subscribe(({ sessionKey, event }) => {
      if (event.type === 'turn_start') this.running.add(sessionKey);
      if (event.type !== 'turn_end') return;
      this.running.delete(sessionKey);
      if (!this.any()) for (const resolve of [...this.waiting]) resolve();
    });
  }

  /** Whether a turn of any session runs. */
  any(): boolean {
    return this.running.size > 0;
  }

  /** Resolves when none runs, at once where none does; rejects with the signal's reason when aborted. */
  async quiet(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.any()) return;
    let ended: () => void = () => undefined;
    const none = new Promise<void>((resolve) => {
      ended = resolve;
      this.waiting.add(ended);
    });
    try {
      await unlessAborted(none, signal);
    } finally {
      this.waiting.delete(ended);
    }
  }

  dispose(): void {
    this.subscription.dispose();
  }
}
