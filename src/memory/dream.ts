import { t } from '@vscode/l10n';
import { join } from 'node:path';
import { codeOf } from '../platform/fileErrors.js';
import type { Clock, Disposable, Files, Log } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';
import type { ErrorInfo, NextStep } from '../protocol/message.js';
import type { Leases } from '../session/lease.js';
import type {
  DreamChats,
  DreamEditors,
  DreamGit,
  DreamHistory,
  DreamSettings,
  ModelFor,
  RunningTurns,
  ToolsFor,
} from './dream/ports.js';
import type { RestoreOutcome } from './gitRestore.js';
import type { MemoryCommit } from './memoryCommit.js';
import { Blocked } from './dream/blocked.js';
import { MEMORY_FILES } from './dream/findings.js';
import { RunJournal } from './dream/journal.js';
import { DreamRecord } from './dream/record.js';
import { DREAM_LEASE } from './dream/finish.js';
import { dreamOnce } from './dream/run.js';
import type { RunContext } from './dream/work.js';
import { Schedule } from './dream/schedule.js';

/** How a Dream ended. `entries` counts history entries: digested, or (with `nothing`) waiting. */
export type DreamOutcome =
  | { kind: 'learned'; commit: MemoryCommit; entries: number }
  /** `nothing`: there was nothing to read, or nothing that may be read now. `skipped`: read, and nothing of it was worth keeping. */
  | { kind: 'nothing' | 'skipped'; entries: number }
  | { kind: 'failed'; reason: string; next: NextStep[] }
  /** It could not begin now: another window dreams, a turn runs, a file has unsaved changes. */
  | { kind: 'busy'; reason: string }
  | { kind: 'cancelled' };

/** `noting`: what was said in chats just now is noted first, so that it is read as well. */
export type DreamPhase = 'idle' | 'noting' | 'reading' | 'editing';

/** What surfaces show of Dream. Times are epoch milliseconds. */
export interface DreamState {
  phase: DreamPhase;
  lastRun?: { at: number; outcome: DreamOutcome };
  /** When it looks by itself again; absent where it does not run by itself. */
  nextRunAt?: number;
  /** Entries of history.jsonl that it has not read. */
  unread: number;
}

export interface DreamDeps {
  files: Files;
  clock: Clock;
  log: Log;
  /** The agent's home. */
  home: string;
  history: DreamHistory;
  git: DreamGit;
  leases: Pick<Leases, 'acquire' | 'confirm' | 'release'>;
  /** Creates the files of the home that are missing. */
  prepareHome(): Promise<void>;
  editors: DreamEditors;
  /** A path with its symbolic links followed. */
  realPath(path: string): Promise<string>;
  /** The text of the built-in skill that says how skills are written. */
  skillGuide(): Promise<string>;
  model: ModelFor;
  tools: ToolsFor;
  chats: DreamChats;
  turns: RunningTurns;
  settings(): DreamSettings;
  /** Tells the person something outside of any chat. */
  notice(text: string): void;
  newId(): string;
}

type Asked = Pick<RunContext, 'asked' | 'signal' | 'onPhase'>;

/**
 * Reads what conversations left behind and keeps what is worth keeping, in two phases: one finds, without tools; one edits, on copies. The
 * files, the cursor and the commit change in one step at the end or not at all. One run a home at a time, whichever window asks.
 */
export class Dream {
  private readonly record: DreamRecord;
  private readonly journal: RunJournal;
  private readonly schedule: Schedule;
  private readonly listeners = new Set<() => void>();
  /** The history is watched only while somebody wants to know. */
  private watch: Disposable | undefined;
  private phase: DreamPhase = 'idle';
  /** This window's last run, also where the disk did not take it. */
  private last: { at: number; outcome: DreamOutcome } | undefined;
  /** The model, as it was last found, may not be used unasked. */
  private onlyAsked = false;
  private healing: Promise<void> = Promise.resolve();
  private running: { controller: AbortController; done: Promise<unknown> } | undefined;

  constructor(private readonly deps: DreamDeps) {
    this.record = new DreamRecord(deps);
    this.journal = new RunJournal(deps);
    this.schedule = new Schedule({
      clock: deps.clock,
      log: deps.log,
      settings: deps.settings,
      lastRunAt: async () => (await this.record.lastRun())?.at,
      attempt: () => this.run({ asked: false, signal: new AbortController().signal }),
      changed: () => {
        this.changed();
      },
    });
  }

  /**
   * Runs once over the oldest entries that were not read. `asked` by a person it waits for a running turn to end, has noted what was said in
   * chats until now, saves their editors, and reads again what they undid; by itself it waits for another time. Never rejects.
   */
  async run(options: {
    asked: boolean;
    signal: AbortSignal;
    onPhase?(phase: DreamPhase): void;
  }): Promise<DreamOutcome> {
    if (this.running) return { kind: 'busy', reason: t('Dream is running already in this window.') };
    const controller = new AbortController();
    const signal = AbortSignal.any([options.signal, controller.signal]);
    const onPhase = (phase: DreamPhase) => {
      this.phase = phase;
      options.onPhase?.(phase);
      this.changed();
    };
    const work = this.healing.then(() => this.attempt({ asked: options.asked, signal, onPhase }));
    this.running = { controller, done: work };
    try {
      return await work;
    } finally {
      this.running = undefined;
      if (this.phase !== 'idle') onPhase('idle');
      else this.changed();
    }
  }

  /**
   * Takes back what one commit changed (see `GitStore.restore`), with the person's unsaved changes saved first, so that they are part of it. Rejects
   * in plain words where a Dream is running or the commit is not there.
   */
  async restore(sha: string): Promise<RestoreOutcome> {
    const { git, editors, home, leases } = this.deps;
    const busy = new Error(t('A Dream is running. Wait until it has ended, then take it back.'));
    if (this.running) throw busy;
    this.running = { controller: new AbortController(), done: Promise.resolve() };
    try {
      await this.healing;
      if (!(await leases.acquire(DREAM_LEASE)).held) throw busy;
      await this.journal.heal();
      const unsaved = await editors.unsaved(MEMORY_FILES.map((file) => join(home, file)));
      if (unsaved.length > 0) await editors.save(unsaved);
      return await git.restore(sha);
    } finally {
      await leases.release(DREAM_LEASE);
      this.running = undefined;
      this.changed();
    }
  }

  /** What surfaces show. */
  async state(): Promise<DreamState> {
    const [unread, stored] = await Promise.all([this.unread(), this.record.lastRun()]);
    const lastRun = stored && stored.at >= (this.last?.at ?? stored.at) ? stored : this.last;
    const nextRunAt = this.onlyAsked ? undefined : this.schedule.nextAt;
    return {
      phase: this.phase,
      unread,
      ...(lastRun ? { lastRun } : {}),
      ...(nextRunAt === undefined ? {} : { nextRunAt }),
    };
  }

  /** Calls back when the state changed. */
  onChange(listener: () => void): Disposable {
    this.listeners.add(listener);
    this.watch ??= this.deps.history.onChange(() => {
      this.changed();
    });
    return {
      dispose: () => {
        this.listeners.delete(listener);
        if (this.listeners.size === 0) this.unwatch();
      },
    };
  }

  /** Begins to run by itself: when it is due, there is something to read, and no turn of this window runs. */
  start(): void {
    this.schedule.start();
    if (!this.running) this.healing = this.heal();
  }

  /** Ends a run under way, which changes nothing then, and runs no more by itself. */
  async dispose(): Promise<void> {
    this.schedule.dispose();
    this.listeners.clear();
    this.unwatch();
    this.running?.controller.abort();
    await this.running?.done;
  }

  /** Puts right at once what a process left that was killed in the middle of a run: until then prompts would hold half of it. */
  private async heal(): Promise<void> {
    const { leases, log } = this.deps;
    try {
      if (!(await this.journal.pending()) || !(await leases.acquire(DREAM_LEASE)).held) return;
      try {
        await this.journal.heal();
      } finally {
        await leases.release(DREAM_LEASE);
      }
    } catch (cause) {
      log.warn(`A Dream that was cut off could not be taken back yet: ${String(cause)}`);
    }
  }

  private unwatch(): void {
    this.watch?.dispose();
    this.watch = undefined;
  }

  /** 0 where the history cannot be read: whoever shows the state shows the reason of the next run then. */
  private async unread(): Promise<number> {
    try {
      return await this.deps.history.undigested();
    } catch (cause) {
      this.deps.log.warn(`history.jsonl could not be read: ${String(cause)}`);
      return 0;
    }
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }

  /** Never rejects. */
  private async attempt(options: Asked): Promise<DreamOutcome> {
    try {
      return await this.begin(options);
    } catch (cause) {
      return options.signal.aborted ? { kind: 'cancelled' } : this.failed(cause);
    }
  }

  /** What costs nothing comes first: with nothing to read no model is looked for and nothing is written. */
  private async begin(options: Asked): Promise<DreamOutcome> {
    const { turns, leases } = this.deps;
    if (!options.asked && turns.any()) {
      return { kind: 'busy', reason: t('A turn is running. Dream begins when it has ended.') };
    }
    const unnoted = options.asked ? await this.noteChats(options) : undefined;
    if (await this.nothingToDo()) {
      return unnoted
        ? { kind: 'failed', reason: unnoted.message, next: unnoted.next }
        : { kind: 'nothing', entries: 0 };
    }
    await turns.quiet(options.signal);
    const lease = await leases.acquire(DREAM_LEASE);
    if (!lease.held) {
      return { kind: 'busy', reason: t('Dream is running in another window. Try again when it has ended.') };
    }
    const outcome = await this.dreamed(options);
    await this.ended(outcome);
    return outcome;
  }

  /** A person who asks for a Dream means what they have just said, too. */
  private async noteChats({ signal, onPhase }: Asked): Promise<ErrorInfo | undefined> {
    await this.deps.turns.quiet(signal);
    const failure = await this.deps.chats.noteNow(signal, () => {
      onPhase('noting');
    });
    signal.throwIfAborted();
    return failure;
  }

  /** What was done is done, also where the disk does not take these last writes. */
  private async ended(outcome: DreamOutcome): Promise<void> {
    const { clock, leases, log } = this.deps;
    try {
      if (outcome.kind === 'learned' || outcome.kind === 'skipped' || outcome.kind === 'failed') {
        this.last = { at: clock.now(), outcome };
        await this.record.setLastRun(this.last);
      }
      await leases.release(DREAM_LEASE);
    } catch (cause) {
      log.warn(`The end of a Dream could not be noted: ${String(cause)}`);
    }
  }

  private async nothingToDo(): Promise<boolean> {
    return (await this.deps.history.undigested()) === 0 && !(await this.journal.pending());
  }

  /** With the lease in hand. What a former run left half done is put right first, whether or not there is a model. */
  private async dreamed(options: Asked): Promise<DreamOutcome> {
    const { deps, record, journal } = this;
    try {
      const { commit } = await journal.heal();
      if (await this.nothingToDo()) {
        return commit
          ? { kind: 'learned', commit, entries: commit.cursors?.length ?? 0 }
          : { kind: 'nothing', entries: 0 };
      }
      const model = await deps.model({ asked: options.asked });
      if ('error' in model) return { kind: 'failed', reason: model.error.message, next: model.error.next };
      this.onlyAsked = model.onlyAsked === true;
      if (this.onlyAsked && !options.asked) return { kind: 'nothing', entries: 0 };
      return await dreamOnce({ ...deps, ...options, model, record, journal });
    } catch (cause) {
      return options.signal.aborted ? { kind: 'cancelled' } : this.failed(cause);
    }
  }

  private failed(cause: unknown): DreamOutcome {
    const { log, home } = this.deps;
    if (cause instanceof Blocked) return { kind: 'failed', reason: cause.message, next: cause.next };
    log.error('Dream failed.', cause);
    const reason = reasonOf(cause);
    if (codeOf(cause) === undefined)
      return { kind: 'failed', reason: t('Dream changed nothing: {0}', reason), next: ['openLog'] };
    return {
      kind: 'failed',
      reason: t("Dream changed nothing: Nanobot's home {0} could not be read or written ({1}).", home, reason),
      next: ['openSettings', 'openLog'],
    };
  }
}
