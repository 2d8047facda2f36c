import type { Child, Clock, Disposable } from '../../platform/ports.js';
import { reasonOf } from '../../platform/reason.js';
import { durationText, endingText, shownOutput, type Ending } from './commandText.js';
import type { MirrorFeed } from './mirrorFeed.js';
import { OutputFile } from './outputFile.js';
import { OutputWindow } from './outputWindow.js';
import { tailLines } from './terminalText.js';

/** Bytes of the beginning, and of the end, kept for the model: 5,000 characters of either, escape sequences and wide letters included. */
const PART = 20_000;
/** Bytes not yet on the disk at which the command is made to wait, and at which it goes on. */
const PAUSE_AT = 256 * 1024;
const RESUME_AT = 64 * 1024;
/** Milliseconds a command in the background lives without a poll. */
const SILENCE_MS = 1_800_000;
/** Milliseconds after a kill in which the end must be seen. */
const END_SEEN_MS = 1_000;
/** Milliseconds between SIGTERM and SIGKILL. With Stop the whole tree is gone within a second. */
const GRACE_MS = 500;
const TAIL_LINES = 5;
const TAIL_BYTES = 4_096;

/** Why we ended a command: by whose wish. */
export type KillReason = 'stop' | 'timeout' | 'silence' | 'request' | 'dispose';

export interface RunningNeeds {
  clock: Clock;
  files: ConstructorParameters<typeof OutputFile>[0];
  /** Where all of the output goes if it is long. */
  outputPath: string;
  feed: MirrorFeed | undefined;
  /** Whether it runs in the person's own terminal: there it cannot go on in the background. */
  inTerminal?: boolean;
}

/** One command with its processes and what it has written, from its start until nobody asks for it any more. */
export class RunningCommand {
  readonly startedAt: number;
  /** Set when it goes on in the background. */
  handle: string | undefined;
  /** How the shell ended; undefined while it runs. */
  ending: Ending | undefined;
  /** Why we ended it; undefined where it ended by itself or still runs. */
  killedFor: KillReason | undefined;
  /** What the model is to be told of where it runs. */
  note: string | undefined;
  /** Whether it ever wrote anything. */
  hasWritten = false;
  readonly inTerminal: boolean;
  private endedAt: number | undefined;
  private paused = false;
  private silence: Disposable | undefined;
  private readonly unread = new OutputWindow(PART, PART);
  private readonly file: OutputFile;
  private readonly listeners = new Set<() => void>();
  private readonly clock: Clock;
  private readonly feed: MirrorFeed | undefined;

  constructor(
    /** As the model wrote it. */
    readonly command: string,
    private readonly child: Child,
    needs: RunningNeeds,
  ) {
    this.clock = needs.clock;
    this.feed = needs.feed;
    this.inTerminal = needs.inTerminal ?? false;
    this.startedAt = this.clock.now();
    this.file = new OutputFile(needs.files, needs.outputPath, () => {
      this.resumeIfCaughtUp();
    });
    child.onData((bytes) => {
      this.receive(bytes);
    });
    child.exited.then(
      ({ code, signal, why }) => {
        this.settle(endingOf(code, signal, why));
      },
      (cause: unknown) => {
        this.settle({ kind: 'unknown', why: reasonOf(cause) });
      },
    );
  }

  /** Milliseconds it ran, or has run until now. */
  get ms(): number {
    return (this.endedAt ?? this.clock.now()) - this.startedAt;
  }

  /** Output that the model has not been given. */
  get hasNews(): boolean {
    return !this.unread.isEmpty;
  }

  /** Whether anything of it runs: the shell, or what the shell left behind (`server &`). */
  async isLive(): Promise<boolean> {
    return this.ending === undefined || (await this.child.running());
  }

  /** Calls back after every piece of output and at the end. */
  onNews(listener: () => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  /** Resolves as soon as `done` holds, `ms` milliseconds are over or the signal aborts. Never rejects. */
  wait(done: () => boolean, ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        news.dispose();
        timer.dispose();
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const look = () => {
        if (done() || signal?.aborted) finish();
      };
      const news = this.onNews(look);
      const timer = this.clock.after(ms, finish);
      signal?.addEventListener('abort', finish, { once: true });
      look();
    });
  }

  /** The last lines of what it wrote, for people who watch. */
  tail(): string {
    return tailLines(this.unread.newest(TAIL_BYTES), TAIL_LINES);
  }

  /** What it wrote since the last call, as the model is shown it; empty where there is nothing. */
  async takeOutput(): Promise<string> {
    const taken = this.unread.take(this.ending !== undefined);
    // A path in the text is a promise that the file is there.
    await this.file.flush();
    return shownOutput(taken, this.file.where());
  }

  /** From here on it lives without its call: it is ended when nobody polls it for 30 minutes. */
  toBackground(handle: string): void {
    this.handle = handle;
    this.polled();
  }

  /** Somebody still cares. */
  polled(): void {
    this.silence?.dispose();
    this.silence = this.clock.after(SILENCE_MS, () => {
      void this.kill('silence');
    });
  }

  write(text: string): void {
    this.child.write(text);
  }

  endInput(): void {
    this.child.endInput();
  }

  interrupt(): void {
    this.child.interrupt();
  }

  /** Ends the whole tree; resolves when it is gone, or known not to go. Never rejects. */
  async kill(reason: KillReason): Promise<void> {
    this.silence?.dispose();
    if (!(await this.isLive())) return;
    this.killedFor ??= reason;
    await this.child.kill(GRACE_MS);
    await this.wait(() => this.ending !== undefined, END_SEEN_MS);
    this.settle({ kind: 'unknown', why: 'its processes did not end when they were killed' });
  }

  private receive(bytes: Uint8Array): void {
    this.hasWritten = true;
    this.unread.push(bytes);
    this.feed?.output(bytes);
    this.file.add(bytes);
    if (!this.paused && this.file.behind > PAUSE_AT) {
      this.paused = true;
      this.child.pause();
    }
    this.announce();
  }

  private resumeIfCaughtUp(): void {
    if (!this.paused || this.file.behind > RESUME_AT) return;
    this.paused = false;
    this.child.resume();
  }

  private settle(ending: Ending): void {
    if (this.ending) return;
    this.ending = ending;
    this.endedAt = this.clock.now();
    this.feed?.end(`${endingText(ending)}, ${durationText(this.ms)}`);
    this.announce();
  }

  private announce(): void {
    for (const listener of [...this.listeners]) listener();
  }
}

function endingOf(code: number | null, signal: string | null, why = 'nobody saw it end'): Ending {
  if (code !== null) return { kind: 'status', code };
  if (signal !== null) return { kind: 'signal', signal };
  return { kind: 'unknown', why };
}
