import type { Clock, Disposable } from '../platform/ports.js';
import type { AgentEvent } from '../protocol/event.js';
import { FRAME_MS, MAX_UNACKED, SLOW_FRAME_MS } from '../protocol/wire.js';

type Post = (frame: { type: 'frame'; n: number; events: AgentEvent[] }) => void;

/**
 * Sends events to a page in numbered frames: at once, unless a frame went out less than 12 ms ago; then neighbouring deltas are merged and go
 * when the 12 ms are over, or 50 ms while the page is behind with its acknowledgements.
 */
export class FrameSender implements Disposable {
  private events: AgentEvent[] = [];
  private timer: Disposable | undefined;
  private sent = 0;
  private acked = 0;

  constructor(
    private readonly post: Post,
    private readonly clock: Clock,
  ) {}

  /** The number of the last frame; a snapshot carries it. */
  get number(): number {
    return this.sent;
  }

  push(event: AgentEvent): void {
    this.add(event);
    if (!this.timer) this.flush();
  }

  ack(n: number): void {
    this.acked = Math.max(this.acked, n);
  }

  /** Forgets what is pending and unacknowledged: a snapshot stands for all of it. */
  restart(): void {
    this.events = [];
    this.acked = this.sent;
  }

  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.events = [];
  }

  private add(event: AgentEvent): void {
    const last = this.events.at(-1);
    if (last && (event.type === 'text' || event.type === 'thinking') && last.type === event.type) {
      this.events[this.events.length - 1] = { type: event.type, text: last.text + event.text };
    } else if (last?.type === 'tool_update' && event.type === 'tool_update' && last.callId === event.callId) {
      this.events[this.events.length - 1] = event;
    } else this.events.push(event);
  }

  private flush(): void {
    if (this.events.length === 0) return;
    const events = this.events;
    this.events = [];
    this.timer?.dispose();
    this.post({ type: 'frame', n: ++this.sent, events });
    const behind = this.sent - this.acked > MAX_UNACKED;
    this.timer = this.clock.after(behind ? SLOW_FRAME_MS : FRAME_MS, () => {
      this.timer = undefined;
      this.flush();
    });
  }
}
